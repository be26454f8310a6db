#include "mees/programs/detail/common_options.hpp"

namespace mees {

CLI::Option* add_map_file(CLI::App& app, std::filesystem::path& file)
{
    return app.add_option("file", file, "Map file, such as runs/NAME/map.h5")->type_name("FILE");
}

CLI::Option* add_episodes(CLI::App& app, std::int32_t& episodes, std::string const& description)
{
    return app.add_option("--episodes", episodes, description)
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
}

CLI::Option* add_seed(CLI::App& app, std::optional<std::int64_t>& seed)
{
    return app.add_option("--seed", seed, "Seed for initial states [the run's seed]")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
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
    return app.add_option("--threads", threads, description + " [all cores]")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
}

CLI::Option* add_time_limit(CLI::App& app, std::string& limit)
{
    return app
        .add_option(
            "--time-limit", limit,
            "Save and stop before this much time has passed, such as 3h50m [end of the SLURM job]")
        ->type_name("TIME");
}

}  // namespace mees
