#include "mees/navigation/repertoire.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>
#include <utility>

namespace mees {
namespace {

/// Appends numbers to a string, or takes them from its front: one list of members serves both.
class Packer {
  public:
    template <class Value>
    void operator()(Value const& value)
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        text.append(reinterpret_cast<char const*>(&value), sizeof value);
    }
    void numbers(auto const& matrix)
    {
        (*this)(std::int64_t{matrix.rows()});
        (*this)(std::int64_t{matrix.cols()});
        text.append(reinterpret_cast<char const*>(matrix.data()),
                    static_cast<std::size_t>(matrix.size()) * sizeof *matrix.data());
    }
    std::string text;
};

class Unpacker {
  public:
    explicit Unpacker(std::string_view text) : text_{text} {}

    template <class Value>
    [[nodiscard]] Value get()
    {
        Value value;
        take(&value, sizeof value);
        return value;
    }
    template <class Matrix>
    [[nodiscard]] Matrix numbers()
    {
        auto const rows = get<std::int64_t>();
        auto const columns = get<std::int64_t>();
        Matrix matrix(rows, columns);
        take(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof *matrix.data());
        return matrix;
    }

  private:
    void take(void* to, std::size_t size)
    {
        expects(size <= text_.size(), "a complete repertoire");
        std::memcpy(to, text_.data(), size);
        text_.remove_prefix(size);
    }
    std::string_view text_;
};

}  // namespace

std::string pack(Repertoire const& repertoire)
{
    Packer packer;
    packer(std::ssize(repertoire.network.layers()));
    for (auto const size : repertoire.network.layers()) {
        packer(size);
    }
    packer(repertoire.network.output());
    packer(repertoire.observation_clip);
    packer(repertoire.lower);
    packer(repertoire.upper);
    packer.numbers(repertoire.points);
    packer.numbers(repertoire.outcomes);
    for (std::size_t i = 0; i < repertoire.cells.size(); ++i) {
        packer(repertoire.cells[i].value());
        auto const& controller = *repertoire.controllers[i];
        packer.numbers(controller.parameters.values());
        packer.numbers(controller.normaliser.mean);
        packer.numbers(controller.normaliser.std);
    }
    return std::move(packer.text);
}

Repertoire unpack_repertoire(std::string_view packed)
{
    Unpacker unpacker{packed};
    std::vector<std::int64_t> layers(static_cast<std::size_t>(unpacker.get<std::ptrdiff_t>()));
    for (auto& size : layers) {
        size = unpacker.get<std::int64_t>();
    }
    Repertoire repertoire;
    auto const output = unpacker.get<OutputActivation>();
    repertoire.network = NetworkShape{std::move(layers), output};
    repertoire.observation_clip = unpacker.get<double>();
    repertoire.lower = unpacker.get<GroundPose>();
    repertoire.upper = unpacker.get<GroundPose>();
    repertoire.points = unpacker.numbers<Eigen::MatrixXd>();
    repertoire.outcomes = unpacker.numbers<Eigen::ArrayXXd>();
    for (Eigen::Index i = 0; i < repertoire.size(); ++i) {
        repertoire.cells.emplace_back(unpacker.get<std::int64_t>());
        Controller controller;
        controller.parameters = unpacker.numbers<Eigen::MatrixXf>();
        controller.normaliser.mean = unpacker.numbers<Eigen::MatrixXd>();
        controller.normaliser.std = unpacker.numbers<Eigen::MatrixXd>();
        repertoire.controllers.push_back(std::make_shared<Controller const>(std::move(controller)));
    }
    return repertoire;
}

std::string to_toml(std::vector<GroundPoint> const& targets)
{
    std::string text = "targets = [";
    for (auto const& target : targets) {
        text += fmt::format("[{}, {}], ", target.x, target.y);
    }
    return text + "]\n";
}

}  // namespace mees
