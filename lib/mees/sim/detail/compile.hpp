#pragma once

#include "mees/sim/mujoco.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace mees {

/// A model with everything in its file, and the reduced model that episodes are simulated with.
struct CompiledModel {
    MutableModel full;
    MutableModel reduced;  ///< null if there is none (reduced_model.hpp)
};

/// Compiles a model that ships with this project (models/<name>.xml).
[[nodiscard]] CompiledModel compile_shipped_model(std::string const& name);
/// Compiles an MJCF string. Throws FileError with the engine's reason; `name` is for the message.
[[nodiscard]] CompiledModel compile_model_text(std::string const& name, std::string_view text);
/// Compiles a model file, with the files that it includes.
[[nodiscard]] CompiledModel compile_model_file(std::filesystem::path const& path);

/// How many models this process has compiled, each of the two above being one.
[[nodiscard]] std::int64_t compilation_count();

}  // namespace mees
