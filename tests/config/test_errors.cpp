#include "catch.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"

#include <limits>

using namespace mees;

namespace {

KnownNames const known{{{"ant"}, {"ant_maze"}, {"deceptive_humanoid"}, {"mjcf"}},
                       {{"me-es"}, {"es"}}};

std::string message(std::string const& toml, std::vector<std::string> const& overrides = {})
{
    try {
        static_cast<void>(parse_settings(toml, "run.toml", overrides, known));
    } catch (ConfigError const& error) {
        CHECK(error.code() == ExitCode::bad_configuration);
        return error.what();
    }
    return "";
}

std::string override_message(std::string const& text)
{
    return message("", {text});
}

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("an unknown key is named with line, what is known and the nearest name")
{
    CHECK(message("[noise]\n\nsed = 3")
          == "run.toml: line 3: unknown key noise.sed ([noise] has table_size, seed) did you mean "
             "seed?");
    CHECK_THAT(message("[run]\npopulation = 10"),
               StartsWith("run.toml: line 2: unknown key run.population")
                   && ContainsSubstring("did you mean es.population?"));
    CHECK_THAT(message("[domain]\nseed = 10"),
               ContainsSubstring("did you mean run.seed or noise.seed?"));
    CHECK_THAT(message("[noise]\nxyzxyzxyzxyz = 1"),
               ContainsSubstring("the nearest known name is table_size"));
    CHECK_THAT(message("[es.x]\ny = 1"), StartsWith("run.toml: line 1: unknown key es.x"));
    CHECK_THAT(message("[es]\n\"a\\u001b[2J\" = 1"), ContainsSubstring("unknown key es.a?[2J"));
}

TEST_CASE("an unknown section, or a key outside any, is named")
{
    CHECK(message("[algoritm]\nname = \"es\"")
          == "run.toml: line 1: unknown section algoritm (sections: run, domain, policy, noise, es, "
             "map, algorithm, checkpoint, log) did you mean algorithm?");
    CHECK_THAT(message("population = 10"), ContainsSubstring("did you mean es.population?"));
    CHECK_THAT(message("\nes = 10"), StartsWith("run.toml: line 2: es is a whole number (it is a "
                                                "section with the keys population, sigma"));
    CHECK_THAT(message("[[es]]\nsigma = 1"), ContainsSubstring("es is a list"));
}

TEST_CASE("a wrong type is named with what is allowed")
{
    CHECK(message("[es]\npopulation = \"many\"")
          == "run.toml: line 2: es.population is a text (allowed: a whole number from 2 to "
             "1000000000, even) the default is 10000");
    CHECK_THAT(message("[es]\npopulation = 1e4"),
               ContainsSubstring("a number with a decimal point or exponent")
                   && ContainsSubstring("write 10000"));
    CHECK_THAT(message("[es]\nsigma = true"), ContainsSubstring("es.sigma is true or false"));
    CHECK_THAT(message("[es]\npaired_seeds = 1"), ContainsSubstring("(allowed: true or false)"));
    CHECK_THAT(message("[map]\nbins = 10"),
               ContainsSubstring("map.bins is a whole number (allowed: a list"));
    CHECK_THAT(message("[map]\nbins = [10, \"a\"]"),
               ContainsSubstring("map.bins is a list of something"));
    CHECK_THAT(message("[run]\nseed = 2020-01-01"),
               ContainsSubstring("run.seed is a date or time"));
    CHECK_THAT(message("[es.sigma]\nx = 1"), ContainsSubstring("es.sigma is a table"));
}

TEST_CASE("an impossible value is named with what is allowed")
{
    CHECK(message("[es]\nsigma = 0.01\npopulation = 101")
          == "run.toml: line 3: es.population = 101 is impossible (allowed: a whole number from 2 to "
             "1000000000, even) the default is 10000");
    for (auto const* text : {"[run]\nseed = -1",
                             "[run]\ngenerations = -1",
                             "[es]\npopulation = 0",
                             "[es]\npopulation = -2",
                             "[es]\nsigma = 0",
                             "[es]\nsigma = -0.02",
                             "[es]\nsigma = nan",
                             "[es]\nl2 = inf",
                             "[map]\nqd_offset = nan",
                             "[map]\nqd_offset = -inf",
                             "[map]\nlower = [0, nan]\nupper = [1, 1]",
                             "[algorithm]\nnovelty_k = 0",
                             "[algorithm]\nparents = 0",
                             "[algorithm]\nn_eval = 0",
                             "[algorithm]\nchildren = 0",
                             "[algorithm]\nn_optim_gens = 0",
                             "[algorithm]\nnsra_weight = 1.5",
                             "[algorithm]\nexplore_share = -0.1",
                             "[policy]\nobservation_fraction = 2",
                             "[policy]\nhidden = [32, 0]",
                             "[map]\nbins = [10, 0]",
                             "[noise]\ntable_size = 1",
                             "[checkpoint]\nevery_seconds = -1",
                             "[domain]\nepisode_steps = -5",
                             "[domain]\nframe_skip = 0",
                             "[domain]\nmodel = \"a\\u0000b\""}) {
        INFO(text);
        CHECK_THAT(message(text),
                   StartsWith("run.toml: line 2: ") && ContainsSubstring(" is impossible")
                       && ContainsSubstring("(allowed: ") && ContainsSubstring("the default is"));
    }
}

TEST_CASE("an unknown choice is named with the choices and the nearest")
{
    CHECK(message("[algorithm]\nmode = \"exploi\"")
          == "run.toml: line 2: algorithm.mode = \"exploi\" is unknown (allowed: explore, exploit, "
             "explore-exploit) did you mean exploit?");
    CHECK_THAT(message("[domain]\nname = \"antmaze\""),
               ContainsSubstring("ant, ant_maze, deceptive_humanoid")
                   && ContainsSubstring("did you mean ant_maze?"));
    CHECK_THAT(message("[algorithm]\nobjectives = [\"fitness\", \"novelti\"]"),
               ContainsSubstring("algorithm.objectives names \"novelti\", which is unknown")
                   && ContainsSubstring("did you mean novelty?"));
    for (auto const* text :
         {"[policy]\ninit = \"he\"", "[es]\noptimizer = \"adamw\"", "[log]\nlevel = \"loud\"",
          "[algorithm]\nnovelty_metric = \"l1\"", "[algorithm]\nexplore_cells = \"best\""}) {
        CHECK_THAT(message(text), ContainsSubstring("is unknown (allowed: "));
    }
}

TEST_CASE("domains made elsewhere can be named")
{
    auto const text = "[domain]\nname = \"my_robot\"";
    CHECK_THAT(message(text), ContainsSubstring("domain.name = \"my_robot\" is unknown"));
    CHECK(parse_settings(text, "x", {}, {.domains = {{"ant"}, {"my_robot"}}}).domain.name
          == "my_robot");
    CHECK(parse_settings(text, "x", {}, {}).domain.name == "my_robot");
}

TEST_CASE("values that contradict each other are refused where one was given")
{
    CHECK_THAT(message("[map]\nbins = [5, 5]\nlower = [0, 0]\nupper = [1, 0]"),
               StartsWith("run.toml: line 3: map.lower = [0.0, 0.0] is impossible"));
    CHECK_THAT(message("[map]\nlower = [0, 0]"), StartsWith("run.toml: line 2: map.upper"));
    CHECK_THAT(message("[map]\nupper = [0, 0]"), StartsWith("run.toml: line 2: map.lower"));
    CHECK_THAT(message("[map]\nlower = [0, 0]\nupper = [1, 1]\nbins = [5]"),
               ContainsSubstring(
                   "map.lower = [0.0, 0.0] is impossible (allowed: a list of numbers, one for "
                   "each of bins and upper"));
    CHECK_THAT(message("[map]\nlower = [-1e308]\nupper = [1e308]"),
               ContainsSubstring("is impossible"));
    CHECK_THAT(message("[map]\nbins = [100000, 100000, 1000]"),
               ContainsSubstring("at most 1e12 cells"));
    CHECK_THAT(message("[map]\ncvt_cells = 60000"),
               StartsWith("run.toml: line 2: map.cvt_samples = 50000 is impossible"));
    CHECK_THAT(message("[algorithm]\nobjectives = [\"fitness\", \"fitness\"]"),
               ContainsSubstring("none twice"));
    CHECK_THAT(message("[domain]\nheight_lower = 2\nheight_upper = 1"),
               StartsWith("run.toml: line 2: domain.height_lower = 2.0 is impossible"));
    CHECK_THAT(message("[domain]\nobservation = []"), ContainsSubstring("at least one"));
    CHECK_THAT(message("[domain]\nname = \"mjcf\""),
               StartsWith("run.toml: line 2: domain.model is missing"));
    CHECK_THAT(message("[domain]\nname = \"mjcf\"\nmodel = \"m.xml\"\nbc = \"contact_share\""),
               StartsWith("run.toml: line 4: domain.bc_geoms is missing"));
}

TEST_CASE("a description that speaks of what it leaves out is refused")
{
    std::string const own = "[domain]\nname = \"mjcf\"\nmodel = \"m.xml\"\n";
    for (auto const* bound : {"height_lower = 0.5", "height_upper = 2"}) {
        CHECK_THAT(message(own + bound),
                   StartsWith("run.toml: line 4: domain.height_body is missing"));
        CHECK(message(own + bound + "\nheight_body = \"torso\"").empty());
        CHECK(message(std::string{"[domain]\n"} + bound).empty());
    }
    std::string const skip = own + "observation_skip = 2\n";
    CHECK_THAT(
        message(skip + "observation = [\"qvel\"]"),
        StartsWith("run.toml: line 4: domain.observation_skip = 2 has nothing to leave out"));
    CHECK(message(skip).empty());
    CHECK_THAT(
        message("[domain]\nbc_geoms = [\"a\", \"b\", \"a\"]"),
        StartsWith("run.toml: line 2: domain.bc_geoms = ") && ContainsSubstring("none twice"));
}

TEST_CASE("a wrong reward term is named")
{
    auto const term = [](std::string const& text) { return message("[[domain.reward]]\n" + text); };
    CHECK(term("kind = \"alive\"\nwight = 2")
          == "run.toml: line 3: unknown key wight in a domain.reward (known: kind, weight, body, "
             "site, point) did you mean weight?");
    CHECK_THAT(term("kind = \"alife\""), ContainsSubstring("did you mean alive?"));
    CHECK_THAT(term("weight = 1"), ContainsSubstring("line 1: a domain.reward has no kind"));
    CHECK_THAT(term("kind = 3"),
               ContainsSubstring("line 2: kind of a domain.reward is a whole number"));
    CHECK_THAT(term("kind = \"distance\""), ContainsSubstring("either site or point, not both"));
    CHECK_THAT(term("kind = \"distance\"\nsite = \"a\"\npoint = [1, 2]"),
               ContainsSubstring("not both"));
    CHECK_THAT(term("kind = \"distance\"\npoint = [1]"), ContainsSubstring("has 1 numbers"));
    CHECK_THAT(term("kind = \"alive\"\nweight = nan"), ContainsSubstring("is impossible"));
    CHECK_THAT(message("[domain]\nreward = [1]"),
               ContainsSubstring("domain.reward is a list of something"));
}

TEST_CASE("syntax errors name file and line")
{
    CHECK_THAT(message("[run]\nseed = = 3"),
               StartsWith("run.toml: line 2: ") && ContainsSubstring("(TOML syntax, column "));
    CHECK_THAT(message("[run]\nseed = 1\nseed = 2"), StartsWith("run.toml: line 3: "));
    CHECK_THAT(message("[run\nseed = 1"), StartsWith("run.toml: line 1: "));
    CHECK_THAT(message("[run]\nseed = 99999999999999999999"), StartsWith("run.toml: line 2: "));
    CHECK_THAT(message("\xff\xfe\x41"), StartsWith("run.toml: line 1: "));
    CHECK_THAT(message("x = " + std::string(5000, '[')), StartsWith("run.toml: line 1: "));
}

TEST_CASE("errors of the command line name the option")
{
    CHECK(override_message("noise.sed=3")
          == "--set noise.sed=3: unknown key noise.sed ([noise] has table_size, seed) did you mean "
             "seed?");
    CHECK_THAT(override_message("ess.sigma=1"), StartsWith("--set ess.sigma=1: unknown section ess")
                                                    && ContainsSubstring("did you mean es?"));
    CHECK_THAT(override_message("es.population=3"),
               StartsWith("--set es.population=3: es.population = 3 is impossible"));
    CHECK_THAT(override_message("es.sigma=big"),
               StartsWith("--set es.sigma=big: the value of es.sigma cannot be read (allowed: "));
    CHECK_THAT(override_message("algorithm.name=mees"), ContainsSubstring("did you mean me-es?"));
    CHECK_THAT(override_message("es.sigma=1\n[run]"), ContainsSubstring("cannot be read"));
    CHECK_THAT(override_message("es.sigma="), ContainsSubstring("cannot be read"));
    CHECK_THAT(override_message("policy.hidden=1]\n"), ContainsSubstring("cannot be read"));
    CHECK_THAT(override_message("domain.model=\xff"), ContainsSubstring("cannot be read"));
    for (auto const* text : {"", "=", "seed", "seed=3", ".", "run=1.5"}) {
        CHECK_THAT(override_message(text), ContainsSubstring("section.key=value"));
    }
    CHECK_THAT(message("[map]\ncvt_cells = 100", {"map.cvt_samples=50"}),
               StartsWith("--set map.cvt_samples=50: map.cvt_samples = 50 is impossible"));
}

TEST_CASE("settings made by code are held to the same rules")
{
    Settings settings;
    settings.es.population = 3;
    CHECK_THROWS_AS(validate(settings), ConfigError);
    settings = {};
    settings.es.sigma = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(validate(settings), ConfigError);
}
