#include "mees/benchmark/detail/subjects.hpp"

#include "mees/es/noise_table.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/rollout/episode_runner.hpp"
#include "mees/sim/registry.hpp"

namespace mees::bench {

Settings paper_settings(std::string const& domain)
{
    Settings settings;
    settings.domain.name = domain;
    return settings;
}

std::shared_ptr<Domain const> domain_of(Settings const& settings)
{
    return DomainRegistry{}.make(settings.domain);
}

SearchProblemPtr problem_of(Settings const& settings)
{
    return make_problem(settings, domain_of(settings)->spec(), AlgorithmRegistry{});
}

Batch offspring(Settings const& settings, NetworkShape const& network, std::int64_t episodes,
                std::int64_t table_size)
{
    auto const seed = static_cast<std::uint64_t>(settings.run.seed);
    Group group;
    group.centre = std::make_shared<Controller>(Controller{
        normc_parameters(network, Stream{seed, Purpose::initial_parameters, Generation{0}}),
        ObservationMoments::prior(network.inputs()).normaliser()});
    group.sigma = static_cast<float>(settings.es.sigma);
    group.mirrored = true;
    group.action_noise = static_cast<float>(settings.policy.action_noise);
    group.observation_fraction = settings.policy.observation_fraction;
    Stream draws{seed, Purpose::noise_offset, Generation{0}};
    for (std::int64_t i = 0; i < episodes; i += 2) {
        group.offsets.push_back(draw_offset(draws, table_size, network.parameter_count()));
    }
    return {seed, {group}};
}

std::vector<OpenLoopEpisode> record(Settings const& settings, Batch const& batch,
                                    std::span<float const> noise)
{
    auto const domain = std::make_shared<RecordingDomain>(domain_of(settings));
    auto const setup = make_rollout(settings, domain);
    EpisodeRunner runner{setup, noise};
    std::vector<double> bc(domain->spec().bc_names.size());
    std::vector<OpenLoopEpisode> episodes;
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        (void)runner.run(episode_of(batch, i), bc, [] { return false; });
        episodes.push_back(domain->last_episode());
    }
    return episodes;
}

}  // namespace mees::bench
