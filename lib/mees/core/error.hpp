#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace mees {

/// The exit status of a program, for job scripts.
enum class ExitCode : int {
    success = 0,
    failure = 1,
    bad_configuration = 2,
    unusable_file = 3,
    stopped_early = 75,
};

/// A problem in the environment or the input, not in the code. Reads "<problem> (<why>).
/// <Remedy>.", where the remedy is an imperative sentence that ends with a full stop. Without a
/// remedy the message ends after the parenthesis.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, std::string_view problem, std::string_view why, std::string_view remedy);

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

// The builtins are the caller's place; Clang 14, which analyses this code, has no
// std::source_location.
[[noreturn]] void contract_violated(char const* what, char const* file = __builtin_FILE(),
                                    int line = __builtin_LINE());

/// Checks a precondition. `what` states the condition that must hold, as a noun phrase or a
/// sentence: "a model that ships with the program".
inline void expects(bool condition, char const* what, char const* file = __builtin_FILE(),
                    int line = __builtin_LINE())
{
    if (!condition) [[unlikely]] {
        contract_violated(what, file, line);
    }
}

}  // namespace mees
