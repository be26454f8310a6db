#include "mees/report/heatmap.hpp"

#include "mees/core/text.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/report/format.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees::inspect {
namespace {

std::int64_t axis_named(MapReader const& map, std::string const& text)
{
    auto const& names = map.bc_names();
    if (auto const found = std::ranges::find(names, text); found != names.end()) {
        return found - names.begin();
    }
    bool const number = !text.empty() && text.size() < 4
                        && text.find_first_not_of("0123456789") == std::string::npos;
    if (number && std::stol(text) < map.space().dimensions()) {
        return std::stol(text);
    }
    throw ConfigError{
        fmt::format("unknown axis \"{}\"", text), "the map has no such axis",
        fmt::format("Use {}, or 0 to {}.", fmt::join(names, ", "), map.space().dimensions() - 1)};
}

/// Two axes, or one if the map has only that.
std::vector<std::int64_t> chosen_axes(MapReader const& map, HeatmapOptions const& options)
{
    bool const flat = map.space().dimensions() == 1;
    if (options.axes.empty()) {
        return flat ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{0, 1};
    }
    std::vector<std::int64_t> axes;
    std::ranges::transform(options.axes, std::back_inserter(axes),
                           [&](auto const& text) { return axis_named(map, text); });
    if (axes.size() != (flat ? 1 : 2) || (axes.size() == 2 && axes[0] == axes[1])) {
        throw ConfigError{fmt::format("invalid --axes {}", fmt::join(options.axes, ",")),
                          "a heatmap has two different axes", "Give two, such as --axes 0,1."};
    }
    return axes;
}

double Elite::*chosen_value(std::string const& name)
{
    if (name == "fitness_std") {
        return &Elite::fitness_std;
    }
    return name == "novelty" ? &Elite::novelty : &Elite::fitness;
}

/// The axes that are not drawn.
std::vector<std::int64_t> other_axes(MapReader const& map, std::vector<std::int64_t> const& axes)
{
    std::vector<std::int64_t> others;
    for (std::int64_t axis = 0; axis < map.space().dimensions(); ++axis) {
        if (std::ranges::find(axes, axis) == axes.end()) {
            others.push_back(axis);
        }
    }
    return others;
}

std::string title(MapReader const& map, HeatmapOptions const& options,
                  std::vector<std::int64_t> const& others)
{
    std::vector<std::string> names;
    std::ranges::transform(others, std::back_inserter(names), [&](std::int64_t axis) {
        return escaped(map.bc_names()[static_cast<std::size_t>(axis)]);
    });
    auto const how = options.others == OtherAxes::mean ? "the mean" : "the best";
    return names.empty() ? fmt::format("{} over the map", options.value)
                         : fmt::format("{} over the map, {} over {}", options.value, how,
                                       fmt::join(names, ", "));
}

std::string nested(MapReader const& map, HeatmapOptions const& options,
                   std::vector<std::int64_t> const& axes, Terminal terminal)
{
    auto outer = other_axes(map, axes);
    if (outer.empty() || !map.space().is_grid()) {
        throw ConfigError{
            "cannot draw nested heatmaps",
            outer.empty() ? "the map has at most two axes" : "its cells are not a grid",
            "Use --others best or mean."};
    }
    auto reduced = outer;
    outer.resize(std::min<std::size_t>(outer.size(), 2));
    reduced.erase(reduced.begin(), reduced.begin() + std::ssize(outer));
    auto const image = project_nested(elites_without_controllers(map), map.bc_names(), axes, outer,
                                      chosen_value(options.value));
    // A file or pipe has no width: up to a limit no cells need be merged to fit.
    constexpr std::int64_t most = 2000;
    if (!terminal.interactive) {
        terminal.columns = static_cast<int>(std::min(4 * image.columns + 40, most));
    }
    HeatmapOptions best = options;
    best.others = OtherAxes::best;
    // Below the image, which may be higher than the screen.
    auto text =
        draw(image, terminal, std::min(image.rows, most)) + title(map, best, reduced) + '\n';
    auto const name = [names = short_names(map.bc_names())](std::int64_t axis) {
        return names[static_cast<std::size_t>(axis)];
    };
    text += fmt::format("to the right: {} within each {}\n", name(axes[0]), name(outer[0]));
    return outer.size() < 2
               ? text
               : text + fmt::format("upwards: {} within each {}\n", name(axes[1]), name(outer[1]));
}

}  // namespace

ExitCode heatmap(std::filesystem::path const& file, HeatmapOptions const& options,
                 Terminal const& terminal, std::ostream& out)
{
    MapReader const map{file};
    auto const axes = chosen_axes(map, options);
    if (options.others == OtherAxes::nested) {
        out << nested(map, options, axes, terminal);
        return ExitCode::success;
    }
    auto const reduction = options.others == OtherAxes::mean ? Reduction::mean : Reduction::best;
    auto const image = project(elites_without_controllers(map), map.bc_names(), axes.front(),
                               axes.back(), reduction, chosen_value(options.value));
    auto shown = terminal;
    shown.columns = std::min(terminal.columns, 100);
    out << title(map, options, other_axes(map, axes)) << '\n' << draw(image, shown);
    return ExitCode::success;
}

}  // namespace mees::inspect
