#include "catch.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"

#include <limits>

using namespace mees;

namespace {

KnownNames const known{{{"ant"},
                        {"ant_maze"},
                        {"deceptive_humanoid"},
                        {"mjcf", {{KeyGroup::mjcf}}},
                        {"process", {{KeyGroup::process}}},
                        {"own"}},
                       {{"me-es"}, {"es"}}};

Settings read(std::string const& toml, std::vector<std::string> const& overrides = {})
{
    return parse_settings(toml, "run.toml", overrides, known);
}

std::string message(std::string const& toml, std::vector<std::string> const& overrides = {})
{
    return message_of<ConfigError>([&] { static_cast<void>(read(toml, overrides)); });
}

std::string override_message(std::string const& text)
{
    return message("", {text});
}

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("an unknown key is reported with its line, the known keys and the nearest name")
{
    CHECK(message("[noise]\n\nsed = 3")
          == "unknown key noise.sed (run.toml, line 3: [noise] has table_size, seed). Did you mean "
             "seed?");
    CHECK_THAT(message("[run]\npopulation = 10"),
               StartsWith("unknown key run.population (run.toml, line 2: ")
                   && ContainsSubstring("Did you mean es.population?"));
    CHECK_THAT(message("[domain]\nseed = 10"),
               ContainsSubstring("Did you mean run.seed or noise.seed?"));
    CHECK_THAT(message("[noise]\nxyzxyzxyzxyz = 1"),
               ContainsSubstring("The nearest known name is table_size."));
    CHECK_THAT(message("[es.x]\ny = 1"), StartsWith("unknown key es.x (run.toml, line 1: "));
    CHECK_THAT(message("[es]\n\"a\\u001b[2J\" = 1"), ContainsSubstring("unknown key es.a?[2J"));
}

TEST_CASE("an unknown section, or a key outside any section, is reported")
{
    CHECK(message("[algoritm]\nname = \"es\"")
          == "unknown section algoritm (run.toml, line 1: the sections are run, domain, policy, "
             "noise, es, map, algorithm, checkpoint, cluster, log). Did you mean algorithm?");
    CHECK_THAT(message("population = 10"), ContainsSubstring("Did you mean es.population?"));
    CHECK_THAT(message("\nes = 10"),
               StartsWith("invalid section es (run.toml, line 2: must be a section with the keys "
                          "population, sigma")
                   && ContainsSubstring(", not an integer). Write [es] above its keys."));
    CHECK_THAT(message("[[es]]\nsigma = 1"), ContainsSubstring(", not a list)"));
}

TEST_CASE("a wrong type is reported with what the value must be")
{
    CHECK(message("[es]\npopulation = \"many\"")
          == "invalid es.population (run.toml, line 2: must be an integer from 2 to 1000000000, "
             "even, not a string). Set es.population to a value such as 10000.");
    CHECK_THAT(message("[es]\npopulation = 1e4"),
               ContainsSubstring("a number with a decimal point or exponent")
                   && ContainsSubstring("Write 10000."));
    CHECK_THAT(message("[es]\nsigma = true"), ContainsSubstring(", not a boolean)"));
    CHECK_THAT(message("[es]\npaired_seeds = 1"),
               ContainsSubstring("must be true or false, not an integer"));
    CHECK_THAT(message("[map]\nbins = 10"), ContainsSubstring("must be a list of integers")
                                                && ContainsSubstring(", not an integer)"));
    CHECK_THAT(message("[map]\nbins = [10, \"a\"]"),
               ContainsSubstring("not a list of another type"));
    CHECK_THAT(message("[run]\nseed = 2020-01-01"), ContainsSubstring(", not a date or time)"));
    CHECK_THAT(message("[es.sigma]\nx = 1"), ContainsSubstring(", not a table)"));
}

TEST_CASE("an invalid value is reported with what it must be")
{
    CHECK(message("[es]\nsigma = 0.01\npopulation = 101")
          == "invalid es.population = 101 (run.toml, line 3: must be an integer from 2 to 1000000000, "
             "even). Set es.population to a value such as 10000.");
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
        CHECK_THAT(message(text), StartsWith("invalid ") && ContainsSubstring(" = ")
                                      && ContainsSubstring(" (run.toml, line 2: must be ")
                                      && EndsWith("."));
    }
}

