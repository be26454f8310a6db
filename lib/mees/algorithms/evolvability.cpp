#include "mees/algorithms/evolvability.hpp"

#include "mees/core/error.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <Eigen/Core>

#include <cmath>

namespace mees {
namespace {

using Behaviours =
    Eigen::Map<Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> const>;

/// The kernel between a member and each of them.
Eigen::ArrayXd kernel_values(Eigen::ArrayXXd const& columns, Eigen::Index member, double width)
{
    Eigen::ArrayXd distances = Eigen::ArrayXd::Zero(columns.rows());
    for (Eigen::Index axis = 0; axis < columns.cols(); ++axis) {
        distances += (columns.col(axis) - columns(member, axis)).square();
    }
    return (distances / (-2 * width * width)).exp();
}

}  // namespace

std::vector<double> scaled_behaviours(std::span<double const> bcs, std::span<double const> extents)
{
    expects(!extents.empty() && bcs.size() % extents.size() == 0, "complete BCs");
    std::vector<double> scaled(bcs.begin(), bcs.end());
    for (std::size_t i = 0; i < scaled.size(); ++i) {
        scaled[i] /= extents[i % extents.size()];
    }
    return scaled;
}

std::vector<double> spread_values(std::span<double const> bcs, std::size_t members)
{
    auto const axes = bcs.size() / members;
    std::vector<double> mean(axes, 0.0);
    for (std::size_t i = 0; i < members; ++i) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            mean[axis] += bcs[i * axes + axis] / static_cast<double>(members);
        }
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < members; ++i) {
        values.push_back(squared_distance(bcs.subspan(i * axes, axes), mean));
    }
    return values;
}

std::vector<double> entropy_values(std::span<double const> bcs, std::size_t members, double width)
{
    auto const count = static_cast<Eigen::Index>(members);
    auto const axes = static_cast<Eigen::Index>(bcs.size()) / count;
    Eigen::ArrayXXd const columns = Behaviours{bcs.data(), count, axes};
    Eigen::ArrayXd density(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        density[i] = kernel_values(columns, i, width).mean();
    }
    std::vector<double> values;
    for (Eigen::Index i = 0; i < count; ++i) {
        auto const share = (kernel_values(columns, i, width) / density).mean();
        values.push_back(-std::log(density[i]) - share);
    }
    return values;
}

}  // namespace mees
