#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace mees {

/// What a program's exit status tells a job script.
enum class ExitCode : int {
    success = 0,
    failure = 1,
    bad_configuration = 2,
    unusable_file = 3,
    stopped_early = 75,
};

/// A problem of the world, not of the code: reads "what is wrong (why) what to do".
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, std::string_view problem, std::string_view why, std::string_view remedy);
    Error(ExitCode code, std::string const& message) : std::runtime_error{message}, code_{code} {}

    [[nodiscard]] ExitCode code() const { return code_; }

  private:
    ExitCode code_;
};

/// A command line or configuration that cannot be run.
class ConfigError : public Error {
  public:
    ConfigError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::bad_configuration, problem, why, remedy}
    {
    }
};

/// A checkpoint, map or model file that cannot be used.
class FileError : public Error {
  public:
    FileError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::unusable_file, problem, why, remedy}
    {
    }
};

/// The physics engine could not do what was asked.
class SimulationError : public Error {
  public:
    SimulationError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

/// A rank failed, or the ranks cannot work together.
class ClusterError : public Error {
  public:
    ClusterError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

/// A broken contract between two pieces of this code: a bug, never a user's mistake.
class ContractViolation : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] void contract_violated(char const* what);

/// Checks what the caller promised.
inline void expects(bool condition, char const* what)
{
    if (!condition) [[unlikely]] {
        contract_violated(what);
    }
}

}  // namespace mees