TEST_CASE("an unknown choice is reported with the choices and the nearest one")
{
    CHECK(message("[algorithm]\nmode = \"exploi\"")
          == "invalid algorithm.mode = \"exploi\" (run.toml, line 2: must be one of explore, exploit, "
             "explore-exploit). Did you mean exploit?");
    CHECK_THAT(message("[domain]\nname = \"antmaze\""),
               ContainsSubstring("ant, ant_maze, deceptive_humanoid")
                   && ContainsSubstring("Did you mean ant_maze?"));
    CHECK_THAT(message("[algorithm]\nobjectives = [\"fitness\", \"novelti\"]"),
               ContainsSubstring("invalid entry \"novelti\" of algorithm.objectives")
                   && ContainsSubstring("Did you mean novelty?"));
    for (auto const* text :
         {"[policy]\ninit = \"he\"", "[es]\noptimizer = \"adamw\"", "[log]\nlevel = \"loud\"",
          "[algorithm]\nnovelty_metric = \"l1\"", "[algorithm]\nexplore_cells = \"best\""}) {
        CHECK_THAT(message(text), StartsWith("invalid ") && ContainsSubstring(": must be one of "));
    }
}

TEST_CASE("an objective is a name or a weighted sum")
{
    auto const objectives = [](std::string const& list) {
        return parse_settings("[algorithm]\nobjectives = " + list, "x", {}, {})
            .algorithm.objectives;
    };
    CHECK(objectives("['0.5*fitness + 0.5*novelty', 'max-ent']")
          == std::vector<Objective>{{.fitness = 0.5, .novelty = 0.5}, {.max_ent = 1}});
    CHECK(objectives("[' novelty+1e-3 * max-var  +fitness ']")
          == std::vector<Objective>{{.fitness = 1, .novelty = 1, .max_var = 1e-3}});
    CHECK(objectives("['.5*evolvability', '1e+2*fitness']")
          == std::vector<Objective>{{.evolvability = 0.5}, {.fitness = 100}});
    CHECK(to_string(Objective{.fitness = 0.25, .max_var = 1, .max_ent = 1e-7})
          == "0.25*fitness + max-var + 1e-07*max-ent");
    auto const given =
        parse_settings("", "x", {"algorithm.objectives=0.5*fitness+novelty,max-var"});
    CHECK(given.algorithm.objectives
          == std::vector<Objective>{{.fitness = 0.5, .novelty = 1}, {.max_var = 1}});
}

TEST_CASE("an invalid objective is reported with its cause")
{
    auto const fault = [](std::string const& entry) {
        return message("[algorithm]\nobjectives = [\"fitness\", \"" + entry + "\"]");
    };
    CHECK(fault("0.5*fitnes + novelty")
          == "invalid entry \"0.5*fitnes + novelty\" of algorithm.objectives (run.toml, line 2: "
             "unknown name fitnes: must be one of fitness, novelty, evolvability, max-var, max-ent, "
             "or a sum such as \"0.5*fitness + 0.5*novelty\" with positive weights). Did you mean "
             "fitness?");
    for (auto const* weight : {"0*novelty", "0.5novelty", "1e400*novelty", "2e6*novelty",
                               "0x1*novelty", "0.5", "1.2.3*novelty", "0.5*0.5*novelty x"}) {
        INFO(weight);
        CHECK_THAT(fault(weight), ContainsSubstring("of algorithm.objectives (run.toml, line 2: "));
    }
    CHECK_THAT(fault("0*novelty"), ContainsSubstring("a weight is a positive number")
                                       && EndsWith("Write it like \"0.5*fitness + 0.5*novelty\"."));
    CHECK_THAT(fault("-1*novelty"), ContainsSubstring("unknown name -1"));
    CHECK_THAT(fault("nan*novelty"), ContainsSubstring("unknown name nan"));
    CHECK_THAT(fault("novelty - fitness"), ContainsSubstring("terms are separated by +"));
    CHECK_THAT(fault("novelty fitness"), ContainsSubstring("terms are separated by +"));
    for (auto const* incomplete :
         {"", "  ", "novelty +", "+ novelty", "0.5*", "novelty + + fitness"}) {
        CHECK_THAT(fault(incomplete), ContainsSubstring("a name is missing"));
    }
    CHECK_THAT(fault("novelty + 2*novelty"), ContainsSubstring("novelty occurs twice"));
    // The same sum in another order is a duplicate, as is the same name.
    CHECK_THAT(message("[algorithm]\nobjectives = ['fitness + novelty', 'novelty + fitness']"),
               ContainsSubstring("without duplicates"));
    // A scale changes no rank; 0.1 + 0.2 is not 0.3 in floating point.
    CHECK_THAT(message("[algorithm]\nobjectives = ['0.1*fitness + 0.2*novelty', "
                       "'fitness + 2*novelty']"),
               ContainsSubstring("without duplicates"));
    CHECK_NOTHROW(parse_settings(
        "[algorithm]\nobjectives = ['fitness + novelty', 'fitness + 2*novelty']", "x"));
    CHECK_THAT(message("[algorithm]\nobjectives = [1]"),
               ContainsSubstring("must be a list of fitness"));
}

