#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

struct ModelDeleter {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DataDeleter {
    void operator()(mjData* data) const { mj_deleteData(data); }
};

/// A model that is still being changed, and one that all threads may read.
using MutableModel = std::unique_ptr<mjModel, ModelDeleter>;
using ModelPtr = std::shared_ptr<mjModel const>;
using DataPtr = std::unique_ptr<mjData, DataDeleter>;

[[nodiscard]] MutableModel copy_model(mjModel const& model);
[[nodiscard]] DataPtr make_data(mjModel const& model);
/// Computes where bodies, cameras and lights are at `qpos`; no forces, no velocities.
void pose(mjModel const& model, mjData& data, std::span<double const> qpos);

/// Identifies the compiled model, including its damage and integrator.
[[nodiscard]] std::string model_sha256(mjModel const& model);

/// The id of the object of that name. Throws ConfigError with the names that the model has; `what`
/// names the type, such as "body".
[[nodiscard]] int find_id(mjModel const& model, mjtObj type, std::string const& name,
                          std::string_view what);
/// The same; "#3" also names the object with id 3, which may have no name.
[[nodiscard]] int find_numbered_id(mjModel const& model, mjtObj type, std::string const& name,
                                   std::string_view what);
/// The id of the camera of that name, if the model has one.
[[nodiscard]] std::optional<int> find_camera(mjModel const& model, std::string const& name);
/// The names of all objects of that type that have one.
[[nodiscard]] std::vector<std::string> names_of(mjModel const& model, mjtObj type);

}  // namespace mees
