#include "mees/sim/detail/shipped_models.hpp"

#include "mees/core/error.hpp"

#include <functional>
#include <map>

namespace mees {

std::string_view shipped_file(std::string const& name)
{
    static std::map<std::string, std::string_view, std::less<>> const files{
#include "model_table.inc"
    };
    auto const found = files.find(name);
    expects(found != files.end(), "a file of this name ships with the program");
    return found->second;
}

}  // namespace mees
