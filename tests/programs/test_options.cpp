#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/programs/detail/master.hpp"
#include "mees/programs/detail/options.hpp"

#include <array>

using namespace mees;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<char const*>;

namespace {

/// What `parse` makes of a command line.
template <class Options>
Parsed<Options> parsed(Parsed<Options> (*parse)(int, char const* const*), Words words)
{
    words.insert(words.begin(), "program");
    return parse(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST_CASE("the command line of mees_master")
{
    auto const options = parsed(parse_master_options,
                                {"a.toml", "--resume", "never", "--set", "es.sigma=0.1", "--seed",
                                 "3", "--set", "es.population=4", "--time-limit", "2m"})
                             .options.value();
    CHECK(options.config == "a.toml");
    CHECK(options.out.empty());
    CHECK(options.resume == Resume::never);
    CHECK(options.overrides
          == std::vector<std::string>{"es.sigma=0.1", "es.population=4", "run.seed=3"});
    CHECK(options.time_limit == std::chrono::minutes{2});
    CHECK(options.threads == 0);
    CHECK_FALSE(options.dry_run);
    CHECK(parsed(parse_master_options, {"a.toml"}).options.value().resume == Resume::automatic);
}

TEST_CASE("the command line of mees_adapt")
{
    auto const options =
        parsed(parse_adapt_options, {"runs/a/map.h5", "--damage", "J0,J1", "--damage", "paper",
                                     "--acquisition", "std", "--alpha", "0.9"})
            .options.value();
    CHECK(options.damages == std::vector<std::string>{"J0,J1", "paper"});
    CHECK(options.out == "runs/a/adapt.h5");
    CHECK(options.seeds == 1);
    CHECK(options.settings.optimiser.acquisition == Acquisition::std);
    CHECK(options.settings.optimiser.alpha == 0.9);
    CHECK_THROWS_AS(parsed(parse_adapt_options, {"map.h5"}), ConfigError);
}

TEST_CASE("the command line of mees_evaluate")
{
    auto const options =
        parsed(parse_evaluate_options, {"map.h5", "--episodes", "5", "--seed", "0", "--set",
                                        "domain.damage=J0", "--set", "domain.episode_steps=9"})
            .options.value();
    CHECK(options.file == "map.h5");
    CHECK(options.episodes == 5);
    CHECK(options.seed == 0);
    CHECK(options.overrides
          == std::vector<std::string>{"domain.damage=J0", "domain.episode_steps=9"});
    CHECK_THROWS_AS(parsed(parse_evaluate_options, {"map.h5", "--episodes", "0"}), ConfigError);
}

TEST_CASE("the command line of mees_refine")
{
    auto const options =
        parsed(parse_refine_options, {"map.h5", "--cells", "3,4", "--out", "new.h5", "--steps", "7",
                                      "--population", "10", "--sigma", "0.5"})
            .options.value();
    CHECK(options.cells == "3,4");
    CHECK(options.out == "new.h5");
    CHECK(options.settings.steps == 7);
    CHECK(options.settings.evaluate_every == 10);
    CHECK(options.population == 10);
    CHECK(options.sigma == 0.5);
    CHECK_FALSE(options.learning_rate);
    CHECK_THROWS_AS(parsed(parse_refine_options, {"map.h5", "--cells", "3"}), ConfigError);
    CHECK_THROWS_AS(parsed(parse_refine_options, {"map.h5", "--out", "new.h5"}), ConfigError);
    for (auto const& [option, value, why] : std::vector<std::array<char const*, 3>>{
             {"--population", "7", "mirrored pairs"},
             {"--population", "0", "must be an integer from 2"},
             {"--steps", "0", "must be an integer from 1"},
             {"--sigma", "nan", "must be a number above 0"},
             {"--sigma", "0", "must be a number above 0"},
             {"--learning-rate", "-1", "must be a number above 0"},
             {"--learning-rate", "1e9", "must be a number above 0"},
             {"--evaluate-every", "0", "must be an integer from 1"},
             {"--cells-at-once", "0", "must be an integer from 1"}}) {
        CHECK_THAT(message_of<ConfigError>([&, option = option, value = value] {
                       static_cast<void>(
                           parsed(parse_refine_options,
                                  {"map.h5", "--cells", "3", "--out", "new.h5", option, value}));
                   }),
                   ContainsSubstring(why));
    }
}

TEST_CASE("mees_replay takes a map or recordings, not both")
{
    CHECK(parsed(parse_replay_options, {"map.h5"}).options.value().cell == "best");
    auto const references =
        parsed(parse_replay_options, {"--check-reference", "a.h5", "b.h5"}).options.value();
    CHECK(references.references == std::vector<std::filesystem::path>{"a.h5", "b.h5"});
    CHECK_THROWS_AS(parsed(parse_replay_options, {}), ConfigError);
    auto const message = message_of<ConfigError>([] {
        static_cast<void>(
            parsed(parse_replay_options, {"--seed", "1", "--check-reference", "a.h5"}));
    });
    CHECK_THAT(message, ContainsSubstring("--seed cannot be combined with --check-reference"));
}

TEST_CASE("help and versions are printed instead of running")
{
    auto const help = parsed(parse_master_options, {"--help"});
    CHECK_FALSE(help.options);
    CHECK_THAT(help.text, ContainsSubstring("Usage: mees_master"));
    CHECK_THAT(parsed(parse_adapt_options, {"--version"}).text, ContainsSubstring("MuJoCo"));
}

TEST_CASE("an invalid command line is reported with its reason and the program's help")
{
    auto const message = message_of<ConfigError>([] {
        static_cast<void>(parsed(parse_master_options, {"a.toml", "--resume", "maybe"}));
    });
    CHECK_THAT(message, ContainsSubstring("invalid command line (--resume: maybe not in"));
    CHECK_THAT(message, ContainsSubstring("See mees_master --help."));
}

TEST_CASE("integers are decimal, and in range before they are converted")
{
    for (auto const* seed :
         {"9223372036854775808", "99999999999999999999999", "-1", "1.5", "", "0x1"}) {
        CHECK_THAT(message_of<ConfigError>([&] {
                       static_cast<void>(parsed(parse_replay_options, {"map.h5", "--seed", seed}));
                   }),
                   ContainsSubstring("must be an integer of at least 0"));
        CHECK_THROWS_AS(parsed(parse_evaluate_options, {"map.h5", "--seed", seed}), ConfigError);
    }
    CHECK(parsed(parse_replay_options, {"map.h5", "--seed", "9223372036854775807"})
              .options.value()
              .seed
          == 9223372036854775807);
    CHECK(parsed(parse_replay_options, {"map.h5", "--seed", "010"}).options.value().seed == 10);
    // The configuration checks it as it is.
    CHECK(parsed(parse_master_options, {"a.toml", "--seed", "9223372036854775808"})
              .options.value()
              .overrides
          == std::vector<std::string>{"run.seed=9223372036854775808"});
    for (auto const* threads : {"-1", "100000"}) {
        CHECK_THAT(
            message_of<ConfigError>([&] {
                static_cast<void>(parsed(parse_master_options, {"a.toml", "--threads", threads}));
            }),
            ContainsSubstring("must be an integer from 0 to 4096"));
    }
}

TEST_CASE("existing files are replaced with --force only")
{
    CHECK(parsed(parse_replay_options, {"map.h5"}).options.value().existing == Existing::keep);
    CHECK(parsed(parse_replay_options, {"map.h5", "--force"}).options.value().existing
          == Existing::replace);
    CHECK(parsed(parse_evaluate_options, {"map.h5", "--force"}).options.value().existing
          == Existing::replace);
    CHECK(parsed(parse_adapt_options, {"map.h5", "--damage", "J0", "--force"})
              .options.value()
              .existing
          == Existing::replace);
    CHECK_THROWS_AS(parsed(parse_adapt_options, {"map.h5", "--damage", "J0", "--out", "a.csv"}),
                    ConfigError);
}

TEST_CASE("real numbers are finite and in their range")
{
    auto const refuses = [](auto parse, Words words, std::vector<char const*> const& values,
                            char const* why) {
        for (auto const* value : values) {
            auto line = words;
            line.push_back(value);
            CHECK_THAT(message_of<ConfigError>([&] { static_cast<void>(parsed(parse, line)); }),
                       ContainsSubstring(words.back()) && ContainsSubstring(why));
        }
    };
    std::vector<char const*> const never{"nan", "-nan", "inf", "1e999", "x", "", "1 2"};
    for (auto const* name : {"--rho", "--kappa", "--noise-variance", "--alpha"}) {
        refuses(parse_adapt_options, {"a.h5", "--damage", "J0", name}, never, "must be a number");
    }
    refuses(parse_adapt_options, {"a.h5", "--damage", "J0", "--alpha"}, {"1.1", "0"},
            "must be a number from 1e-06 to 1");
    refuses(parse_adapt_options, {"a.h5", "--tell"}, never, "must be a finite number");
    for (auto const* name : {"--exploration", "--curiosity", "--discount", "--variance",
                             "--length-scale", "--elite-variance", "--noise-variance", "--rest"}) {
        refuses(parse_navigate_options, {"a.h5", "--targets", "t", name}, never,
                "must be a number");
    }
    refuses(parse_navigate_options, {"a.h5", "--targets", "t", "--min-fitness"}, never,
            "must be a finite number");
    refuses(parse_replay_options, {"a.h5", "--fps"}, never, "must be a number from 0.1 to 1000");
    refuses(parse_adapt_options, {"a.h5", "--damage", "J0", "--trials"}, {"nan", "1.5", "10001"},
            "must be an integer from 1 to 10000");
    auto const options =
        parsed(parse_navigate_options, {"a.h5", "--targets", "t", "--min-fitness", "-1.5e2",
                                        "--discount", "+1", "--rest", ".5"})
            .options.value();
    CHECK(options.least_fitness == -150);
    CHECK(options.settings.planner.discount == 1);
    CHECK(options.settings.rest_seconds == 0.5);
}

TEST_CASE("--trial belongs to --tell")
{
    auto const options =
        parsed(parse_adapt_options, {"a.h5", "--tell", "-2", "--trial", "7", "--ask"})
            .options.value();
    CHECK(options.tell == -2);
    CHECK(options.trial == 7);
    CHECK_THROWS_AS(parsed(parse_adapt_options, {"a.h5", "--ask", "--trial", "1"}), ConfigError);
    CHECK_THROWS_AS(parsed(parse_adapt_options, {"a.h5", "--tell", "1", "--trial", "0"}),
                    ConfigError);
}

TEST_CASE("the variants of mees_evaluate are given as they are, an empty list too")
{
    CHECK_FALSE(parsed(parse_evaluate_options, {"a.h5"}).options.value().variants);
    CHECK(parsed(parse_evaluate_options, {"a.h5", "--variants", ""}).options.value().variants
          == "");
}
