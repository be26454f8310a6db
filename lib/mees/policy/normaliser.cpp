#include "mees/policy/normaliser.hpp"

#include "mees/core/error.hpp"

#include <algorithm>

namespace mees {
namespace {

constexpr double prior_count = 1e-2;
constexpr double prior_sum_of_squares = 1e-2;
constexpr double variance_floor = 1e-2;

auto as_vector(std::span<double const> values)
{
    return Eigen::Map<Eigen::VectorXd const>{values.data(),
                                             static_cast<Eigen::Index>(values.size())};
}

}  // namespace

Normaliser Normaliser::identity(Eigen::Index size)
{
    return {Eigen::VectorXd::Zero(size), Eigen::VectorXd::Ones(size)};
}

void Normaliser::apply(std::span<double const> observation, std::span<float> normalised,
                       double clip) const
{
    Eigen::Map<Eigen::VectorXf> result{normalised.data(),
                                       static_cast<Eigen::Index>(normalised.size())};
    result = ((as_vector(observation) - mean).array() / std.array()).cast<float>();
    if (clip > 0) {
        auto const limit = static_cast<float>(clip);
        result = result.array().max(-limit).min(limit);
    }
}

ObservationMoments ObservationMoments::none(Eigen::Index size)
{
    return {0, Eigen::VectorXd::Zero(size), Eigen::VectorXd::Zero(size)};
}

ObservationMoments ObservationMoments::prior(Eigen::Index size)
{
    return {prior_count, Eigen::VectorXd::Zero(size),
            Eigen::VectorXd::Constant(size, prior_sum_of_squares)};
}

void ObservationMoments::add(std::span<double const> observation)
{
    auto const values = as_vector(observation);
    count += 1;
    sum += values;
    sum_of_squares.array() += values.array().square();
}

void ObservationMoments::merge(ObservationMoments const& other)
{
    expects(sum.size() == other.sum.size(), "moments of equal size");
    count += other.count;
    sum += other.sum;
    sum_of_squares += other.sum_of_squares;
}

Normaliser ObservationMoments::normaliser() const
{
    expects(count > 0, "moments of something");
    Eigen::VectorXd mean = sum / count;
    Eigen::ArrayXd const variance = sum_of_squares.array() / count - mean.array().square();
    return {std::move(mean), variance.max(variance_floor).sqrt().matrix()};
}

}  // namespace mees
