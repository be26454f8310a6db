#include "mees/inspection/detail/onnx.hpp"

#include "mees/core/version.hpp"
#include "mees/inspection/detail/protobuf.hpp"
#include "mees/policy/activation.hpp"

#include <fmt/format.h>

#include <span>

namespace mees {
namespace {

using Message = ProtobufMessage;

// Field numbers and codes of onnx.proto.
enum ModelField : std::uint32_t {
    ir_version = 1,
    producer_name = 2,
    producer_version = 3,
    doc_string = 6,
    graph_field = 7,
    opset_import = 8,
    metadata = 14
};
enum GraphField : std::uint32_t {
    node = 1,
    graph_name = 2,
    initializer = 5,
    input = 11,
    output = 12
};
enum NodeField : std::uint32_t {
    node_input = 1,
    node_output = 2,
    node_name = 3,
    op_type = 4,
    attribute = 5
};
enum TensorField : std::uint32_t { dims = 1, data_type = 2, tensor_name = 8, raw_data = 9 };
constexpr std::int64_t float_type = 1;
constexpr std::int64_t integer_type = 7;
constexpr std::int64_t double_type = 11;
constexpr std::int64_t integer_attribute = 2;
constexpr std::int64_t format_version = 7;
constexpr std::int64_t operator_set = 13;

template <class Value>
Message tensor(std::string const& name, std::int64_t type, std::span<Value const> values,
               std::vector<std::int64_t> const& shape)
{
    Message message;
    for (auto const size : shape) {
        message.integer(dims, size);
    }
    return message.integer(data_type, type)
        .text(tensor_name, name)
        .bytes(raw_data, std::as_bytes(values));
}

/// A matrix with a row per observation, however many there are.
Message rows_of(std::string const& name, std::int64_t type, std::int64_t columns)
{
    auto const shape =
        Message{}.message(1, Message{}.text(2, "batch")).message(1, Message{}.integer(1, columns));
    auto const tensor_type = Message{}.integer(1, type).message(2, shape);
    return Message{}.text(1, name).message(2, Message{}.message(1, tensor_type));
}

/// A graph of float32 values (float64 before the normaliser's Cast) that grows node by node.
class Graph {
  public:
    /// The operation's result is called `name`; an attribute is an integer with a name.
    std::string const& apply(std::string const& operation, std::vector<std::string> const& inputs,
                             std::string const& name,
                             std::pair<std::string, std::int64_t> const& with = {})
    {
        Message message;
        for (auto const& input : inputs) {
            message.text(node_input, input);
        }
        message.text(node_output, name).text(node_name, name).text(op_type, operation);
        if (!with.first.empty()) {
            message.message(attribute, Message{}
                                           .text(1, with.first)
                                           .integer(3, with.second)
                                           .integer(20, integer_attribute));
        }
        message_.message(node, message);
        return last_ = name;
    }
    /// A constant; its name.
    template <class Value>
    std::string hold(std::string const& name, std::int64_t type, std::span<Value const> values,
                     std::vector<std::int64_t> const& shape)
    {
        message_.message(initializer, tensor(name, type, values, shape));
        return name;
    }
    std::string hold(std::string const& name, float value)
    {
        return hold(name, float_type, std::span<float const>{&value, 1}, {});
    }
    std::string hold(std::string const& name, std::vector<std::int64_t> const& values)
    {
        return hold(name, integer_type, std::span{values}, {std::ssize(values)});
    }

    [[nodiscard]] std::string const& last() const { return last_; }
    [[nodiscard]] Message& message() { return message_; }

