#pragma once

#include "mees/navigation/displacement_model.hpp"

#include <memory>
#include <vector>

namespace mees {

/// One kernel, and nothing that an elite shares with no other.
inline constexpr DisplacementSettings plain_kernel{
    .variance = 0.5, .length_scale = 0.5, .elite_variance = 0, .noise_variance = 0.01};

/// Actions that move without turning, at points (i / 2, 0): half a scaled BC apart.
inline RepertoirePtr repertoire_of_steps(std::vector<std::pair<double, double>> const& steps)
{
    auto repertoire = std::make_shared<Repertoire>();
    auto const size = static_cast<Eigen::Index>(steps.size());
    repertoire->points = Eigen::MatrixXd::Zero(size, 2);
    repertoire->outcomes = Eigen::ArrayXXd::Zero(size, 4);
    for (Eigen::Index i = 0; i < size; ++i) {
        auto const& [dx, dy] = steps[static_cast<std::size_t>(i)];
        repertoire->cells.emplace_back(10 * i);
        repertoire->points(i, 0) = static_cast<double>(i) / 2;
        repertoire->outcomes.row(i) << dx, dy, 1, 0;
    }
    repertoire->lower = {-2, -2, -1, -1};
    repertoire->upper = {2, 2, 1, 1};
    return repertoire;
}

}  // namespace mees
