#include "mees/algorithms/registry.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

// One line per algorithm: the function, in a file of this folder, that describes it.
#define MEES_ALGORITHMS(X) \
    X(me_es)               \
    X(me_ga)               \
    X(ns_es)               \
    X(nsr_es)              \
    X(nsra_es)             \
    X(plain_es)            \
    X(memes)               \
    X(ga)                  \
    X(ns)                  \
    X(nslc)                \
    X(cma_mae)             \
    X(cma_me)              \
    X(cma_mega)

namespace mees {

#define MEES_DECLARE(function) AlgorithmType function();
#define MEES_CALL(function) function(),

MEES_ALGORITHMS(MEES_DECLARE)

AlgorithmRegistry::AlgorithmRegistry() : types_{MEES_ALGORITHMS(MEES_CALL)} {}

#undef MEES_CALL
#undef MEES_DECLARE
#undef MEES_ALGORITHMS

void AlgorithmRegistry::add(AlgorithmType type)
{
    expects(std::ranges::find(types_, type.name(), &AlgorithmType::name) == types_.end(),
            "a new name for an algorithm");
    types_.push_back(std::move(type));
}

AlgorithmType const& AlgorithmRegistry::find(std::string const& name) const
{
    auto const found = std::ranges::find(types_, name, &AlgorithmType::name);
    if (found == types_.end()) {
        throw ConfigError{fmt::format("unknown algorithm.name = \"{}\"", name),
                          fmt::format("known: {}", fmt::join(names_of(known()), ", ")),
                          "Use one of these."};
    }
    return *found;
}

std::vector<KnownName> AlgorithmRegistry::known() const
{
    std::vector<KnownName> names;
    for (auto const& type : types_) {
        names.push_back(type.known);
    }
    return names;
}

}  // namespace mees
