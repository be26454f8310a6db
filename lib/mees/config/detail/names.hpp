#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// The least number of letters inserted, deleted, changed or swapped with their neighbour that
/// turns `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` (the first of them at a tie), or, if none is close, one that
/// begins with the same letters; empty without candidates.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<std::string const> candidates);

/// "Did you mean es.sigma?" where the nearest candidate is close to `name`, else "The nearest known
/// name is es.sigma."
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<std::string const> candidates);

/// A string from outside as a message shows it: no control characters, cut after 80 bytes.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace mees
