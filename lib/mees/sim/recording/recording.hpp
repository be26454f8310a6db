#pragma once

#include "mees/sim/task.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// The figures of a compiled model that a recording contains.
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

/// A recorded trajectory, of an independent program or of this one; row t is the state after
/// control step t.
struct Recording {
    std::string domain;
    std::string engine_version;
    std::string config;  ///< the complete configuration as TOML; "": the domain's defaults
    std::shared_ptr<DomainDocument const> carried;  ///< the robot and its task; may be null
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
    std::vector<std::int32_t> contacts;  ///< number of contacts
    std::vector<std::int64_t> sizes;     ///< nq, nv, nu, nbody, ngeom
};

/// Records an episode.
class TrajectoryRecorder {
  public:
    /// `task` is in its initial state.
    TrajectoryRecorder(TaskSpec const& spec, PhysicsTask const& task, std::int64_t seed);

    /// `task` has just done `action`.
    void add(PhysicsTask const& task, std::span<double const> action);

    [[nodiscard]] Recording const& recording() const { return recording_; }

  private:
    Recording recording_;
    std::vector<double> observation_;
    std::vector<double> bc_;
};

}  // namespace mees
