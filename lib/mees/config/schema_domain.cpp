#include "mees/config/detail/owners.hpp"

namespace mees::detail {
namespace {

constexpr Section<&Settings::domain> domain{"domain"};
constexpr Section<&Settings::domain, &DomainSettings::mjcf> mjcf{"domain"};
constexpr Section<&Settings::domain, &DomainSettings::process> process{"domain"};
using D = DomainSettings;
using Process = ProcessSettings;
using J = MjcfSettings;

Owner domains(KeyGroup group)
{
    return {.selector = "domain.name", .group = group};
}

std::vector<Key> general_keys()
{
    return {
        domain.key<&D::name>("name",
                             "The robot and its environment: ant, ant_maze, deceptive_humanoid "
                             "(the paper's), point_maze (small, for experiments), "
                             "half_cheetah, hopper, walker2d (Gymnasium's), sleep (for "
                             "measuring the protocol), mjcf (a custom model) or process (an "
                             "environment in another process)."),
        domain.key<&D::episode_steps>("episode_steps",
                                      "Control steps per episode; 0: the domain's default.",
                                      {.range = {0, 1e9}}),
        domain.key<&D::damage>(
            "damage",
            "Joints that cannot be controlled (`[\"J0\", \"J1\"]`, or their names in the model), "
            "and other changes of the model as `mees_adapt --damage` accepts them."),
        domain.key<&D::training_without>(
            "training_without",
            "Reward terms, such as `[\"alive\"]`, that are left out of the objective in training "
            "episodes. Evaluation, map and metrics keep them.",
            {.rule = "none twice", .owner = algorithms(KeyGroup::training_episodes)}),
        domain.key<&D::contact_forces>(
            "contact_forces",
            "Whether the observation includes the 84 contact forces of Gym's Ant-v2.",
            {.owner = domains(KeyGroup::contact_forces)}),
        domain.key<&D::contact_costs>(
            "contact_costs",
            "false: contact forces count as 0 in reward and observation, as under MuJoCo 2.0, the "
            "version of the authors' container, which does not compute them.",
            {.owner = domains(KeyGroup::contact_costs)}),
        domain.key<&D::integrator>(
            "integrator",
            "Integrator of the physics; model: the one that the model specifies (rk4 in the "
            "paper's domains). euler is about four times as fast as rk4.",
            {.owner = domains(KeyGroup::integrator)}),
        domain.key<&D::terminate>("terminate", "Whether a fall ends the episode.",
                                  {.owner = domains(KeyGroup::terminate)}),
        domain.key<&D::sleep_seconds>("sleep_seconds",
                                      "Mean duration of an episode that only sleeps.",
                                      {.range = {0, 86400}, .owner = domains(KeyGroup::sleep)}),
        domain.key<&D::sleep_spread>(
            "sleep_spread",
            "Distribution of these durations: uniform within 50 % of the mean, or lognormal (1 : "
            "30, as episodes of a robot that may fall).",
            {.owner = domains(KeyGroup::sleep)}),
    };
}

std::vector<Key> process_keys()
{
    return {
        process.key<&Process::command>(
            "command",
            "The program that serves the environment, and its arguments; see "
            "docs/process-domain.md. Each worker starts it. Names of files are looked up next to "
            "the configuration file, then in the working directory.",
            {.owner = domains(KeyGroup::process)}),
        process.key<&Process::step_timeout_seconds>(
            "step_timeout_seconds",
            "An environment that takes longer for a control step or a reset ends the run. May "
            "differ when a run is resumed, like restarts and batch.",
            {.range = {0.001, 86400}, .owner = domains(KeyGroup::process)}),
        process.key<&Process::restarts>(
            "restarts",
            "How often an episode is repeated in a new process if its process dies; after that, "
            "the run ends.",
            {.range = {0, 1000}, .owner = domains(KeyGroup::process)}),
        process.key<&Process::batch>(
            "batch",
            "Episodes that one process runs at once, each in an environment of its own, so that "
            "they share the cost of a message per control step. Memory per worker grows with it.",
            {.range = {1, 10'000}, .owner = domains(KeyGroup::process)}),
    };
}

std::vector<Key> mjcf_model_keys()
{
    return {
        mjcf.key<&J::model>("model",
                            "The MJCF file; a relative path is looked up next to the configuration "
                            "file, then in the working directory.",
                            {.owner = domains(KeyGroup::mjcf), .is_path = true}),
        mjcf.key<&J::frame_skip>("frame_skip", "Time steps of the model per control step.",
                                 {.range = {1, 1e6}, .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::action>(
            "action",
            "How the controller's outputs become controls. ctrlrange: -1..1 is mapped to each "
            "motor's control range; raw: as they are; auto: ctrlrange unless all ranges are -1..1.",
            {.owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::start>("start",
                            "The model's keyframe in which episodes start, before reset_noise; "
                            "empty: the model's reference pose (qpos0).",
                            {.owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::reset_noise>("reset_noise",
                                  "An episode starts from the start pose + U(-noise, noise) per "
                                  "coordinate and noise * N(0, 1) per velocity.",
                                  {.range = {0, 1e6}, .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::observation>(
            "observation", "The parts of the observation, in this order.",
            {.rule = "at least one, without duplicates", .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::observation_skip>(
            "observation_skip",
            "Leading coordinates of qpos that are left out (such as the position in the world).",
            {.range = {0, 1e6}, .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::observation_body>(
            "observation_body",
            "The body of the parts subtree_com and orientation; empty: the model's first body.",
            {.owner = domains(KeyGroup::mjcf)}),
    };
}

std::vector<Key> mjcf_end_keys()
{
    return {
        mjcf.key<&J::height_body>("height_body",
                                  "The body whose height ends the episode when it leaves "
                                  "height_lower to height_upper; empty: none.",
                                  {.owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::height_lower>(
            "height_lower", "See height_body.",
            {.rule = "below height_upper", .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::height_upper>(
            "height_upper", "See height_body.",
            {.rule = "above height_lower", .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::tilt_body>("tilt_body",
                                "The body that ends the episode when its z axis is tilted by more "
                                "than tilt_upper; empty: none.",
                                {.owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::tilt_upper>("tilt_upper", "See tilt_body; in degrees.",
                                 {.range = {0, 180}, .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::end_geoms>("end_geoms",
                                "Geoms that end the episode when one of them touches floor_geom.",
                                {.rule = "without duplicates", .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::range_body>("range_body",
                                 "The body that ends the episode when it is farther than "
                                 "range_upper from the world's z axis; empty: none.",
                                 {.owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::range_upper>("range_upper", "See range_body; in metres.",
                                  {.range = {0, 1e9}, .owner = domains(KeyGroup::mjcf)}),
    };
}

std::vector<Key> mjcf_behaviour_keys()
{
    return {
        mjcf.key<&J::bc>(
            "bc",
            "The behaviour characterisation: the final x, y of bc_body (final_position) or its x, "
            "z (final_xz); per geom of bc_geoms the share of steps in which it touches floor_geom "
            "(contact_share: the duty factor of a foot); the mean x, y velocity of bc_body "
            "(mean_velocity), its mean roll, pitch and yaw (mean_orientation), its mean height "
            "(mean_height), its displacement in x, y with the final yaw (displacement_heading), or "
            "its "
            "displacement as seen from its initial pose, with the cosine and sine of the angle by "
            "which it has turned, which have one bin each (displacement; for mees_navigate). With "
            "ant: displacement, or else its own BC, the contact shares of its legs.",
            {.owner = domains(KeyGroup::behaviour)}),
        mjcf.key<&J::bc_extra>("bc_extra", "Further kinds, whose values follow those of bc.",
                               {.rule = "none twice", .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::bc_names>("bc_names", "Names of all values; empty: those of their kinds.",
                               {.rule = "none twice", .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::bc_body>("bc_body", "See bc; empty: the model's first body.",
                              {.owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::bc_geoms>("bc_geoms", "See bc.",
                               {.rule = "without duplicates", .owner = domains(KeyGroup::mjcf)}),
        mjcf.key<&J::floor_geom>("floor_geom", "See bc and end_geoms.",
                                 {.owner = domains(KeyGroup::mjcf)}),
    };
}

std::vector<Key> mjcf_reward_keys()
{
    return {
        mjcf.key<&J::reward>(
            "reward",
            "The reward is the weighted sum of these terms, each a table `[[domain.reward]]` with "
            "`kind` (forward_velocity: dx/dt of a body; target_speed: minus its distance to "
            "`target`, "
            "in m/s; lateral_cost: minus abs(dy/dt); heading: the cosine of the angle between the "
            "body's x axis and the world's; upright: the same of the z axes; height: the body's "
            "z; control_cost: minus the sum of squared actions; energy_cost: minus the motors' "
            "absolute power in W; alive: 1; distance: minus the distance of a body to a site or "
            "point), `weight` (default 1), `body` (default: the model's first), and for distance "
            "either `site` or `point` (2 or 3 numbers).",
            {.owner = domains(KeyGroup::mjcf)}),
    };
}

}  // namespace

std::vector<Key> domain_keys()
{
    auto keys = general_keys();
    for (auto part : {&process_keys, &mjcf_model_keys, &mjcf_end_keys, &mjcf_behaviour_keys,
                      &mjcf_reward_keys}) {
        auto const more = part();
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

}  // namespace mees::detail
