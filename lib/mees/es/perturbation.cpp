#include "mees/es/perturbation.hpp"

#include "mees/core/error.hpp"

#include <Eigen/Core>

namespace mees {

void perturb(Group const& group, std::int64_t member, std::span<float const> noise,
             std::span<float> parameters)
{
    auto const& centre = group.centre->parameters;
    auto const size = centre.size();
    expects(static_cast<Eigen::Index>(parameters.size()) == size, "room for the parameters");
    Eigen::Map<Eigen::VectorXf> result{parameters.data(), size};
    if (group.offsets.empty()) {
        result = centre;
    } else {
        auto const offset =
            group.offsets[static_cast<std::size_t>(group.mirrored ? member / 2 : member)].value();
        expects(offset >= 0 && offset + size <= static_cast<std::int64_t>(noise.size()),
                "noise slice within the table");
        float const sign = group.mirrored && member % 2 == 1 ? -1.0F : 1.0F;
        Eigen::Map<Eigen::VectorXf const> const slice{noise.data() + offset, size};
        if (group.scale) {
            result = centre + (sign * group.sigma) * group.scale->cwiseProduct(slice);
        } else {
            result = centre + (sign * group.sigma) * slice;
        }
    }
    auto const vectors = group.basis.size();
    for (std::size_t j = 0; j < vectors; ++j) {
        result +=
            group.coefficients[static_cast<std::size_t>(member) * vectors + j] * *group.basis[j];
    }
}

}  // namespace mees
