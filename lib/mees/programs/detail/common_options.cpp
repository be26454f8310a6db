#include "mees/programs/detail/common_options.hpp"

#include "mees/core/error.hpp"
#include "mees/core/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace mees {
namespace {

constexpr std::int64_t most_threads = 4096;
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::string integer_problem(std::string const& text, std::int64_t lower, std::int64_t upper)
{
    std::int64_t value = 0;
    auto const* const last = text.data() + text.size();
    auto const [end, error] = std::from_chars(text.data(), last, value);
    if (error == std::errc{} && end == last && value >= lower && value <= upper) {
        return {};
    }
    auto const range = upper == largest ? fmt::format("of at least {}", lower)
                                        : fmt::format("from {} to {}", lower, upper);
    return fmt::format("{}: must be an integer {}", escaped(text.substr(0, 80)), range);
}

std::optional<double> finite_number(std::string const& text)
{
    auto const* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    auto const* const last = text.data() + text.size();
    double value = 0;
    auto const [end, error] = std::from_chars(begin, last, value);
    bool const valid = error == std::errc{} && end == last && std::isfinite(value);
    return valid ? std::optional{value} : std::nullopt;
}

std::string real_problem(std::string const& text, double lower, double upper)
{
    if (auto const value = finite_number(text); value && *value >= lower && *value <= upper) {
        return {};
    }
    auto const expected = lower == -unbounded && upper == unbounded
                              ? std::string{"must be a finite number"}
                              : fmt::format("must be a number from {:g} to {:g}", lower, upper);
    return fmt::format("{}: {}", escaped(text.substr(0, 80)), expected);
}

CLI::Option* add_map_file(CLI::App& app, std::filesystem::path& file, std::string const& name,
                          std::string const& description, std::filesystem::path* folder)
{
    return app
        .add_option_function<std::string>(
            name,
            [&file, folder](std::string const& given) {
                file = given;
                std::error_code error;
                if (std::filesystem::is_regular_file(file / "map.h5", error)) {
                    if (folder != nullptr) {
                        *folder = file;
                    }
                    file /= "map.h5";
                }
            },
            description)
        ->type_name("FILE");
}

CLI::Option* add_episodes(CLI::App& app, std::int32_t& episodes, std::string const& description)
{
    return add_integer(app, "--episodes", episodes, 1, 1'000'000, description);
}

CLI::Option* add_seed(CLI::App& app, std::optional<std::int64_t>& seed)
{
    return add_integer(app, "--seed", seed, 0, largest, "Seed for initial states [the run's seed]");
}

CLI::Option* add_force(CLI::App& app, Existing& existing)
{
    return app.add_flag_callback(
        "--force", [&existing] { existing = Existing::replace; },
        "Overwrite existing output files; never the input");
}

CLI::Option* add_damages(CLI::App& app, std::vector<std::string>& damages,
                         std::string const& description)
{
    return app.add_option("--damage", damages, description + "; repeatable")
        ->type_name("DAMAGE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
}

CLI::Option* add_model(CLI::App& app, std::filesystem::path& model)
{
    return app
        .add_option("--model", model,
                    "MJCF file of the robot, instead of the model that the map carries")
        ->type_name("FILE");
}

CLI::Option* add_allow_command(CLI::App& app, bool& allow)
{
    return app.add_flag("--allow-command", allow,
                        "Run the command that the map of a process domain names, although you have "
                        "not trained with it: it can do anything that you can");
}

CLI::Option* add_conditions(CLI::App& app, std::vector<std::string>& overrides)
{
    return app
        .add_option("--set", overrides,
                    "Run the episodes under other conditions than the run's, such as "
                    "domain.episode_steps=1000 or domain.integrator=rk4; repeatable")
        ->type_name("domain.KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
}

CLI::Option* add_threads(CLI::App& app, unsigned& threads, std::string const& description)
{
    return add_integer(app, "--threads", threads, 0, most_threads, description + " [all cores]");
}

CLI::Option* add_time_limit(CLI::App& app, std::string& limit)
{
    return app
        .add_option(
            "--time-limit", limit,
            "Save and stop before this much time has passed, such as 3h50m [end of the SLURM job]")
        ->type_name("TIME");
}

void require_distinct(std::vector<std::pair<std::string, std::filesystem::path>> const& outputs)
{
    std::map<std::filesystem::path, std::string> known;
    for (auto const& [name, path] : outputs) {
        if (path.empty()) {
            continue;
        }
        auto const [same, is_new] =
            known.emplace(std::filesystem::weakly_canonical(std::filesystem::absolute(path)), name);
        if (!is_new) {
            throw ConfigError{fmt::format("invalid {} {}", name, path.string()),
                              fmt::format("it is also the file of {}", same->second),
                              "Choose another name."};
        }
    }
}

}  // namespace mees
