#pragma once

#include "mees/sim/task.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// A model that needs no other file: MJCF without includes, and the files that it refers to.
struct ModelText {
    std::string name;  ///< for messages
    std::string text;
    std::vector<ModelAsset> assets;
};

/// Reads a model file with all files that it includes or refers to; comments are left out. Throws
/// FileError if one is missing, or if together they are larger than a map may carry.
[[nodiscard]] ModelText read_model_text(std::filesystem::path const& path);

/// Throws FileError if compiling the model would read a file, so that a model from someone else
/// can be compiled.
void require_self_contained(ModelText const& model);

}  // namespace mees
