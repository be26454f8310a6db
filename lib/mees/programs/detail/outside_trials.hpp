#pragma once

#include "mees/programs/detail/options.hpp"

#include <ostream>

namespace mees {

/// mees_adapt --ask and --tell: the next trial of an adaptation whose trials
/// are made elsewhere, and the result of one. The state is in the file
/// `options.out`, which is replaced in one step and locked meanwhile, so that
/// the program may be interrupted at any time and be run again. Prints one JSON
/// object. Throws ConfigError for --tell without a trial that was asked for, for another trial than
/// that of --trial, and for what may be the repetition of a call with both options.
void run_outside_trials(AdaptOptions const& options, std::ostream& out);

}  // namespace mees
