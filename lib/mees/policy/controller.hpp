#pragma once

#include "mees/policy/normaliser.hpp"

#include <Eigen/Core>

#include <memory>

namespace mees {

/// Parameters of a network and the normaliser that belongs to them. Never changed once made, so
/// that map, batch and checkpoint share one copy.
struct Controller {
    Eigen::VectorXf parameters;
    Normaliser normaliser;
};

using ControllerPtr = std::shared_ptr<Controller const>;

}  // namespace mees
