#pragma once

#include "mees/core/error.hpp"

namespace mees {

/// A video cannot be made: a library or program is missing, or the file cannot be written.
class VideoError : public Error {
  public:
    VideoError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

}  // namespace mees
