#pragma once

#include "mees/sim/detail/model_text.hpp"
#include "mees/sim/mujoco.hpp"

#include <cstdint>
#include <filesystem>

namespace mees {

/// A model with everything in its file, and the reduced model that episodes are simulated with.
struct CompiledModel {
    MutableModel full;
    MutableModel reduced;        ///< null if there is none (reduced_model.hpp)
    MutableModel without_walls;  ///< made by MujocoDomain; null if there is none
};

/// Compiles a model with its assets. Throws FileError with the engine's reason.
[[nodiscard]] CompiledModel compile_model(ModelText const& model);
/// Compiles a model file, with the files that it includes.
[[nodiscard]] CompiledModel compile_model_file(std::filesystem::path const& path);

/// How many models this process has compiled, each of the two above being one.
[[nodiscard]] std::int64_t compilation_count();

}  // namespace mees
