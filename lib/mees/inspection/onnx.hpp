#pragma once

#include "mees/policy/controller.hpp"
#include "mees/policy/network.hpp"

#include <string>
#include <utility>
#include <vector>

namespace mees {

/// A controller as an ONNX model (opset 13), normaliser and all: input `observation`, float64 of
/// shape batch x inputs; output `action`, float32 of shape batch x outputs. The operations are ours
/// in our precision: (observation - mean) / std in float64, rounded to float32, clipped where
/// `observation_clip` > 0, then a Gemm and a Tanh per layer. `notes` become the model's metadata.
[[nodiscard]] std::string onnx_model(NetworkShape const& network, Controller const& controller,
                                     double observation_clip,
                                     std::vector<std::pair<std::string, std::string>> const& notes);

}  // namespace mees
