#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// Least number of letters put in, left out, changed or swapped with their neighbour that turns `a`
/// into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` (the first of them at a tie); empty without candidates.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<std::string const> candidates);

/// "did you mean es.sigma?" where `nearest` is close to `name`, else "the nearest known name is
/// ...".
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<std::string const> candidates);

/// Text from outside made fit for a message: no control characters, cut after 80 bytes.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace mees
