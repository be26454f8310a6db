#pragma once

#include "mees/navigation/displacement_model.hpp"
#include "mees/navigation/navigator.hpp"

#include <string>
#include <string_view>

namespace mees {

/// A repertoire in one string, for sending it to other ranks.
[[nodiscard]] std::string pack(Repertoire const& repertoire);
[[nodiscard]] Repertoire unpack_repertoire(std::string_view packed);

/// Targets as `parse_targets` reads them.
[[nodiscard]] std::string to_toml(std::vector<GroundPoint> const& targets);

}  // namespace mees
