#include "mees/inspection/onnx.hpp"

#include "mees/core/version.hpp"
#include "mees/inspection/protobuf.hpp"

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

/// A graph that grows by one operation on its last result at a time.
class Chain {
  public:
    explicit Chain(std::string input) : last_{std::move(input)} {}

    /// `operands` stand behind the last result; `code` is for the attribute "to" of Cast.
    void apply(std::string const& operation, std::vector<std::string> const& operands,
               std::string const& result, std::int64_t code = 0)
    {
        Message message;
        message.text(node_input, last_);
        for (auto const& operand : operands) {
            message.text(node_input, operand);
        }
        message.text(node_output, result).text(node_name, result).text(op_type, operation);
        if (code != 0) {
            message.message(
                attribute, Message{}.text(1, "to").integer(3, code).integer(20, integer_attribute));
        }
        graph_.message(node, message);
        last_ = result;
    }
    [[nodiscard]] Message& graph() { return graph_; }

  private:
    std::string last_;
    Message graph_;
};

void add_normaliser(Chain& chain, Normaliser const& normaliser, double clip)
{
    auto const values = [](Eigen::VectorXd const& vector) {
        return std::span{vector.data(), static_cast<std::size_t>(vector.size())};
    };
    auto& graph = chain.graph();
    chain.apply("Sub", {"observation_mean"}, "centred");
    chain.apply("Div", {"observation_std"}, "scaled");
    chain.apply("Cast", {}, "normalised", float_type);
    graph.message(initializer, tensor("observation_mean", double_type, values(normaliser.mean),
                                      {normaliser.mean.size()}));
    graph.message(initializer, tensor("observation_std", double_type, values(normaliser.std),
                                      {normaliser.std.size()}));
    if (clip > 0) {
        float const limits[] = {-static_cast<float>(clip), static_cast<float>(clip)};
        chain.apply("Clip", {"lowest_input", "highest_input"}, "clipped");
        graph.message(initializer,
                      tensor("lowest_input", float_type, std::span{limits}.first(1), {}));
        graph.message(initializer,
                      tensor("highest_input", float_type, std::span{limits}.last(1), {}));
    }
}

void add_layers(Chain& chain, NetworkShape const& network, Eigen::VectorXf const& parameters)
{
    std::span rest{parameters.data(), static_cast<std::size_t>(parameters.size())};
    auto const& layers = network.layers();
    for (std::size_t i = 1; i < layers.size(); ++i) {
        auto const weights = static_cast<std::size_t>(layers[i - 1] * layers[i]);
        auto const biases = static_cast<std::size_t>(layers[i]);
        auto const weights_name = fmt::format("weights_{}", i);
        auto const biases_name = fmt::format("biases_{}", i);
        chain.apply("Gemm", {weights_name, biases_name}, fmt::format("sum_{}", i));
        chain.apply("Tanh", {}, i + 1 == layers.size() ? "action" : fmt::format("layer_{}", i));
        chain.graph().message(initializer, tensor(weights_name, float_type, rest.first(weights),
                                                  {layers[i - 1], layers[i]}));
        chain.graph().message(initializer, tensor(biases_name, float_type,
                                                  rest.subspan(weights, biases), {layers[i]}));
        rest = rest.subspan(weights + biases);
    }
}

}  // namespace

std::string onnx_model(NetworkShape const& network, Controller const& controller,
                       double observation_clip,
                       std::vector<std::pair<std::string, std::string>> const& notes)
{
    Chain chain{"observation"};
    add_normaliser(chain, controller.normaliser, observation_clip);
    add_layers(chain, network, controller.parameters);
    auto& graph = chain.graph();
    graph.text(graph_name, "controller");
    graph.message(input, rows_of("observation", double_type, network.inputs()));
    graph.message(output, rows_of("action", float_type, network.outputs()));

    Message model;
    model.integer(ir_version, format_version)
        .text(producer_name, "mees")
        .text(producer_version, version())
        .text(doc_string, "A controller, its normaliser included")
        .message(graph_field, graph)
        .message(opset_import, Message{}.integer(2, operator_set));
    for (auto const& [key, value] : notes) {
        model.message(metadata, Message{}.text(1, key).text(2, value));
    }
    return model.encoded();
}

}  // namespace mees
