#pragma once

#include "mees/core/stream.hpp"
#include "mees/storage/map/document.hpp"
#include "scratch_folder.hpp"

#include <cstdint>

namespace mees::test {

struct SampleShape {
    std::int64_t elites{6};
    std::int64_t generations{8};
    std::int64_t emitters{2};
    std::vector<std::int64_t> layers{3, 4, 2};
};

/// A made-up but consistent snapshot of a search, drawn from a seed.
[[nodiscard]] MapDocument sample_document(std::uint64_t seed, SampleShape const& shape = {});

/// The same search a generation later: one elite more, or a fitter one, and new novelties.
[[nodiscard]] MapDocument next_generation(MapDocument document);

}  // namespace mees::test
