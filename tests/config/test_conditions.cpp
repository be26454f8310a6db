#include "catch.hpp"
#include "mees/config/config.hpp"
#include "mees/config/detail/conditions.hpp"

using namespace mees;
using Names = std::vector<std::string>;

namespace {

KnownNames const search_names{
    {{"ant", std::vector<KeyGroup>{}}},
    {{"me-es",
      {{KeyGroup::offspring, KeyGroup::gradient, KeyGroup::modes, KeyGroup::parent_cells}}},
     {"memes", {{KeyGroup::parent_cells, KeyGroup::memes}}},
     {"me-ga", {{KeyGroup::variation}}},
     {"cma-mae",
      {{KeyGroup::offspring, KeyGroup::gradient, KeyGroup::directions, KeyGroup::utilities,
        KeyGroup::improvement}}},
     {"mine"}}};

/// What the log names of these settings.
Names named(Names const& overrides)
{
    return foreign_keys(parse_configuration("", "test", overrides, search_names), search_names);
}

}  // namespace

TEST_CASE("a condition is one of keys that exist")
{
    for (auto const& condition : conditions()) {
        for (auto const& key : condition.keys) {
            INFO(key);
            auto const dot = key.find('.');
            CHECK(find_key(key.substr(0, dot), key.substr(dot + 1)) != nullptr);
        }
    }
}

TEST_CASE("separable CMA-ES has no use for keys of a gradient step and of mirrored pairs")
{
    Names const keys{"es.learning_rate=0.02",       "es.learning_rate_decay=0.9",
                     "es.learning_rate_limit=0.01", "es.l2=0.1",
                     "es.optimizer=clipup",         "es.clipup_speed=0.1",
                     "es.divide_by_sigma=true",     "es.utility=ranks",
                     "es.sigma_decay=0.9",          "es.sigma_limit=0.001",
                     "es.direction_fraction=0.5",   "es.seeds=pair",
                     "es.paired_seeds=true"};
    auto chosen = keys;
    chosen.insert(chosen.end(), {"algorithm.name=cma-mae", "es.population=8", "es.sigma=0.1"});
    CHECK(named(chosen).empty());
    chosen.emplace_back("algorithm.emitter_optimizer=sep-cma-es");
    auto const found = named(chosen);
    CHECK(found.size() == keys.size());
    for (auto const& line : found) {
        CHECK(line.ends_with(" (only with algorithm.emitter_optimizer = openai-es)"));
    }
    // Offspring of all kinds can start from the same states.
    CHECK(named({"algorithm.name=cma-mae", "algorithm.emitter_optimizer=sep-cma-es",
                 "es.seeds=generation"})
              .empty());
    // An algorithm without such emitters steps along a gradient all the same.
    CHECK(named({"algorithm.emitter_optimizer=sep-cma-es", "es.l2=0.1"})
          == Names{"algorithm.emitter_optimizer (only with algorithm.name = cma-mae)"});
}

TEST_CASE("keys of a mode are named where the mode is another")
{
    Names const cells{"algorithm.explore_cells=uniform", "algorithm.exploit_cells=uniform"};
    auto const with = [&](Names more) {
        more.insert(more.end(), cells.begin(), cells.end());
        return named(more);
    };
    Names const no_explorers{
        "algorithm.explore_cells (only with algorithm.mode = explore, explore-exploit)"};
    Names const no_exploiters{
        "algorithm.exploit_cells (only with algorithm.mode = exploit, explore-exploit)"};
    CHECK(with({}).empty());
    CHECK(with({"algorithm.mode=exploit"}) == no_explorers);
    CHECK(with({"algorithm.mode=explore"}) == no_exploiters);
    CHECK(with({"algorithm.name=memes"}).empty());
    CHECK(with({"algorithm.name=memes", "algorithm.explore_share=0"})
          == Names{"algorithm.explore_cells (only with algorithm.explore_share above 0)"});
    CHECK(with({"algorithm.name=memes", "algorithm.explore_share=1"})
          == Names{"algorithm.exploit_cells (only with algorithm.explore_share below 1)"});
    CHECK(with({"algorithm.name=mine", "algorithm.mode=exploit"}).empty());
    Names const coin{"algorithm.mode_schedule=coin", "algorithm.explore_probability=0.2"};
    CHECK(named(coin).empty());
    CHECK(named({coin[0], coin[1], "algorithm.mode=explore"})
          == Names{"algorithm.mode_schedule (only with algorithm.mode = explore-exploit)",
                   "algorithm.explore_probability (only with algorithm.mode = explore-exploit)"});
}

TEST_CASE("a window of novelty, a kernel and a line are named where nothing uses them")
{
    CHECK(named({"algorithm.name=memes", "algorithm.novelty_window=99"}).empty());
    CHECK(
        named({"algorithm.name=memes", "algorithm.novelty_window=99", "algorithm.explore_share=0"})
            .size()
        == 1);
    CHECK(named({"algorithm.kernel_width=0.2"})
          == Names{"algorithm.kernel_width (only with max-ent in algorithm.objectives)"});
    CHECK(named({"algorithm.kernel_width=0.2", "algorithm.objectives=fitness + max-ent"}).empty());
    CHECK(named({"algorithm.name=me-ga", "algorithm.line_sigma=0.1"})
          == Names{"algorithm.line_sigma (only with algorithm.variation = iso-line)"});
    CHECK(
        named({"algorithm.name=me-ga", "algorithm.line_sigma=0.1", "algorithm.variation=iso-line"})
            .empty());
    CHECK(named({"algorithm.line_sigma=0.1"})
          == Names{"algorithm.line_sigma (only with algorithm.name = me-ga)"});
}

TEST_CASE("stored objectives that their algorithm does not use are read back without knowing it")
{
    auto const stored = to_toml(parse_settings(
        "", "x", {"algorithm.name=me-ga", "algorithm.objectives=max-var", "es.seeds=pair"},
        search_names));
    CHECK(to_toml(parse_settings(stored, "x")) == stored);
}
