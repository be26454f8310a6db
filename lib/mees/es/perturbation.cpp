#include "mees/es/perturbation.hpp"

#include "mees/core/eigen_span.hpp"
#include "mees/core/error.hpp"

#include <Eigen/Core>

namespace mees {

Perturbation::Perturbation(Group const& group, std::int64_t member, std::span<float const> noise,
                           std::span<float const> centre)
    : group_{group}, centre_{centre}
{
    if (!group.offsets.empty()) {
        auto const offset =
            group.offsets[static_cast<std::size_t>(group.mirrored ? member / 2 : member)].value();
        expects(offset >= 0 && offset + size() <= std::ssize(noise),
                "noise slice within the table");
        slice_ = noise.subspan(static_cast<std::size_t>(offset), centre.size());
        sigma_ = (group.mirrored && member % 2 == 1 ? -1.0F : 1.0F) * group.sigma;
    }
    auto const vectors = group.basis.size();
    coefficients_ =
        std::span{group.coefficients}.subspan(static_cast<std::size_t>(member) * vectors, vectors);
}

void Perturbation::operator()(std::int64_t first, std::span<float> part) const
{
    using Values = Eigen::Map<Eigen::VectorXf const>;
    auto const count = std::ssize(part);
    expects(first >= 0 && first + count <= size(), "parameters that exist");
    Values const centre{centre_.data() + first, count};
    Eigen::Map<Eigen::VectorXf> result{part.data(), count};
    if (slice_.empty()) {
        result = centre;
    } else {
        Values const noise{slice_.data() + first, count};
        if (group_.scale) {
            result = centre + sigma_ * group_.scale->segment(first, count).cwiseProduct(noise);
        } else {
            result = centre + sigma_ * noise;
        }
    }
    for (std::size_t j = 0; j < coefficients_.size(); ++j) {
        result += coefficients_[j] * group_.basis[j]->segment(first, count);
    }
}

void perturb(Group const& group, std::int64_t member, std::span<float const> noise,
             std::span<float> parameters)
{
    auto const centre = span_of(group.centre->parameters);
    expects(parameters.size() == centre.size(), "room for the parameters");
    Perturbation{group, member, noise, centre}(0, parameters);
}

}  // namespace mees
