#pragma once

#include "mees/policy/controller.hpp"
#include "mees/policy/network.hpp"

#include <string>
#include <utility>
#include <vector>

namespace mees {

/// A controller as an ONNX model (opset 13), normaliser and all: input `observation`, float64 of
/// shape batch x inputs; output `action`, float32 of shape batch x outputs. The operations are ours
/// in our precision and our order, tanh too, so that a runtime that adds up running sums one by
/// one, as onnxruntime does, gives bit-identical actions: with a Gemm and a Tanh per layer they
/// would differ by up to 1e-5 in large networks. A layer takes batch x inputs x outputs floats of
/// memory. `notes` become the model's metadata.
[[nodiscard]] std::string onnx_model(NetworkShape const& network, Controller const& controller,
                                     double observation_clip,
                                     std::vector<std::pair<std::string, std::string>> const& notes);

}  // namespace mees
