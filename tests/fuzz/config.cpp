#include "fuzz/target.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"

using namespace mees;
using namespace mees::test;

namespace {

/// An accepted configuration can be written and read again unchanged.
void must_survive_writing(Configuration const& configuration)
{
    auto const text = to_toml(configuration.settings);
    auto const again = parse_settings(text, "written");
    must_hold(to_toml(again) == text, "a configuration that was written reads the same:\n" + text);
    must_hold(differences_that_forbid_resume(configuration.settings, again).empty(),
              "a run may go on with the configuration it has stored:\n" + text);
    static_cast<void>(foreign_keys(configuration, {}));
}

}  // namespace

/// The bytes are a configuration file, and also the argument of --set.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    try {
        must_survive_writing(read_configuration(MemoryFile{{data, size}}.path()));
    } catch (ConfigError const&) {
    }
    try {
        std::string const text(data, data + size);
        must_survive_writing(parse_configuration("", "nothing", {text}));
    } catch (ConfigError const&) {
    }
    return 0;
}
