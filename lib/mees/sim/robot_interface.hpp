#pragma once

#include "mees/sim/task.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mees {

/// What stands between a controller and its robot: the meaning of its inputs and outputs, in their
/// order, for running it elsewhere.
struct RobotInterface {
    /// An input is clip((x - offset) / scale), where x is called `name`.
    struct Input {
        std::string name;  ///< "hip_1.position", "root.qw", ...: what x is
        double offset{0};
        double scale{1};
        std::optional<double> clip{};
    };
    /// A control is offset + scale * output, limited to lower..upper.
    struct Output {
        std::string actuator;
        std::string joint;  ///< that it moves; "" if it moves something else
        double offset{0};
        double scale{1};
        std::optional<double> lower{};
        std::optional<double> upper{};
    };

    std::vector<Input> inputs;
    std::vector<Output> outputs;
    double control_period{0};  ///< seconds
    std::string model_sha256;
};

/// Of the domain that a map carries. Throws FileError for what this program cannot interpret;
/// `source` names the map in the message.
[[nodiscard]] RobotInterface robot_interface(DomainDocument const& document,
                                             std::string const& source);

}  // namespace mees
