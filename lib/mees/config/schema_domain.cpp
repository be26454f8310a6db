#include "mees/config/schema.hpp"

namespace mees::detail {
namespace {

template <auto path>
constexpr Access mjcf = member<&Settings::domain, &DomainSettings::mjcf, path>;

Owner domains(KeyGroup group)
{
    return {.selector = "domain.name", .group = group};
}

Owner bc_kinds(std::initializer_list<BehaviourKind> kinds)
{
    Owner owner{"domain.bc", {}};
    for (auto const kind : kinds) {
        owner.values.push_back(name_of(kind));
    }
    return owner;
}

std::vector<Key> general_keys()
{
    return {
        {.section = "domain",
         .name = "name",
         .access = member<&Settings::domain, &DomainSettings::name>,
         .description = "The robot and its environment: ant, ant_maze, deceptive_humanoid (the "
                        "paper's), point_maze (small, for experiments), sleep (for measuring the "
                        "protocol) or mjcf (a custom model)."},
        {.section = "domain",
         .name = "episode_steps",
         .access = member<&Settings::domain, &DomainSettings::episode_steps>,
         .description = "Control steps per episode; 0: the domain's default.",
         .range = {0, 1e9}},
        {.section = "domain",
         .name = "damage",
         .access = member<&Settings::domain, &DomainSettings::damage>,
         .description =
             "Joints that cannot be controlled (`[\"J0\", \"J1\"]`, or their names in the model), "
             "and other changes of the model as `mees_adapt --damage` accepts them."},
        {.section = "domain",
         .name = "contact_forces",
         .access = member<&Settings::domain, &DomainSettings::contact_forces>,
         .description = "Whether the observation includes the 84 contact forces of Gym's Ant-v2.",
         .owner = domains(KeyGroup::contact_forces)},
        {.section = "domain",
         .name = "integrator",
         .access = member<&Settings::domain, &DomainSettings::integrator>,
         .description = "Integrator of the physics; model: the one that the model specifies (rk4 "
                        "in the paper's domains). euler is about four times as fast as rk4.",
         .owner = domains(KeyGroup::integrator)},
        {.section = "domain",
         .name = "terminate",
         .access = member<&Settings::domain, &DomainSettings::terminate>,
         .description = "Whether a fall ends the episode.",
         .owner = domains(KeyGroup::terminate)},
        {.section = "domain",
         .name = "sleep_seconds",
         .access = member<&Settings::domain, &DomainSettings::sleep_seconds>,
         .description = "Mean duration of an episode that only sleeps.",
         .range = {0, 86400},
         .owner = domains(KeyGroup::sleep)},
        {.section = "domain",
         .name = "sleep_spread",
         .access = member<&Settings::domain, &DomainSettings::sleep_spread>,
         .description = "Distribution of these durations: uniform within 50 % of the mean, or "
                        "lognormal (1 : 30, as episodes of a robot that may fall).",
         .owner = domains(KeyGroup::sleep)},
    };
}

std::vector<Key> mjcf_model_keys()
{
    return {
        {.section = "domain",
         .name = "model",
         .access = mjcf<&MjcfSettings::model>,
         .description = "The MJCF file; a relative path is looked up next to the configuration "
                        "file, then in the working directory.",
         .owner = domains(KeyGroup::mjcf),
         .is_path = true},
        {.section = "domain",
         .name = "frame_skip",
         .access = mjcf<&MjcfSettings::frame_skip>,
         .description = "Time steps of the model per control step.",
         .range = {1, 1e6},
         .owner = domains(KeyGroup::mjcf)},
        {.section = "domain",
         .name = "reset_noise",
         .access = mjcf<&MjcfSettings::reset_noise>,
         .description = "An episode starts from the model's pose + U(-noise, noise) per coordinate "
                        "and noise * N(0, 1) per velocity.",
         .range = {0, 1e6},
         .owner = domains(KeyGroup::mjcf)},
        {.section = "domain",
         .name = "observation",
         .access = mjcf<&MjcfSettings::observation>,
         .description = "The parts of the observation, in this order.",
         .rule = "at least one, without duplicates",
         .owner = domains(KeyGroup::mjcf)},
        {.section = "domain",
         .name = "observation_skip",
         .access = mjcf<&MjcfSettings::observation_skip>,
         .description =
             "Leading coordinates of qpos that are left out (such as the position in the world).",
         .range = {0, 1e6},
         .owner = domains(KeyGroup::mjcf)},
    };
}

std::vector<Key> mjcf_task_keys()
{
    return {
        {.section = "domain",
         .name = "height_body",
         .access = mjcf<&MjcfSettings::height_body>,
         .description = "The body whose height ends the episode when it leaves height_lower to "
                        "height_upper; empty: none.",
         .owner = domains(KeyGroup::mjcf)},
        {.section = "domain",
         .name = "height_lower",
         .access = mjcf<&MjcfSettings::height_lower>,
         .description = "See height_body.",
         .rule = "below height_upper",
         .owner = domains(KeyGroup::mjcf)},
        {.section = "domain",
         .name = "height_upper",
         .access = mjcf<&MjcfSettings::height_upper>,
         .description = "See height_body.",
         .rule = "above height_lower",
         .owner = domains(KeyGroup::mjcf)},
        {.section = "domain",
         .name = "bc",
         .access = mjcf<&MjcfSettings::bc>,
         .description =
             "The behaviour characterisation: the final x, y of bc_body; per geom of bc_geoms the "
             "share of steps in which it touches floor_geom; or the mean x, y velocity of bc_body.",
         .owner = domains(KeyGroup::mjcf)},
        {.section = "domain",
         .name = "bc_body",
         .access = mjcf<&MjcfSettings::bc_body>,
         .description = "See bc; empty: the model's first body.",
         .owner = bc_kinds({BehaviourKind::final_position, BehaviourKind::mean_velocity})},
        {.section = "domain",
         .name = "bc_geoms",
         .access = mjcf<&MjcfSettings::bc_geoms>,
         .description = "See bc.",
         .rule = "without duplicates",
         .owner = bc_kinds({BehaviourKind::contact_share})},
        {.section = "domain",
         .name = "floor_geom",
         .access = mjcf<&MjcfSettings::floor_geom>,
         .description = "See bc.",
         .owner = bc_kinds({BehaviourKind::contact_share})},
        {.section = "domain",
         .name = "reward",
         .access = mjcf<&MjcfSettings::reward>,
         .description =
             "The reward is the weighted sum of these terms, each a table `[[domain.reward]]` with "
             "`kind` (forward_velocity: dx/dt of a body; control_cost: minus the sum of squared "
             "actions; alive: 1; distance: minus the distance of a body to a site or point), "
             "`weight` (default 1), `body` (default: the model's first), and for distance either "
             "`site` or `point` (2 or 3 numbers).",
         .owner = domains(KeyGroup::mjcf)},
    };
}

}  // namespace

std::vector<Key> domain_keys()
{
    auto keys = general_keys();
    for (auto part : {&mjcf_model_keys, &mjcf_task_keys}) {
        auto const more = part();
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

}  // namespace mees::detail
