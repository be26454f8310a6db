#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <initializer_list>

namespace mees::test {

inline Eigen::VectorXf vector(std::initializer_list<float> values)
{
    Eigen::VectorXf result(static_cast<Eigen::Index>(values.size()));
    std::copy(values.begin(), values.end(), result.data());
    return result;
}

}  // namespace mees::test
