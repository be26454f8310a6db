#pragma once

#include "mees/core/error.hpp"

namespace mees {

/// A film cannot be made: something is not installed, or the disk does not take it.
class FilmError : public Error {
  public:
    FilmError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

}  // namespace mees