TEST_CASE("objectives that compare behaviours need the same initial states")
{
    KnownNames const known{.algorithms = {{"me-es", {{KeyGroup::modes}}}, {"es", {{}}}, {"own"}}};
    auto const seeds = [&](std::string const& name, std::string const& objective,
                           std::vector<std::string> const& overrides = {}) {
        return parse_settings(
                   "[algorithm]\nname = '" + name + "'\nobjectives = ['" + objective + "']",
                   "run.toml", overrides, known)
            .es.seeds;
    };
    CHECK(seeds("me-es", "0.5*fitness + 0.1*max-ent") == SharedSeeds::generation);
    CHECK(seeds("own", "max-var") == SharedSeeds::generation);
    CHECK(seeds("me-es", "max-var", {"es.seeds=generation"}) == SharedSeeds::generation);
    CHECK(seeds("me-es", "fitness + evolvability") == SharedSeeds::own);
    CHECK(seeds("es", "max-var") == SharedSeeds::own);  // which has no use for objectives
    for (auto const* setting : {"es.seeds=own", "es.seeds=pair", "es.paired_seeds=true"}) {
        auto const message = message_of<ConfigError>(
            [&] { static_cast<void>(seeds("me-es", "max-var", {setting})); });
        CHECK_THAT(message, StartsWith("invalid es.seeds = ")
                                && ContainsSubstring(std::string{"--set "} + setting)
                                && ContainsSubstring("Remove it, or set es.seeds"));
    }
}

TEST_CASE("the known domains decide which names are accepted")
{
    auto const text = "[domain]\nname = \"my_robot\"";
    CHECK_THAT(message(text), StartsWith("invalid domain.name = \"my_robot\" ("));
    CHECK(parse_settings(text, "x", {}, {.domains = {{"ant"}, {"my_robot"}}}).domain.name
          == "my_robot");
    CHECK(parse_settings(text, "x", {}, {}).domain.name == "my_robot");
}

TEST_CASE("values that contradict each other are reported where one was given")
{
    CHECK_THAT(message("[map]\nbins = [5, 5]\nlower = [0, 0]\nupper = [1, 0]"),
               StartsWith("invalid map.lower = [0.0, 0.0] (run.toml, line 3: "));
    CHECK_THAT(message("[map]\nlower = [0, 0]"),
               StartsWith("invalid map.upper = [] (run.toml, line 2: "));
    CHECK_THAT(message("[map]\nupper = [0, 0]"),
               StartsWith("invalid map.lower = [] (run.toml, line 2: "));
    CHECK_THAT(
        message("[map]\nlower = [0, 0]\nupper = [1, 1]\nbins = [5]"),
        ContainsSubstring(
            "invalid map.lower = [0.0, 0.0] (run.toml, line 2: must be a list of numbers, one "
            "for each of bins and upper"));
    CHECK_THAT(message("[map]\nlower = [-1e308]\nupper = [1e308]"), StartsWith("invalid "));
    CHECK_THAT(message("[map]\nbins = [100000, 100000, 1000]"),
               ContainsSubstring("at most 1e12 cells"));
    CHECK_THAT(message("[map]\ncvt_cells = 60000"),
               StartsWith("invalid map.cvt_samples = 50000 (run.toml, line 2: ")
                   && ContainsSubstring("at least 60000, better to 300000."));
    CHECK_THAT(message("[algorithm]\nobjectives = [\"fitness\", \"fitness\"]"),
               ContainsSubstring("without duplicates"));
    CHECK_THAT(message("[domain]\nheight_lower = 2\nheight_upper = 1"),
               StartsWith("invalid domain.height_lower = 2.0 (run.toml, line 2: "));
    CHECK_THAT(message("[domain]\nobservation = []"), ContainsSubstring("at least one"));
    CHECK_THAT(message("[domain]\nname = \"mjcf\""),
               StartsWith("missing domain.model (run.toml, line 2: "));
    CHECK_THAT(message("[domain]\nname = \"mjcf\"\nmodel = \"m.xml\"\nbc = \"contact_share\""),
               StartsWith("missing domain.bc_geoms (run.toml, line 4: "));
}

