#include "mees/core/error.hpp"
#include "mees/core/text.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/time_limit.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace mees {
namespace {

constexpr char const* description =
    R"(Improve or fill cells of a finished map by an evolution strategy towards each of them (ARIA).
Writes a new map, in which no elite is worse than in the old one. Runs on the cores of this
machine, or under mpirun on all ranks, with bit-identical results. The same command resumes where
an earlier one stopped.)";

constexpr char const* footer =
    R"(Episodes of a cell: steps x population, and those that measure it. 100 steps of 4,096 are those of
the paper.
Exit codes: 0 finished; 1 any other error; 2 invalid command line; 3 unusable map, file or cells;
75 stopped early, state saved (run the same command again to resume).)";

/// Why the text is not a number above 0 and up to `upper`; empty if it is.
std::string positive_problem(std::string const& text, double upper)
{
    double value = 0;
    auto const* const last = text.data() + text.size();
    auto const [end, error] = std::from_chars(text.data(), last, value);
    return error == std::errc{} && end == last && value > 0 && value <= upper
               ? ""
               : fmt::format("{}: must be a number above 0 and up to {:g}",
                             escaped(text.substr(0, 80)), upper);
}

void add_positive(CLI::App& app, std::string const& name, std::optional<double>& target,
                  double upper, std::string const& text)
{
    app.add_option(name, target, text)->type_name("X")->check([upper](std::string const& given) {
        return positive_problem(given, upper);
    });
}

void add_es_options(CLI::App& app, RefineOptions& options)
{
    auto& settings = options.settings;
    add_integer(app, "--steps", settings.steps, 1, 100'000, "ES steps towards each cell [100]");
    add_integer(app, "--population", options.population, 2, 10'000'000,
                "Offspring of a step, in mirrored pairs [256]");
    add_positive(app, "--sigma", options.sigma, 1000, "Standard deviation of the noise [es.sigma]");
    add_positive(app, "--learning-rate", options.learning_rate, 1000,
                 "Learning rate [es.learning_rate]");
    add_integer(app, "--evaluate-every", settings.evaluate_every, 1, 100'000,
                "ES steps between measurements of a controller, which offer it to the map [10]");
    add_integer(app, "--episodes", options.episodes, 1, 1'000'000,
                "Episodes that measure a controller [algorithm.n_eval]");
    add_integer(app, "--cells-at-once", settings.cells_at_once, 1, 10'000,
                "Cells that are refined side by side; later ones can start from them [16]");
}

}  // namespace

Parsed<RefineOptions> parse_refine_options(int argc, char const* const* argv)
{
    RefineOptions options;
    std::string limit;
    CommandLine line{"mees_refine", description, footer};
    auto& app = line.app();
    add_map_file(app, options.file, "map", "Map file or run folder to refine")->required();
    app.add_option("--cells", options.cells, "Cells to refine: empty, filled, all, or 12,407,...")
        ->type_name("CELLS")
        ->required();
    app.add_option("--out", options.out, "Refined map; resumes if it was begun before")
        ->type_name("NEW.h5")
        ->required();
    add_es_options(app, options);
    add_seed(app, options.seed);
    add_integer(app, "--save-every", options.save_every, 0, 1'000'000,
                "Seconds between saves of the state, in NEW.h5 [300]");
    add_time_limit(app, limit);
    app.add_flag("--dry-run", options.dry_run,
                 "Check everything, print cells, episodes and cost, and exit; write nothing");
    add_force(app, options.existing);
    add_model(app, options.model);
    add_allow_command(app, options.allow_command);
    add_threads(app, options.threads);
    if (auto text = line.parse(argc, argv)) {
        return {std::nullopt, std::move(*text)};
    }
    if (options.population % 2 != 0) {
        throw ConfigError{fmt::format("invalid --population {}", options.population),
                          "offspring come in mirrored pairs", "Use an even number."};
    }
    if (!limit.empty()) {
        options.time_limit = parse_duration(limit);
    }
    return {std::move(options), {}};
}

}  // namespace mees
