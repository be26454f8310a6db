#pragma once

#include "mees/policy/normaliser.hpp"
#include "mees/policy/parameters.hpp"

#include <cstdint>
#include <memory>

namespace mees {

struct Controller;
using ControllerPtr = std::shared_ptr<Controller const>;

/// Parameters of a network and the normaliser that belongs to them. Never changed once made, so
/// that map, batch and checkpoint share one copy.
///
/// A controller may be the last link of a chain: those of `before` act first, each for the same
/// number of control steps, then this one to the end of the episode.
struct Controller {
    Parameters parameters;
    Normaliser normaliser;
    ControllerPtr before{};  ///< null: the first link, which is all of most controllers
};

/// How many links the chain has that ends with this controller.
[[nodiscard]] inline std::int64_t links_of(ControllerPtr const& last)
{
    std::int64_t links = 0;
    for (auto const* link = last.get(); link != nullptr; link = link->before.get()) {
        ++links;
    }
    return links;
}

}  // namespace mees
