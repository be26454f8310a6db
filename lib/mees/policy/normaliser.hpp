#pragma once

#include <Eigen/Core>

#include <span>

namespace mees {

/// Mean and standard deviation by which a controller's inputs are normalised.
struct Normaliser {
    Eigen::VectorXd mean;
    Eigen::VectorXd std;

    /// Leaves `size` inputs as they are.
    [[nodiscard]] static Normaliser identity(Eigen::Index size);

    /// (observation - mean) / std, clipped to +-clip where clip > 0.
    void apply(std::span<double const> observation, std::span<float> normalised, double clip) const;

    friend bool operator==(Normaliser const&, Normaliser const&) = default;
};

/// Count, sum and sum of squares of observations: of one episode, or of a run.
struct ObservationMoments {
    double count{0};
    Eigen::VectorXd sum;
    Eigen::VectorXd sum_of_squares;

    /// Nothing seen.
    [[nodiscard]] static ObservationMoments none(Eigen::Index size);
    /// A run's start: count 1e-2, sum of squares 1e-2, so that mean and deviation exist at once.
    [[nodiscard]] static ObservationMoments prior(Eigen::Index size);

    void add(std::span<double const> observation);
    void merge(ObservationMoments const& other);

    /// std = sqrt(max(variance, 1e-2)).
    [[nodiscard]] Normaliser normaliser() const;
};

}  // namespace mees