TEST_CASE("a built-in domain has its own BC or the displacement")
{
    KnownNames const known{{{"robot", {{KeyGroup::behaviour}}}}, {}};
    auto const of = [&](std::string const& bc) {
        return parse_settings("[domain]\nname = \"robot\"\nbc = \"" + bc + "\"", "run.toml", {},
                              known);
    };
    CHECK(of("displacement").domain.mjcf.bc == BehaviourKind::displacement);
    CHECK_NOTHROW(of("final_position"));  // the default, which every stored configuration has
    CHECK_NOTHROW(of("contact_share"));
    CHECK_THAT(message_of<ConfigError>([&] { static_cast<void>(of("mean_velocity")); }),
               StartsWith("invalid domain.bc = \"mean_velocity\" of the domain robot (run.toml, "
                          "line 3: "));
}

TEST_CASE("what a domain needs follows from what it is registered with")
{
    CHECK_THAT(message("[domain]\nname = \"process\""),
               StartsWith("missing domain.command (run.toml, line 2: domain.name = \"process\" "));
    CHECK_THAT(message("[domain]\nname = \"process\"\ncommand = [\"\"]"),
               StartsWith("missing domain.command (run.toml, line 2: "));
    CHECK_NOTHROW(read("[domain]\nname = \"process\"\ncommand = [\"env\"]"));
    CHECK_NOTHROW(read("[domain]\nname = \"own\""));
    auto const under = [](std::string const& name, KeyGroup group) {
        return message_of<ConfigError>([&] {
            static_cast<void>(parse_settings("[domain]\nname = \"" + name + "\"", "run.toml", {},
                                             {{{name, {{group}}}}, {}}));
        });
    };
    CHECK_THAT(under("simulator", KeyGroup::process),
               StartsWith("missing domain.command (run.toml, line 2: domain.name = \"simulator\""));
    CHECK_THAT(under("robot", KeyGroup::mjcf),
               StartsWith("missing domain.model (run.toml, line 2: domain.name = \"robot\""));
}

TEST_CASE("an integer that is too large is answered with the largest")
{
    CHECK(read("[run]\nseed = 9223372036854775807").run.seed
          == std::numeric_limits<std::int64_t>::max());
    CHECK_THAT(message("[run]\nseed = 9223372036854775808"),
               ContainsSubstring("run.toml, line 2") && EndsWith("at most 9223372036854775807."));
    CHECK_THAT(
        override_message("run.seed=9223372036854775808"),
        ContainsSubstring("must be an integer of at least 0 and at most 9223372036854775807"));
    CHECK_THAT(override_message("run.seed=seven"),
               ContainsSubstring("must be an integer of at least 0)"));
}

TEST_CASE("a description that refers to what it leaves out is rejected")
{
    std::string const own = "[domain]\nname = \"mjcf\"\nmodel = \"m.xml\"\n";
    for (auto const* bound : {"height_lower = 0.5", "height_upper = 2"}) {
        CHECK_THAT(message(own + bound),
                   StartsWith("missing domain.height_body (run.toml, line 4: "));
        CHECK_NOTHROW(read(own + bound + "\nheight_body = \"torso\""));
        CHECK_NOTHROW(read(std::string{"[domain]\n"} + bound));
    }
    std::string const skip = own + "observation_skip = 2\n";
    CHECK_THAT(message(skip + "observation = [\"qvel\"]"),
               StartsWith("invalid domain.observation_skip = 2 (run.toml, line 4: "));
    CHECK_NOTHROW(read(skip));
    CHECK_THAT(message("[domain]\nbc_geoms = [\"a\", \"b\", \"a\"]"),
               StartsWith("invalid domain.bc_geoms = ") && ContainsSubstring("without duplicates"));
}

