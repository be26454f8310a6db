#include "mees/sim/mujoco.hpp"

#include "mees/core/error.hpp"
#include "mees/core/sha256.hpp"
#include "mees/sim/task.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace mees {

std::string engine_version()
{
    return mj_versionString();
}

MutableModel copy_model(mjModel const& model)
{
    return MutableModel{mj_copyModel(nullptr, &model)};
}

DataPtr make_data(mjModel const& model)
{
    DataPtr data{mj_makeData(&model)};
    if (!data) {
        throw SimulationError{"cannot create a simulation", "out of memory",
                              "Run fewer workers on this machine."};
    }
    return data;
}

void pose(mjModel const& model, mjData& data, std::span<double const> qpos)
{
    expects(std::ssize(qpos) == model.nq, "a position has the model's number of coordinates");
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

namespace {

int count_of(mjModel const& model, mjtObj type)
{
    switch (type) {
        case mjOBJ_BODY:
            return static_cast<int>(model.nbody);
        case mjOBJ_JOINT:
            return static_cast<int>(model.njnt);
        case mjOBJ_GEOM:
            return static_cast<int>(model.ngeom);
        case mjOBJ_SITE:
            return static_cast<int>(model.nsite);
        case mjOBJ_ACTUATOR:
            return static_cast<int>(model.nu);
        case mjOBJ_KEY:
            return static_cast<int>(model.nkey);
        default:
            contract_violated("a type of objects that a task can name");
    }
}

}  // namespace

std::vector<std::string> names_of(mjModel const& model, mjtObj type)
{
    std::vector<std::string> names;
    for (int id = 0; id < count_of(model, type); ++id) {
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
            throw ConfigError{problem, fmt::format("none of its {} objects has a name", what),
                              "Name it in the model."};
        }
        throw ConfigError{problem, fmt::format("its names are {}", fmt::join(names, ", ")),
                          "Use one of these names."};
    }
    return id;
}

int find_numbered_id(mjModel const& model, mjtObj type, std::string const& name,
                     std::string_view what)
{
    int id = -1;
    auto const* end = name.data() + name.size();
    bool const numbered = name.starts_with('#')
                          && std::from_chars(name.data() + 1, end, id).ptr == end && id >= 0
                          && id < count_of(model, type);
    return numbered && mj_name2id(&model, type, name.c_str()) < 0
               ? id
               : find_id(model, type, name, what);
}

}  // namespace mees