  private:
    std::string last_;
    Message message_;
};

void add_normaliser(Graph& graph, Normaliser const& normaliser, double clip)
{
    auto const hold = [&](std::string const& name, Eigen::VectorXd const& vector) {
        return graph.hold(
            name, double_type,
            std::span<double const>{vector.data(), static_cast<std::size_t>(vector.size())},
            {vector.size()});
    };
    auto const mean = hold("observation_mean", normaliser.mean);
    auto const std = hold("observation_std", normaliser.std);
    graph.apply("Sub", {"observation", mean}, "centred");
    graph.apply("Div", {"centred", std}, "scaled");
    graph.apply("Cast", {"scaled"}, "normalised", {"to", float_type});
    if (clip > 0) {
        auto const lowest = graph.hold("lowest_input", -static_cast<float>(clip));
        auto const highest = graph.hold("highest_input", static_cast<float>(clip));
        graph.apply("Clip", {"normalised", lowest, highest}, "clipped");
    }
}

/// Sums from the bias on, in the order of the inputs: the bias is the weight of an input 1 that is
/// put before the others, and the last of the running sums is the sum.
void add_sum(Graph& graph, std::string const& layer, std::span<float const> weights,
             std::span<float const> biases)
{
    std::vector<float> rows{biases.begin(), biases.end()};
    rows.insert(rows.end(), weights.begin(), weights.end());
    auto const outputs = std::ssize(biases);
    auto const held = graph.hold("weights" + layer, float_type, std::span<float const>{rows},
                                 {std::ssize(rows) / outputs, outputs});
    auto const inputs = graph.apply("Pad", {graph.last(), "one_before", "one"}, "inputs" + layer);
    graph.apply("Unsqueeze", {inputs, "last_axis"}, "column" + layer);
    graph.apply("Mul", {graph.last(), held}, "terms" + layer);
    graph.apply("CumSum", {graph.last(), "inputs_axis"}, "sums" + layer);
    graph.apply("Gather", {graph.last(), "last_sum"}, "sum" + layer, {"axis", 1});
}

std::string add_polynomial(Graph& graph, std::string const& name, std::string const& layer,
                           std::string const& argument, std::size_t size)
{
    std::string sum = name + "_0";
    for (std::size_t i = 1; i < size; ++i) {
        auto const step = fmt::format("{}_{}", name, i);
        auto const product =
            graph.apply("Mul", {sum, argument}, fmt::format("{}_product{}", step, layer));
        sum = graph.apply("Add", {product, step}, fmt::format("{}_sum{}", step, layer));
    }
    return sum;
}

/// As apply_tanh does it.
void add_tanh(Graph& graph, std::string const& layer, std::string const& result)
{
    auto const inside =
        graph.apply("Clip", {graph.last(), "lowest_sum", "highest_sum"}, "inside" + layer);
    auto const square = graph.apply("Mul", {inside, inside}, "square" + layer);
    auto const over =
        add_polynomial(graph, "numerator", layer, square, tanh_coefficients::numerator.size());
    auto const under =
        add_polynomial(graph, "denominator", layer, square, tanh_coefficients::denominator.size());
    auto const product = graph.apply("Mul", {inside, over}, "product" + layer);
    graph.apply("Div", {product, under}, "ratio" + layer);
    graph.apply("Clip", {graph.last(), "minus_one", "one"}, result);
}

void hold_constants(Graph& graph)
{
    graph.hold("one", 1.F);
    graph.hold("minus_one", -1.F);
    graph.hold("lowest_sum", -tanh_coefficients::saturated);
    graph.hold("highest_sum", tanh_coefficients::saturated);
    graph.hold("one_before", std::vector<std::int64_t>{0, 1, 0, 0});
    graph.hold("last_axis", std::vector<std::int64_t>{2});
    graph.hold("inputs_axis", std::vector<std::int64_t>{1});
    std::int64_t const last = -1;
    graph.hold("last_sum", integer_type, std::span{&last, 1}, {});
    auto const hold_all = [&](std::string const& name, std::span<float const> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            graph.hold(fmt::format("{}_{}", name, i), values[i]);
        }
    };
    hold_all("numerator", tanh_coefficients::numerator);
    hold_all("denominator", tanh_coefficients::denominator);
}

void add_layers(Graph& graph, NetworkShape const& network, Parameters const& parameters)
{
    std::span rest{parameters.data(), static_cast<std::size_t>(parameters.size())};
    auto const& layers = network.layers();
    for (std::size_t i = 1; i < layers.size(); ++i) {
        auto const weights = static_cast<std::size_t>(layers[i - 1] * layers[i]);
        auto const biases = static_cast<std::size_t>(layers[i]);
        auto const layer = fmt::format("_of_layer_{}", i);
        add_sum(graph, layer, rest.first(weights), rest.subspan(weights, biases));
        auto const result = i + 1 == layers.size() ? "action" : "signal" + layer;
        if (i + 1 == layers.size() && network.output() == OutputActivation::linear) {
            graph.apply("Identity", {graph.last()}, result);
        } else {
            add_tanh(graph, layer, result);
        }
        rest = rest.subspan(weights + biases);
    }
}

}  // namespace

std::string onnx_model(NetworkShape const& network, Controller const& controller,
                       double observation_clip,
                       std::vector<std::pair<std::string, std::string>> const& notes)
{
    Graph graph;
    hold_constants(graph);
    add_normaliser(graph, controller.normaliser, observation_clip);
    add_layers(graph, network, controller.parameters);
    graph.message()
        .text(graph_name, "controller")
        .message(input, rows_of("observation", double_type, network.inputs()))
        .message(output, rows_of("action", float_type, network.outputs()));

    Message model;
    model.integer(ir_version, format_version)
        .text(producer_name, "mees")
        .text(producer_version, version())
        .text(doc_string, "A controller, its normaliser included")
        .message(graph_field, graph.message())
        .message(opset_import, Message{}.integer(2, operator_set));
    for (auto const& [key, value] : notes) {
        model.message(metadata, Message{}.text(1, key).text(2, value));
    }
    return model.encoded();
}

}  // namespace mees
