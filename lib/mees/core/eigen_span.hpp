#pragma once

#include <Eigen/Core>

#include <span>

namespace mees {

/// The values of an Eigen vector.
template <class Vector>
[[nodiscard]] auto span_of(Vector& values)
{
    return std::span{values.data(), static_cast<std::size_t>(values.size())};
}

/// An Eigen vector of these values: vector_of<Eigen::VectorXd>(values).
template <class Vector>
[[nodiscard]] Vector vector_of(std::span<typename Vector::Scalar const> values)
{
    return Eigen::Map<Vector const>{values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace mees
