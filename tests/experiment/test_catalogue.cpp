#include "catch.hpp"
#include "mees/algorithms/es_search.hpp"
#include "mees/config/config.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/catalogue.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/rollout/threads.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace mees;

namespace {

std::string const reference_page = std::string{MEES_SOURCE_DIR} + "/docs/configuration.md";

/// ES on novelty alone.
class Wanderer final : public Strategy {
  public:
    explicit Wanderer(SearchProblemPtr const& /*problem*/) {}

    [[nodiscard]] std::vector<Move> next(State const& /*state*/) const override
    {
        return {{.mode = Mode::explore, .objectives = {Objective::only_novelty()}}};
    }
    [[nodiscard]] bool can_overlap(State const& /*state*/) const override { return true; }
};

Catalogue extended()
{
    Catalogue catalogue;
    catalogue.domains.add("short_maze", [](DomainSettings settings) {
        settings.name = "point_maze";
        settings.episode_steps = 5;
        return DomainRegistry{}.make(settings);
    });
    catalogue.algorithms.add(
        {.known = {"wander", es_search_keys()}, .make = make_es_search<Wanderer>});
    return catalogue;
}

/// The state after the last generation.
State run(Configuration const& configuration, Catalogue const& catalogue)
{
    auto const& settings = configuration.settings;
    auto const domain = catalogue.domains.make(settings.domain);
    auto const problem = make_problem(settings, domain->spec(), catalogue.algorithms);
    auto const table = make_noise_table(settings.noise.table_size, 1, 1);
    ThreadEvaluator evaluator{make_rollout(settings, domain), table, 1};
    ThreadNoise noise{table, 1};
    auto const algorithm = make_algorithm(problem, initial_state(*problem));
    StopToken stop;
    while (!algorithm->finished()) {
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), noise);
    }
    auto const& last = algorithm->state().history.back();
    CHECK(last.episodes
          == problem->initial_episodes()
                 + settings.run.generations * problem->episodes_per_generation());
    return algorithm->state();
}

std::string const short_run =
    "[domain]\nname = \"short_maze\"\n[run]\ngenerations = 2\n[policy]\nhidden = [4]\n"
    "[noise]\ntable_size = 1000\n";

}  // namespace

TEST_CASE("a domain and an algorithm that were added are configured and run like the others")
{
    auto const catalogue = extended();
    auto const configuration = parse_configuration(
        short_run
            + "[algorithm]\nname = \"wander\"\nn_eval = 2\nchildren = 3\n[es]\npopulation = 4",
        "test", {}, catalogue.names());
    CHECK(foreign_keys(configuration, catalogue.names())
          == std::vector<std::string>{
              "algorithm.children (only with algorithm.name = me-ga, ga, ns, nslc, cma-mega)"});
    auto const history = run(configuration, catalogue).history;
    REQUIRE(history.size() == 3);
    CHECK(history.back().mode == Mode::explore);
    CHECK(history.back().steps == 5 * history.back().episodes);
}

TEST_CASE("keys of an ES step are named, and change nothing, where all offspring are offered")
{
    auto const catalogue = extended();
    auto const emitters = short_run
                          + "[algorithm]\nname = \"cma-mae\"\nn_eval = 2\nemitters = 2\n"
                            "[es]\npopulation = 4";
    auto const parsed = [&](std::vector<std::string> const& overrides) {
        return parse_configuration(emitters, "test", overrides, catalogue.names());
    };
    auto const with_keys = parsed({"algorithm.confirm_offspring=2", "es.episodes_per_offspring=3",
                                   "es.steps_per_generation=900", "policy.action_noise=0.5"});
    CHECK(foreign_keys(parsed({}), catalogue.names()).empty());
    CHECK(foreign_keys(with_keys, catalogue.names()).size() == 4);
    auto const expected = run(parsed({}), catalogue);
    auto const found = run(with_keys, catalogue);
    REQUIRE(found.emitters.size() == 2);
    CHECK(found.emitters.front().theta == expected.emitters.front().theta);
    CHECK(found.history.back().episodes == expected.history.back().episodes);
    CHECK(found.history.back().qd_score == expected.history.back().qd_score);
}

TEST_CASE("every group of keys belongs to a domain or an algorithm that comes with mees")
{
    auto const names = Catalogue{}.names();
    for (auto const& key : schema()) {
        if (key.owner) {
            INFO(key.full_name());
            bool const any = key.owner->values.empty() && !key.owner->group;
            CHECK(key.owner->names(names).empty() == any);
        }
    }
}

TEST_CASE("docs/configuration.md is current")
{
    std::ifstream file{reference_page};
    std::ostringstream text;
    text << file.rdbuf();
    INFO("to update it: test_experiment '[update-reference]'");
    CHECK(text.str() == configuration_reference(Catalogue{}.names()));
}

TEST_CASE("update docs/configuration.md", "[.][update-reference]")
{
    std::ofstream file{reference_page};
    file << configuration_reference(Catalogue{}.names());
    CHECK(file.flush().good());
}
