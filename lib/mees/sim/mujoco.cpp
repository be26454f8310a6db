#include "mees/sim/mujoco.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/sha256.hpp"
#include "mees/sim/lean_model.hpp"
#include "mees/sim/task.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>

namespace mees {
namespace {

std::map<std::string, std::string_view, std::less<>> const& shipped_models()
{
    static std::map<std::string, std::string_view, std::less<>> const models{
#include "model_table.inc"
    };
    return models;
}

/// The lines of an engine's message, joined by commas.
std::string one_line(std::string_view text)
{
    std::string joined;
    for (char const c : text) {
        if (c != '\n' && c != '\r') {
            joined += c;
        } else if (!joined.empty() && !joined.ends_with(' ')) {
            joined += joined.ends_with(':') ? " " : ", ";
        }
    }
    return joined.substr(0, joined.find_last_not_of(", ") + 1);
}

/// Without these the engine writes a log file into the current folder, and ends the process.
void install_handlers()
{
    static std::once_flag once;
    std::call_once(once, [] {
        mju_user_warning = [](char const* message) { log::debug("MuJoCo warns: {}", message); };
        mju_user_error = [](char const* message) {
            throw SimulationError{fmt::format("MuJoCo gave up: {}", one_line(message)),
                                  "the physics engine met what it cannot handle",
                                  "check the model and its sizes (memory, contacts)"};
        };
    });
}

/// Up to 3.1 a virtual file is made empty and then filled.
template <class Vfs>
void add_to_vfs(Vfs& vfs, char const* name, std::string_view text)
{
    auto const size = static_cast<int>(text.size());
    if constexpr (requires { mj_addBufferVFS(&vfs, name, text.data(), size); }) {
        mj_addBufferVFS(&vfs, name, text.data(), size);
    } else {
        mj_makeEmptyFileVFS(&vfs, name, size);
        std::memcpy(vfs.filedata[vfs.nfile - 1], text.data(), text.size());
    }
}

MutableModel compile(std::string const& file, mjVFS const* vfs, std::string const& name,
                     Detail detail)
{
    install_handlers();
    std::array<char, 1000> problem{};
    MutableModel model{
        mj_loadXML(file.c_str(), vfs, problem.data(), static_cast<int>(problem.size()))};
    if (!model) {
        throw FileError{fmt::format("the model {} cannot be used", name), one_line(problem.data()),
                        fmt::format("correct it for MuJoCo {}", engine_version())};
    }
    if (detail == Detail::lean) {
        if (auto lean = compile_lean_model(file, vfs, *model)) {
            return lean;
        }
    }
    return model;
}

}  // namespace

std::string engine_version()
{
    return mj_versionString();
}

MutableModel compile_shipped_model(std::string const& name, Detail detail)
{
    auto const found = shipped_models().find(name);
    expects(found != shipped_models().end(), "no model of that name ships with the program");
    return compile_model_text(name, found->second, detail);
}

MutableModel compile_model_text(std::string const& name, std::string_view text, Detail detail)
{
    auto const release = [](mjVFS* vfs) {
        mj_deleteVFS(vfs);
        delete vfs;
    };
    std::unique_ptr<mjVFS, decltype(release)> const vfs{new mjVFS, release};
    mj_defaultVFS(vfs.get());
    auto const file = name + ".xml";
    add_to_vfs(*vfs, file.c_str(), text);
    return compile(file, vfs.get(), name, detail);
}

MutableModel compile_model_file(std::filesystem::path const& path, Detail detail)
{
    if (!std::filesystem::exists(path)) {
        throw FileError{fmt::format("there is no model file {}", path.string()),
                        fmt::format("looked from {}", std::filesystem::current_path().string()),
                        "name an MJCF or URDF file by its path"};
    }
    return compile(path.string(), nullptr, path.string(), detail);
}

MutableModel copy_model(mjModel const& model)
{
    return MutableModel{mj_copyModel(nullptr, &model)};
}

DataPtr make_data(mjModel const& model)
{
    DataPtr data{mj_makeData(&model)};
    if (!data) {
        throw SimulationError{"a simulation could not be made", "out of memory",
                              "run fewer workers on this machine"};
    }
    return data;
}

void pose(mjModel const& model, mjData& data, std::span<double const> qpos)
{
    expects(std::ssize(qpos) == model.nq, "a position of this model");
    std::ranges::copy(qpos, data.qpos);
    mj_kinematics(&model, &data);
    mj_comPos(&model, &data);
    mj_camlight(&model, &data);
}

std::string model_sha256(mjModel const& model)
{
    auto const size = mj_sizeModel(&model);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    mj_saveModel(&model, nullptr, bytes.data(), static_cast<int>(size));
    return sha256(bytes);
}

std::vector<std::string> names_of(mjModel const& model, mjtObj type)
{
    std::vector<std::string> names;
    auto const count = [&] {
        switch (type) {
            case mjOBJ_BODY:
                return model.nbody;
            case mjOBJ_JOINT:
                return model.njnt;
            case mjOBJ_GEOM:
                return model.ngeom;
            case mjOBJ_SITE:
                return model.nsite;
            case mjOBJ_ACTUATOR:
                return model.nu;
            default:
                contract_violated("names of that type are not kept");
        }
    }();
    for (int id = 0; id < count; ++id) {
        if (auto const* name = mj_id2name(&model, type, id); name != nullptr && *name != 0) {
            names.emplace_back(name);
        }
    }
    return names;
}

std::optional<int> find_camera(mjModel const& model, std::string const& name)
{
    int const id = mj_name2id(&model, mjOBJ_CAMERA, name.c_str());
    return id >= 0 ? std::optional{id} : std::nullopt;
}

int find_id(mjModel const& model, mjtObj type, std::string const& name, std::string_view what)
{
    int const id = mj_name2id(&model, type, name.c_str());
    if (id < 0) {
        auto const problem = fmt::format("the model has no {} \"{}\"", what, name);
        auto const names = names_of(model, type);
        if (names.empty()) {
            throw ConfigError{problem, "none has a name", "give it one in the model"};
        }
        throw ConfigError{problem, fmt::format("there are: {}", fmt::join(names, ", ")),
                          "use one of these names"};
    }
    return id;
}

}  // namespace mees
