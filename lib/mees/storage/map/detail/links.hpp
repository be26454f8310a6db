#pragma once

// Earlier links of chains of controllers in a map file: each distinct one is a row of
// /map/link_parameters, and a row of indices into them describes the chain of a record.

#include "mees/policy/controller.hpp"
#include "mees/storage/map/file.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace mees::layout {

inline constexpr char const* link_parameters = "/map/link_parameters";
inline constexpr char const* link_mean = "/map/link_observation_mean";
inline constexpr char const* link_std = "/map/link_observation_std";
inline constexpr char const* elite_links = "/map/links";
inline constexpr char const* elite_link_index = "/map/link_index";
inline constexpr char const* emitter_link_index = "/state/emitter/link_index";
inline constexpr char const* candidate_link_index = "/state/candidate/link_index";

/// The distinct earlier links of a document's controllers, in order of first use: equal links are
/// one row, wherever in memory they are.
class LinkTable {
  public:
    explicit LinkTable(State const& state);

    /// Plain maps have no such links.
    [[nodiscard]] bool empty() const { return links_.empty(); }
    [[nodiscard]] std::vector<Controller const*> const& links() const { return links_; }
    /// Of the longest chain, without its last link.
    [[nodiscard]] std::int64_t width() const { return width_; }
    /// The rows of these links, the first link first; `width()` numbers, -1 after the last.
    [[nodiscard]] std::vector<std::int32_t> row(ControllerPtr const& before) const;

  private:
    std::int32_t add(Controller const* link);
    [[nodiscard]] std::int32_t find_equal(Controller const& link, std::size_t hash,
                                          std::int32_t before) const;

    std::vector<Controller const*> links_;
    std::vector<std::int32_t> before_;  ///< of each: the row of the link before it
    std::unordered_map<Controller const*, std::int32_t> rows_;
    std::unordered_multimap<std::size_t, std::int32_t> by_content_;
    std::int64_t width_{0};
};

/// Reads chains. Each link is in memory once, however many chains share it, or has no parameters
/// if controllers are dropped.
class LinkReader {
  public:
    explicit LinkReader(MapReader const& map, Controllers controllers = Controllers::kept);

    /// The links before row `row` of a record whose indices are in `dataset`; null if it has none
    /// or the file has no chains.
    [[nodiscard]] ControllerPtr before(std::string const& dataset, std::int64_t row);

    /// Throws FileError unless the file has all datasets of chains or none, and the chains that
    /// were read use every link.
    void require_complete() const;

  private:
    [[nodiscard]] ControllerPtr read(std::int32_t row, ControllerPtr before) const;

    MapReader const& map_;
    Controllers controllers_;
    std::int64_t rows_{0};
    struct Link {
        ControllerPtr controller;
        std::int32_t before;
    };
    std::unordered_map<std::int32_t, Link> links_;
};

}  // namespace mees::layout
