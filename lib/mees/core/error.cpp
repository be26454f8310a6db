#include "mees/core/error.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

std::string compose(std::string_view problem, std::string_view why, std::string_view remedy)
{
    auto text = std::string{problem};
    if (!why.empty()) {
        text += fmt::format(" ({})", why);
    }
    if (!remedy.empty()) {
        text += fmt::format(". {}", remedy);
    }
    return text;
}

}  // namespace

Error::Error(ExitCode code, std::string_view problem, std::string_view why, std::string_view remedy)
    : std::runtime_error{compose(problem, why, remedy)}, code_{code}
{
}

void contract_violated(char const* what, char const* file, int line)
{
    throw ContractViolation{
        fmt::format("internal error: {}:{}: contract violated: {}", file, line, what)};
}

}  // namespace mees