TEST_CASE("an invalid reward term is reported")
{
    auto const term = [](std::string const& text) { return message("[[domain.reward]]\n" + text); };
    CHECK(term("kind = \"alive\"\nwight = 2")
          == "unknown key wight in a domain.reward (run.toml, line 3: known keys are kind, weight, "
             "body, site, point, target). Did you mean weight?");
    CHECK_THAT(term("kind = \"alife\""), ContainsSubstring("Did you mean alive?"));
    CHECK_THAT(term("weight = 1"),
               StartsWith("missing kind of a domain.reward (run.toml, line 1: "));
    CHECK_THAT(
        term("kind = 3"),
        StartsWith(
            "invalid kind of a domain.reward (run.toml, line 2: must be a string, not an integer"));
    CHECK_THAT(term("kind = \"distance\""), ContainsSubstring("either site or point, not both"));
    CHECK_THAT(term("kind = \"distance\"\nsite = \"a\"\npoint = [1, 2]"),
               ContainsSubstring("not both"));
    CHECK_THAT(term("kind = \"distance\"\npoint = [1]"),
               ContainsSubstring("must have 2 or 3 numbers, not 1"));
    CHECK_THAT(term("kind = \"alive\"\nweight = nan"), StartsWith("invalid "));
    CHECK_THAT(message("[domain]\nreward = [1]"), ContainsSubstring("not a list of another type"));
}

TEST_CASE("syntax errors name file and line")
{
    CHECK_THAT(message("[run]\nseed = = 3"),
               StartsWith("invalid TOML syntax (run.toml, line 2, column "));
    CHECK_THAT(message("[run]\nseed = 1\nseed = 2"),
               ContainsSubstring("(run.toml, line 3, column "));
    CHECK_THAT(message("[run\nseed = 1"), ContainsSubstring("(run.toml, line 1, column "));
    CHECK_THAT(message("[run]\nseed = 99999999999999999999"),
               ContainsSubstring("(run.toml, line 2, column "));
    CHECK_THAT(message("\xff\xfe\x41"), ContainsSubstring("(run.toml, line 1, column "));
    CHECK_THAT(message("x = " + std::string(5000, '[')),
               ContainsSubstring("(run.toml, line 1, column "));
}

TEST_CASE("errors of the command line name the option")
{
    CHECK(override_message("noise.sed=3")
          == "unknown key noise.sed (--set noise.sed=3: [noise] has table_size, seed). Did you mean "
             "seed?");
    CHECK_THAT(override_message("ess.sigma=1"),
               StartsWith("unknown section ess (--set ess.sigma=1: ")
                   && ContainsSubstring("Did you mean es?"));
    CHECK_THAT(override_message("es.population=3"),
               StartsWith("invalid es.population = 3 (--set es.population=3: "));
    CHECK_THAT(override_message("es.sigma=big"),
               StartsWith("invalid value for es.sigma (--set es.sigma=big: must be "));
    CHECK_THAT(override_message("algorithm.name=mees"), ContainsSubstring("Did you mean me-es?"));
    CHECK_THAT(override_message("es.sigma=1\n[run]"), StartsWith("invalid value for "));
    CHECK_THAT(override_message("es.sigma="), StartsWith("invalid value for "));
    CHECK_THAT(override_message("policy.hidden=1]\n"), StartsWith("invalid value for "));
    CHECK_THAT(override_message("domain.model=\xff"), StartsWith("invalid value for "));
    for (auto const* text : {"", "=", "seed", "seed=3", ".", "run=1.5"}) {
        CHECK_THAT(override_message(text), ContainsSubstring("section.key=value"));
    }
    CHECK_THAT(message("[map]\ncvt_cells = 100", {"map.cvt_samples=50"}),
               StartsWith("invalid map.cvt_samples = 50 (--set map.cvt_samples=50: "));
}

TEST_CASE("settings set by code are checked by the same rules")
{
    Settings settings;
    settings.es.population = 3;
    CHECK_THROWS_AS(validate(settings), ConfigError);
    settings = {};
    settings.es.sigma = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(validate(settings), ConfigError);
}
