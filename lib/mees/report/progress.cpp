#include "mees/report/progress.hpp"

#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mees {
namespace {

std::string cell_text(std::optional<CellId> cell)
{
    return cell ? fmt::format("{}", cell->value()) : "-";
}

std::string rate_text(std::optional<double> rate)
{
    return rate ? short_number(*rate) : "-";
}

std::string eta_text(std::optional<double> seconds)
{
    return seconds ? duration(*seconds) : "-";
}

/// A part of the line; parts with a higher `weight` are placed first.
struct Part {
    int weight;
    std::string text;
    bool shown{false};

    /// Including the two spaces before it.
    [[nodiscard]] std::size_t width() const { return text.size() + 2; }
};

std::vector<Part> parts_of(Progress const& progress)
{
    auto const& record = progress.record;
    std::vector<Part> parts{
        {10, fmt::format("{}/{}", record.generation.value(), progress.generations)},
        {4, mode_name(record.mode)},
        {1, fmt::format("parent {}", cell_text(record.parent_cell))},
        {6, fmt::format("fitness {}", short_number(record.fitness))},
        {8, fmt::format("best {}", short_number(record.best))},
        {7, fmt::format("cells {}", record.coverage)},
        {5, fmt::format("QD {} (offset {})", short_number(record.qd_score),
                        plain_number(progress.qd_offset))},
        {2, fmt::format("novelty {}", short_number(record.novelty))},
        {3, fmt::format("{} ep/s", rate_text(progress.episodes_per_second))},
        {2, duration(progress.elapsed)},
        {9, fmt::format("ETA {}", eta_text(progress.remaining))},
    };
    if (progress.shows_weight) {
        parts.push_back({4, fmt::format("w {:.2f}", record.weight)});
    }
    return parts;
}

/// Marks the parts that fit into `room` columns; returns the columns they take.
std::size_t choose(std::vector<Part>& parts, std::size_t room)
{
    std::vector<Part*> order;
    for (auto& part : parts) {
        order.push_back(&part);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](Part const* a, Part const* b) { return a->weight > b->weight; });
    std::size_t used = 0;
    for (auto* part : order) {
        part->shown = used + part->width() <= room;
        used += part->shown ? part->width() : 0;
    }
    return used;
}

std::string bar(double share, std::size_t width, bool utf8)
{
    auto const full =
        static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width));
    std::string text;
    for (std::size_t i = 0; i < width; ++i) {
        text += i < full ? (utf8 ? "\u2588" : "#") : (utf8 ? "\u2591" : ".");
    }
    return text;
}

}  // namespace

std::string mode_name(Mode mode)
{
    switch (mode) {
        case Mode::exploit:
            return "exploit";
        case Mode::explore:
            return "explore";
        case Mode::other:
            break;
    }
    return "other";
}

std::string log_line(Progress const& progress)
{
    auto const& record = progress.record;
    auto const last = fmt::format("{}", progress.generations);
    return fmt::format(
        "gen {:>{}}/{}  {:<7}  parent {:>5}  fitness {:>9}  best {:>9}  cells {:>4}/{}  QD {:>9} "
        "(offset {})  novelty {:>7}{}  {:>6} ep/s  {:>7}  ETA {:>7}",
        record.generation.value(), last.size(), last, mode_name(record.mode),
        cell_text(record.parent_cell), short_number(record.fitness), short_number(record.best),
        record.coverage, progress.cells, short_number(record.qd_score),
        plain_number(progress.qd_offset), short_number(record.novelty),
        progress.shows_weight ? fmt::format("  w {:.2f}", record.weight) : "",
        rate_text(progress.episodes_per_second), duration(progress.elapsed),
        eta_text(progress.remaining));
}

std::string bar_line(Progress const& progress, Terminal const& terminal)
{
    constexpr std::size_t shortest_bar = 8;
    constexpr std::size_t longest_bar = 30;
    auto const room = static_cast<std::size_t>(std::max(terminal.columns, 20)) - 1;
    auto parts = parts_of(progress);
    auto const used = choose(parts, room - shortest_bar);
    auto const width = std::min(longest_bar, room - used);
    double const share = progress.generations > 0
                             ? static_cast<double>(progress.record.generation.value())
                                   / static_cast<double>(progress.generations)
                             : 1.0;
    auto line = bar(share, width, terminal.utf8);
    for (auto const& part : parts) {
        line += part.shown ? "  " + part.text : "";
    }
    return line;
}

}  // namespace mees
