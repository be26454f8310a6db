#pragma once

#include "mees/config/config.hpp"
#include "mees/experiment/catalogue.hpp"
#include "mees/storage/map/document.hpp"

namespace mees {

/// The settings of a new run. What the user leaves open: the offset of the QD score is the
/// domain's, the floor of the thresholds is that offset, and no more parents are selected than
/// there are children to select from.
[[nodiscard]] Settings complete(Configuration const& configuration, Catalogue const& catalogue,
                                TaskSpec const& spec);

/// A run that resumes keeps what the user leaves open. Returns whether that changes the settings.
[[nodiscard]] bool keep_stored(Settings& settings, Configuration const& configuration,
                               MapDocument const& stored);

/// The offset affects the metric alone: the history of a run that resumes is converted.
/// Returns whether it is another one.
[[nodiscard]] bool set_qd_offset(MapDocument& document, double offset);

}  // namespace mees
