#include "mees/cluster/with_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/output.hpp"
#include "mees/core/sha256.hpp"
#include "mees/experiment/conditions.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/reevaluation.hpp"
#include "mees/experiment/variants.hpp"
#include "mees/programs/detail/cluster_program.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/shared_domain.hpp"
#include "mees/programs/detail/tables.hpp"
#include "mees/programs/programs.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

namespace mees {
namespace {

constexpr char const* description =
    R"(Re-evaluate every elite of a map in episodes that the search has not seen, the same for all.
Writes a corrected map: elites are re-binned by their new behaviour, and the fittest wins each
cell. Runs with and without mpirun, with bit-identical results.)";
constexpr char const* footer =
    R"(Variants of the model (joined by commas; each value is drawn from its range):
  friction=0.5..1.5          all surfaces: the friction is multiplied by it
  mass=0.8..1.2              all bodies: the mass is multiplied by it
  mass:BODY=-1..+1           the body weighs that many kilograms more; a range that takes
                             more than there is is cut to leave 5 % of its mass
  strength=0.8..1.2          all motors: the force is multiplied by it; strength:MOTOR=... of one
  damping=0.5..2             all joints: the damping is multiplied by it; damping:JOINT=... of one
  gravity=0.9..1.1           gravity is multiplied by it
  weak:MOTOR=0.5..1, shorten:BODY=0.8..1, and words without a range: as in mees_adapt --damage
Exit codes: 0 done; 1 any other error; 2 invalid command line; 3 unusable file; 75 stopped by a
signal, nothing written.)";

/// What rank 0 prepares.
struct Prepared {
    MapDocument document;
    Conditions conditions;
    DomainPtr domain;
    std::int64_t seed;
    std::optional<ModelVariation> variation;
    std::string map_sha256;
    std::filesystem::path out;
};

Prepared prepare(EvaluateOptions const& options, DomainRegistry const& known)
{
    auto out = options.out;
    if (out.empty()) {
        out = options.file;
        out.replace_extension(".evaluated.h5");
    }
    warn_of_newer_changes(options.file);
    auto document = read_map(options.file);
    require_output(out, options.existing, options.file);
    if (document.state.map.filled() == 0) {
        throw FileError{fmt::format("{} contains no elites", options.file.string()),
                        "no controller has been evaluated yet", "Resume the run first."};
    }
    auto settings = settings_to_run(document.run, known);
    MapReader const map{options.file};
    bool const other_command = name_command(options.overrides);
    auto const domains =
        domains_of(map, settings, known, options.model, options.allow_command || other_command);
    auto conditions = other_conditions(settings, options.overrides, domains);
    if (other_command) {
        settings.domain.process.command = conditions.settings.domain.process.command;
    }
    auto const trained = domains.make(settings.domain);
    require_map_fits(map, settings, trained->spec(), !options.model.empty());
    auto domain = make_domain(conditions, trained, domains);
    set_versions(document.run);
    document.run.model_sha256 = domain->spec().model_sha256;
    document.domain = domain->document();
    document.program = domain->program();
    if (!conditions.changes.empty()) {
        document.run.config = to_toml(conditions.settings);
    }
    auto const seed = options.seed.value_or(document.run.seed);
    std::optional<ModelVariation> variation;
    if (options.variants) {
        variation = allowed_variation(ModelVariation::parse(*options.variants), conditions.settings,
                                      *domain);
    }
    return {.document = std::move(document),
            .conditions = std::move(conditions),
            .domain = std::move(domain),
            .seed = seed,
            .variation = std::move(variation),
            .map_sha256 = sha256_of_file(options.file),
            .out = std::move(out)};
}

std::vector<Damage> variants_of(Prepared const& prepared, EvaluateOptions const& options)
{
    return prepared.variation ? prepared.variation->draw(options.variant_count,
                                                         static_cast<std::uint64_t>(prepared.seed))
                              : std::vector<Damage>{};
}

ReevaluationSettings reevaluation_settings(Prepared const& prepared, EvaluateOptions const& options)
{
    ReevaluationSettings settings{options.episodes, prepared.seed, options.independent};
    if (prepared.variation) {
        auto& variants = settings.variants.emplace();
        variants.text = prepared.variation->text();
        variants.episodes = options.variant_episodes;
        std::ranges::transform(variants_of(prepared, options),
                               std::back_inserter(variants.variants), &Damage::text);
    }
    return settings;
}

