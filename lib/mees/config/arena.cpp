#include "mees/config/arena.hpp"

#include "mees/config/detail/names.hpp"
#include "mees/config/detail/read_text.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

constexpr std::size_t most_entries = 1000;
constexpr double farthest = 1e6;
constexpr double most_cells = 1e6;

/// Reads a file of mees_navigate, refusing what it does not know.
class GroundReader {
  public:
    GroundReader(std::string_view toml, std::string const& source)
        : source_{source}, table_{parse(toml)}
    {
    }

    [[nodiscard]] toml::table const& table() const { return table_; }

    [[noreturn]] void refuse(toml::node const& node, std::string const& why) const
    {
        throw ConfigError{fmt::format("invalid {}", source_),
                          fmt::format("line {}: {}", node.source().begin.line, why),
                          "See docs/navigation.md."};
    }
    void know(toml::table const& table, std::vector<std::string> const& keys) const
    {
        for (auto const& [key, node] : table) {
            auto const name = std::string{key.str()};
            if (std::ranges::find(keys, name) == keys.end()) {
                refuse(node, fmt::format("unknown key {}; known: {}", printable(name),
                                         fmt::join(keys, ", ")));
            }
        }
    }
    void read(toml::table const& table, char const* key, double& value, double lower) const
    {
        if (auto const* node = table.get(key)) {
            value = number(*node, key);
            if (!(value >= lower)) {
                refuse(*node, fmt::format("{} must be at least {}", key, lower));
            }
        }
    }
    void read(toml::table const& table, char const* key, GroundPoint& value) const
    {
        if (auto const* node = table.get(key)) {
            value = point(*node, key);
        }
    }
    void need(toml::table const& table, char const* key) const
    {
        if (table.get(key) == nullptr) {
            refuse(table, fmt::format("{} is missing", key));
        }
    }
    [[nodiscard]] GroundPoint point(toml::node const& node, char const* key) const
    {
        auto const* array = node.as_array();
        if (array == nullptr || array->size() != 2) {
            refuse(node, fmt::format("{} must be two numbers, [x, y]", key));
        }
        return {number(*array->get(0), key), number(*array->get(1), key)};
    }
    /// The entries of a list; none if it is absent.
    [[nodiscard]] std::vector<toml::node const*> list(char const* key) const
    {
        auto const* node = table_.get(key);
        if (node == nullptr) {
            return {};
        }
        auto const* array = node->as_array();
        if (array == nullptr || array->size() > most_entries) {
            refuse(*node,
                   fmt::format("{} must be a list of at most {} entries", key, most_entries));
        }
        std::vector<toml::node const*> entries;
        for (auto const& entry : *array) {
            entries.push_back(&entry);
        }
        return entries;
    }
    [[nodiscard]] std::vector<toml::table const*> tables(char const* key) const
    {
        std::vector<toml::table const*> found;
        for (auto const* entry : list(key)) {
            if (!entry->is_table()) {
                refuse(*entry, fmt::format("{} must be a table, [[{}]]", key, key));
            }
            found.push_back(entry->as_table());
        }
        return found;
    }

  private:
    [[nodiscard]] toml::table parse(std::string_view toml) const
    {
        try {
            return toml::parse(toml);
        } catch (toml::parse_error const& error) {
            throw ConfigError{fmt::format("invalid {}", source_),
                              fmt::format("line {}: {}", error.source().begin.line,
                                          printable(error.description())),
                              "See docs/navigation.md."};
        }
    }
    [[nodiscard]] double number(toml::node const& node, char const* key) const
    {
        if (!node.is_number() || !(std::abs(*node.value<double>()) <= farthest)) {
            refuse(node,
                   fmt::format("{} must be a number within {} and {}", key, -farthest, farthest));
        }
        return *node.value<double>();
    }

    std::string source_;
    toml::table table_;
};

bool has_area(GroundPoint const& lower, GroundPoint const& upper)
{
    return lower.x < upper.x && lower.y < upper.y;
}

std::string list_of(GroundPoint const& point)
{
    return fmt::format("[{}, {}]", point.x, point.y);
}

}  // namespace

ArenaSettings parse_arena(std::string_view toml, std::string const& source)
{
    GroundReader const reader{toml, source};
    auto const& table = reader.table();
    reader.know(table, {"lower", "upper", "cell", "robot_radius", "box", "circle"});
    ArenaSettings arena;
    reader.read(table, "lower", arena.lower);
    reader.read(table, "upper", arena.upper);
    reader.read(table, "cell", arena.cell, 1e-3);
    reader.read(table, "robot_radius", arena.robot_radius, 0);
    if (!has_area(arena.lower, arena.upper)) {
        reader.refuse(table, "lower must be below upper, in x and in y");
    }
    if ((arena.upper.x - arena.lower.x) / arena.cell * (arena.upper.y - arena.lower.y) / arena.cell
        > most_cells) {
        reader.refuse(table, fmt::format("it has more than {} cells", most_cells));
    }
    for (auto const* entry : reader.tables("box")) {
        reader.know(*entry, {"lower", "upper"});
        reader.need(*entry, "lower");
        reader.need(*entry, "upper");
        auto& box = arena.boxes.emplace_back();
        reader.read(*entry, "lower", box.lower);
        reader.read(*entry, "upper", box.upper);
        if (!has_area(box.lower, box.upper)) {
            reader.refuse(*entry, "lower must be below upper, in x and in y");
        }
    }
    for (auto const* entry : reader.tables("circle")) {
        reader.know(*entry, {"centre", "radius"});
        reader.need(*entry, "centre");
        reader.need(*entry, "radius");
        auto& circle = arena.circles.emplace_back();
        reader.read(*entry, "centre", circle.centre);
        reader.read(*entry, "radius", circle.radius, 0);
    }
    return arena;
}

ArenaSettings read_arena(std::filesystem::path const& file)
{
    return parse_arena(read_text(file), file.string());
}

std::vector<GroundPoint> parse_targets(std::string_view toml, std::string const& source)
{
    GroundReader const reader{toml, source};
    reader.know(reader.table(), {"targets"});
    std::vector<GroundPoint> targets;
    for (auto const* entry : reader.list("targets")) {
        targets.push_back(reader.point(*entry, "a target"));
    }
    if (targets.empty()) {
        reader.refuse(reader.table(), "there is no target; write targets = [[x, y], ...]");
    }
    return targets;
}

std::vector<GroundPoint> read_targets(std::filesystem::path const& file)
{
    return parse_targets(read_text(file), file.string());
}

std::string to_toml(ArenaSettings const& arena)
{
    auto text =
        fmt::format("lower = {}\nupper = {}\ncell = {}\nrobot_radius = {}\n", list_of(arena.lower),
                    list_of(arena.upper), arena.cell, arena.robot_radius);
    for (auto const& box : arena.boxes) {
        text += fmt::format("\n[[box]]\nlower = {}\nupper = {}\n", list_of(box.lower),
                            list_of(box.upper));
    }
    for (auto const& circle : arena.circles) {
        text += fmt::format("\n[[circle]]\ncentre = {}\nradius = {}\n", list_of(circle.centre),
                            circle.radius);
    }
    return text;
}

}  // namespace mees
