#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// What a compiled model holds, as far as a recording tells of it.
struct ModelFigures {
    std::vector<double> body_mass;
    std::vector<double> body_inertia;  ///< bodies x 3
    std::vector<double> qpos0;
    std::vector<double> jnt_range;  ///< joints x 2
    std::vector<double> dof_armature;
    std::vector<double> dof_damping;
    std::vector<double> actuator_gear;
    std::vector<double> actuator_ctrlrange;  ///< motors x 2
};

/// A recorded trajectory, an independent program's or our own; row t tells of the state after
/// control step t.
struct Recording {
    std::string domain;
    std::string engine_version;
    std::string config;  ///< the whole configuration as TOML; "": the domain's defaults
    std::int64_t steps{0};
    ModelFigures model;
    std::vector<double> initial_qpos;
    std::vector<double> initial_qvel;
    std::vector<double> initial_observation;
    std::vector<double> action;
    std::vector<double> qpos;
    std::vector<double> qvel;
    std::vector<double> observation;
    std::vector<double> reward;
    std::vector<double> terminated;
    std::vector<double> bc;
    std::int64_t seed{0};                ///< not compared, like the next two
    std::vector<std::int32_t> contacts;  ///< how many there were
    std::vector<std::int64_t> sizes;     ///< nq, nv, nu, nbody, ngeom
};

/// How far this program is from a recording in one quantity.
struct Deviation {
    std::string quantity;
    double early{0};                           ///< largest over the steps that must agree
    double all{0};                             ///< largest over all steps
    std::optional<std::int64_t> first_beyond;  ///< first step beyond the tolerance
};

struct ReferenceCheck {
    static constexpr std::int64_t early_steps = 100;
    static constexpr double tolerance = 1e-6;
    static constexpr double model_tolerance = 1e-9;

    std::vector<Deviation> model;
    std::vector<Deviation> trajectory;

    /// Every model figure within model_tolerance, everything early within tolerance.
    [[nodiscard]] bool passed() const;
};

/// Puts the recording's domain, set up as its configuration says, into its initial state and drives
/// it with the recorded actions. Bodies that only the recording's model has are not compared.
/// Throws FileError for a domain that cannot be made or that has other sizes than the recording.
[[nodiscard]] ReferenceCheck check_reference(Recording const& recording);

}  // namespace mees