ExitCode evaluate_all(Prepared prepared, EvaluateOptions const& options, Evaluator& evaluator)
{
    StopToken stop;
    auto conditions = prepared.document.reevaluation
                          ? std::move(prepared.document.reevaluation->conditions)
                          : std::vector<std::string>{};
    auto after =
        reevaluate(prepared.document, reevaluation_settings(prepared, options), evaluator, stop);
    if (!after) {
        write_stderr(
            fmt::format("mees_evaluate: stopped by {}, nothing was written\n", stop.describe()));
        return ExitCode::stopped_early;
    }
    after->reevaluation->map_sha256 = std::move(prepared.map_sha256);
    after->reevaluation->conditions =
        merged_changes(std::move(conditions), prepared.conditions.changes);
    AtomicFile file{prepared.out};
    write_map(file.temporary(), *after);
    file.commit(options.existing);
    std::cout << fmt::format("{}: {} elites, {} episodes each, seed {}\n", options.file.string(),
                             prepared.document.state.map.filled(), options.episodes, prepared.seed)
              << reevaluation_table(prepared.document, *after)
              << variants_table(after->reevaluation.value())
              << fmt::format("{}: {}\n",
                             after->reevaluation->conditions.empty()
                                 ? "corrected map"
                                 : "map under these conditions, not a map of the run",
                             prepared.out.string());
    return ExitCode::success;
}

ExitCode run_evaluate(ClusterRuntime& runtime, EvaluateOptions const& options,
                      DomainRegistry const& domains)
{
    std::optional<Prepared> prepared;
    if (runtime.is_master()) {
        prepared.emplace(prepare(options, domains));
    }
    auto const toml = runtime.broadcast(prepared ? prepared->document.run.config : std::string{});
    auto const settings = parse_settings(toml, "the stored configuration");
    auto setup = make_rollout(settings, share_domain(runtime, prepared ? prepared->domain : nullptr,
                                                     settings.domain, domains));
    add_variants(
        setup, settings,
        share_damages(runtime, prepared ? variants_of(*prepared, options) : std::vector<Damage>{}));
    runtime.barrier();
    runtime.set_silence_limit(settings.cluster.silence_seconds);
    return with_evaluator(runtime, setup, {}, options.threads, [&](Evaluator& evaluator) {
        return evaluate_all(std::move(*prepared), options, evaluator);
    });
}

}  // namespace

Parsed<EvaluateOptions> parse_evaluate_options(int argc, char const* const* argv)
{
    EvaluateOptions options;
    CommandLine line{"mees_evaluate", description, footer};
    auto& app = line.app();
    add_map_file(app, options.file)->required();
    add_episodes(app, options.episodes, "Episodes per elite [30]");
    app.add_option("--out", options.out, "Corrected map [NAME.evaluated.h5 next to the map]")
        ->type_name("NEW.h5");
    add_conditions(app, options.overrides);
    app.add_flag("--independent", options.independent,
                 "Different initial states for each elite [the same for all]");
    auto* const variants =
        app.add_option_function<std::string>(
               "--variants", [&](std::string const& given) { options.variants = given; },
               "Evaluate every elite also in variants of the model, the same for all "
               "elites: \"friction=0.5..1.5,mass:torso=-0.2..+0.5\"; see below")
            ->type_name("CHANGES");
    add_integer(app, "--variant-count", options.variant_count, 1, 10'000, "Variants [32]")
        ->needs(variants);
    add_integer(app, "--variant-episodes", options.variant_episodes, 1, 10'000,
                "Episodes per elite in each variant [1]")
        ->needs(variants);
    add_force(app, options.existing);
    add_model(app, options.model);
    add_allow_command(app, options.allow_command);
    add_seed(app, options.seed);
    add_threads(app, options.threads);
    if (auto text = line.parse(argc, argv)) {
        return {std::nullopt, std::move(*text)};
    }
    return {std::move(options), {}};
}

int evaluate_main(int argc, char** argv, Catalogue const& catalogue)
{
    return run_cluster_program(
        "mees_evaluate", argc, argv, [&] { return parse_evaluate_options(argc, argv); },
        [&](ClusterRuntime& runtime, EvaluateOptions const& options) {
            return run_evaluate(runtime, options, catalogue.domains);
        });
}

}  // namespace mees
