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

}  // namespace

TEST_CASE("a domain and an algorithm that were added are configured and run like the others")
{
    auto const catalogue = extended();
    auto const configuration = parse_configuration(
        "[domain]\nname = \"short_maze\"\n[algorithm]\nname = \"wander\"\n"
        "n_eval = 2\nchildren = 3\n[es]\npopulation = 4\n[noise]\n"
        "table_size = 1000\n[run]\ngenerations = 2\n[policy]\nhidden = [4]",
        "test", {}, catalogue.names());
    CHECK(foreign_keys(configuration, catalogue.names())
          == std::vector<std::string>{
              "algorithm.children (only with algorithm.name = me-ga, ga, ns, nslc, cma-mega)"});
    auto const& settings = configuration.settings;
    auto const domain = catalogue.domains.make(settings.domain);
    auto const problem = make_problem(settings, domain->spec(), catalogue.algorithms);
    CHECK(problem->label() == "wander");
    auto const table = make_noise_table(settings.noise.table_size, 1, 1);
    ThreadEvaluator evaluator{make_rollout(settings, domain), table, 1};
    ThreadNoise noise{table, 1};
    auto const algorithm = make_algorithm(problem, initial_state(*problem));
    StopToken stop;
    while (!algorithm->finished()) {
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), noise);
    }
    auto const& history = algorithm->state().history;
    REQUIRE(history.size() == 3);
    CHECK(history.back().mode == Mode::explore);
    CHECK(history.back().episodes == 2 + 2 * problem->episodes_per_generation());
    CHECK(history.back().steps == 5 * history.back().episodes);
}

TEST_CASE("every group of keys belongs to a domain or an algorithm that comes with mees")
{
    auto const names = Catalogue{}.names();
    for (auto const& key : schema()) {
        if (key.owner) {
            INFO(key.full_name());
            CHECK_FALSE(key.owner->names(names).empty());
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
