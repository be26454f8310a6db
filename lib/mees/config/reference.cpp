#include "mees/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace mees {
namespace {

std::string_view section_title(std::string_view section)
{
    static std::map<std::string_view, std::string_view> const titles{
        {"run", "seed and length"},
        {"domain", "the robot and its environment"},
        {"policy", "the neural network that controls it"},
        {"noise", "the table of random numbers that perturbations are slices of"},
        {"es", "one step of the evolution strategy"},
        {"map", "the cells of the map"},
        {"algorithm", "the search"},
        {"checkpoint", "when the state is saved"},
        {"cluster", "ranks that do not answer"},
        {"log", "messages"},
    };
    return titles.at(section);
}

std::string row(Key const& key, KnownNames const& known)
{
    auto const names = names_of(known.of_key(key.full_name()));
    std::string description{key.description};
    if (key.owner) {
        description += fmt::format(" *Only with {}.*", key.owner->condition(known, "`"));
    }
    return fmt::format(
        "| `{}` | `{}` | {} | {} |\n", key.name, to_toml(key.default_value()),
        names.empty() ? allowed_values(key) : fmt::format("one of {}", fmt::join(names, ", ")),
        description);
}

}  // namespace

std::string configuration_reference(KnownNames const& known)
{
    std::string page =
        "# Configuration reference\n\n"
        "Every key that a configuration file, or `--set section.key=value`, can set. A key that is "
        "left out has its\ndefault, which is the paper's value. Unknown keys, wrong types and "
        "invalid values are rejected with file, line\nand the nearest known name. A key that the "
        "chosen algorithm, domain or map does not use is checked, accepted and\nreported once in "
        "the log, so that `--set algorithm.name=...` works on any preset.\n\n"
        "`mees_master FILE --show-config` prints the effective configuration, including defaults. "
        "With `--set`, strings need no\nquotes and lists no brackets: "
        "`--set algorithm.name=es --set policy.hidden=32,32`.\n\n"
        "This page is generated from the descriptions in `lib/mees/config`; a test keeps it "
        "current.\n";
    std::string_view section;
    for (auto const& key : schema()) {
        if (key.section != section) {
            section = key.section;
            page += fmt::format(
                "\n## `[{}]`: {}\n\n| key | default | allowed | meaning |\n"
                "| --- | --- | --- | --- |\n",
                section, section_title(section));
        }
        page += row(key, known);
    }
    return page;
}

}  // namespace mees
