#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
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

/// A model that is still being changed, and one that every thread may read.
using MutableModel = std::unique_ptr<mjModel, ModelDeleter>;
using ModelPtr = std::shared_ptr<mjModel const>;
using DataPtr = std::unique_ptr<mjData, DataDeleter>;

/// A model with all that its file describes, and its lean twin that episodes are simulated with.
enum class Detail { whole, lean };

/// Compiles a model that ships with this project (models/<name>.xml).
[[nodiscard]] MutableModel compile_shipped_model(std::string const& name,
                                                 Detail detail = Detail::whole);
/// Compiles MJCF text. Throws FileError with the engine's reason; `name` is for the message.
[[nodiscard]] MutableModel compile_model_text(std::string const& name, std::string_view text,
                                              Detail detail = Detail::whole);
/// Compiles a model file, with the files that it includes.
[[nodiscard]] MutableModel compile_model_file(std::filesystem::path const& path,
                                              Detail detail = Detail::whole);

[[nodiscard]] MutableModel copy_model(mjModel const& model);
[[nodiscard]] DataPtr make_data(mjModel const& model);
/// Puts bodies, cameras and lights where `qpos` has them; no forces, no velocities.
void pose(mjModel const& model, mjData& data, std::span<double const> qpos);

/// Identifies everything in the compiled model, damage and integrator too.
[[nodiscard]] std::string model_sha256(mjModel const& model);

/// The id of the thing of that name. Throws ConfigError that lists the names there are; `what` says
/// what was looked for, such as "body".
[[nodiscard]] int find_id(mjModel const& model, mjtObj type, std::string const& name,
                          std::string_view what);
/// The id of the camera of that name, if there is one.
[[nodiscard]] std::optional<int> find_camera(mjModel const& model, std::string const& name);
/// The names of all things of that type that have one.
[[nodiscard]] std::vector<std::string> names_of(mjModel const& model, mjtObj type);

}  // namespace mees
