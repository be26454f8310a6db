#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/sim/detail/mjcf_task.hpp"
#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees {
namespace {

struct Loaded {
    CompiledModel model;
    std::shared_ptr<ModelText const> source;  ///< null if maps cannot carry the model
};

Loaded load(ModelText model)
{
    auto compiled = compile_model(model);
    return {std::move(compiled), std::make_shared<ModelText const>(std::move(model))};
}

/// The file is compiled without its folder, as a map carries it, or else as it is: then messages
/// have the lines of the file.
Loaded load(std::string const& path)
{
    std::string why;
    try {
        return load(read_model_text(path));
    } catch (FileError const& error) {
        why = error.what();
    }
    Loaded loaded{compile_model_file(path), nullptr};
    log::warning("maps of this run do not carry the model {}: {}", path, why);
    return loaded;
}

}  // namespace

DomainPtr make_mjcf(DomainSettings const& settings, ModelText const* model)
{
    auto loaded = model != nullptr ? load(*model) : load(settings.mjcf.model);
    auto description = describe_mjcf(*loaded.model.full, settings);
    apply_settings(settings, description);
    auto notes = notes_on(*loaded.model.full, description);
    return std::make_shared<MujocoDomain const>(std::move(loaded.model), std::move(description),
                                                std::move(loaded.source), std::move(notes));
}

}  // namespace mees
