#include "mees/sim/detail/reduced_model.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/detail/model_steps.hpp"
#include "mees/sim/detail/walls.hpp"

#if mjVERSION_HEADER >= 3014000

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>

namespace mees {
namespace {

struct DescriptionDeleter {
    void operator()(mjSpec* description) const { mj_deleteSpec(description); }
};

constexpr int trial_steps = 20;
constexpr double far_above = 100;  // metres: any robot is below a plane at that height

bool all_zero(auto const* values, auto count)
{
    return std::all_of(values, values + count, [](auto value) { return value == 0; });
}

void remove_all(mjSpec& description, mjtObj type)
{
    while (auto* const element = mjs_firstElement(&description, type)) {
        mjs_delete(&description, element);
    }
}

/// Whether the model's tendons exert no force and nothing reads their lengths.
bool tendons_are_unused(mjModel const& model)
{
    auto const count = model.ntendon;
    bool const actuated =
        std::any_of(model.actuator_trntype, model.actuator_trntype + model.nactuator,
                    [](int type) { return type == mjTRN_TENDON; });
    return !actuated && model.neq == 0 && model.nsensor == 0 && model.nplugin == 0
           && model.opt.enableflags == 0 && all_zero(model.tendon_limited, count)
           && all_zero(model.tendon_actfrclimited, count) && all_zero(model.tendon_stiffness, count)
           && all_zero(model.tendon_damping, count)
           && all_zero(model.tendon_stiffnesspoly, mjNPOLY * count)
           && all_zero(model.tendon_dampingpoly, mjNPOLY * count)
           && all_zero(model.tendon_armature, count) && all_zero(model.tendon_frictionloss, count);
}

int unused_constraints(mjModel const& model)
{
    bool const frictionless = all_zero(model.dof_frictionloss, model.nv)
                              && all_zero(model.tendon_frictionloss, model.ntendon);
    return (model.neq == 0 ? mjDSBL_EQUALITY : 0) | (model.nsensor == 0 ? mjDSBL_SENSOR : 0)
           | (frictionless ? mjDSBL_FRICTIONLOSS : 0);
}

/// The geoms that can touch the plane, if it is geom 0 and nothing else can touch; else none.
///
/// At most one geom per body: then the engine can find their contacts in one order only.
std::vector<int> geoms_that_touch_the_plane(mjModel const& model)
{
    bool const simple = model.ngeom > 0 && model.geom_type[0] == mjGEOM_PLANE && model.npair == 0
                        && model.nexclude == 0 && model.nflex == 0 && model.nplugin == 0
                        && model.opt.enableflags == 0 && all_zero(model.geom_gap, model.ngeom)
                        && std::all_of(model.body_geomnum, model.body_geomnum + model.nbody,
                                       [](int count) { return count <= 1; });
    std::vector<int> geoms;
    for (int geom = 1; simple && geom < model.ngeom; ++geom) {
        for (int other = geom + 1; other < model.ngeom; ++other) {
            if (can_touch(model, geom, other)) {
                return {};
            }
        }
        if (can_touch(model, 0, geom)) {
            geoms.push_back(geom);
        }
    }
    return geoms;
}

void list_pairs(mjSpec& description, mjModel const& full)
{
    auto const touching = geoms_that_touch_the_plane(full);
    auto const name = [&](int geom) { return mj_id2name(&full, mjOBJ_GEOM, geom); };
    auto const named = [&](int geom) { return name(geom) != nullptr; };
    if (touching.empty() || !named(0) || !std::ranges::all_of(touching, named)) {
        return;
    }
    for (auto* element = mjs_firstElement(&description, mjOBJ_GEOM); element != nullptr;
         element = mjs_nextElement(&description, element)) {
        auto* const geom = mjs_asGeom(element);
        geom->contype = 0;
        geom->conaffinity = 0;
    }
    for (int const geom : touching) {
        auto* const pair = mjs_addPair(&description, nullptr);
        mjs_setString(pair->geomname1, name(0));
        mjs_setString(pair->geomname2, name(geom));
    }
}

void reduce(mjSpec& description, mjModel const& full)
{
    remove_all(description, mjOBJ_CAMERA);
    remove_all(description, mjOBJ_LIGHT);
    if (tendons_are_unused(full)) {
        remove_all(description, mjOBJ_TENDON);
    }
    description.option.disableflags |= unused_constraints(full);
    list_pairs(description, full);
}

/// All contacts that the model can have with its plane: those of a robot that is below it.
std::vector<mjContact> contacts_below_the_plane(mjModel const& model)
{
    auto const raised = copy_model(model);
    auto const data = make_data(*raised);
    constexpr std::array<mjtNum, 3> up{0, 0, far_above};
    std::array<mjtNum, 3> way{};
    mju_rotVecQuat(way.data(), up.data(), raised->geom_quat);
    mju_addTo3(raised->geom_pos, way.data());
    raised->geom_sameframe[0] = mjSAMEFRAME_NONE;
    mj_kinematics(raised.get(), data.get());
    mj_comPos(raised.get(), data.get());
    mj_collision(raised.get(), data.get());
    return {data->contact, data->contact + data->ncon};
}

/// Compares all that collision detection writes, position and parameters; the solver's fields
/// follow.
bool same_contact(mjContact const& one, mjContact const& other)
{
    return std::memcmp(&one, &other, offsetof(mjContact, mu)) == 0 && one.dim == other.dim
           && std::ranges::equal(one.geom, other.geom);
}

void set_parameters(mjModel& model, int pair, mjContact const& contact)
{
    model.pair_dim[pair] = contact.dim;
    model.pair_margin[pair] = contact.includemargin;
    model.pair_gap[pair] = 0;
    model.pair_adhesion[pair] = contact.adhesion;
    std::ranges::copy(contact.friction, model.pair_friction + 5 * pair);
    std::ranges::copy(contact.solref, model.pair_solref + mjNREF * pair);
    std::ranges::copy(contact.solreffriction, model.pair_solreffriction + mjNREF * pair);
    std::ranges::copy(contact.solimp, model.pair_solimp + mjNIMP * pair);
}

/// Whether ids are kept: the compiler may drop more if what referred to it has been removed.
bool same_sizes(mjModel const& one, mjModel const& other)
{
    auto const sizes = [](mjModel const& m) {
        return std::array{m.nq, m.nv, m.nu, m.na, m.nbody, m.njnt, m.ngeom, m.nsite, m.ntree};
    };
    return sizes(one) == sizes(other);
}

/// The state after a few steps with large velocities and controls. `open` as for ModelSteps; with
/// `start`, the robot begins there.
std::vector<mjtNum> state_after_trial(mjModel const& model, mjModel const* open = nullptr,
                                      std::span<mjtNum const> start = {})
{
    auto const data = make_data(model);
    std::ranges::copy(start, data->qpos);
    ModelSteps steps{model, open};
    auto const fill = [](mjtNum* values, auto count, double scale) {
        for (int i = 0; i < count; ++i) {
            values[i] = scale * std::sin(i + 1);
        }
    };
    fill(data->qvel, model.nv, 0.5);
    fill(data->ctrl, model.nu, 1);
    for (int step = 0; step < trial_steps; ++step) {
        steps.step(*data);
    }
    std::vector<mjtNum> state{data->qpos, data->qpos + model.nq};
    state.insert(state.end(), data->qvel, data->qvel + model.nv);
    return state;
}

/// Gives the listed pairs the contact parameters of the full model; false if that is impossible.
bool copy_contacts(mjModel& reduced, mjModel const& full)
{
    auto const wanted = contacts_below_the_plane(full);
    for (int pair = 0; pair < reduced.npair; ++pair) {
        auto const found = std::ranges::find_if(
            wanted, [&](mjContact const& c) { return c.geom[1] == reduced.pair_geom2[pair]; });
        if (found == wanted.end()) {
            return false;
        }
        set_parameters(reduced, pair, *found);
    }
    return std::ranges::equal(contacts_below_the_plane(reduced), wanted, same_contact);
}

}  // namespace

MutableModel compile_reduced_model(std::string const& file, mjVFS const* vfs, mjModel const& full)
{
    std::unique_ptr<mjSpec, DescriptionDeleter> const description{
        mj_parseXML(file.c_str(), vfs, nullptr, 0)};
    if (!description) {
        return nullptr;
    }
    reduce(*description, full);
    MutableModel reduced{mj_compile(description.get(), vfs)};
    return reduced && same_sizes(*reduced, full) ? std::move(reduced) : nullptr;
}

bool match_contacts(mjModel& reduced, mjModel const& full)
{
    try {
        return (reduced.npair == full.npair || copy_contacts(reduced, full))
               && state_after_trial(reduced) == state_after_trial(full);
    } catch (SimulationError const&) {
        return false;  // the model sets too little memory for the trial
    }
}

MutableModel without_walls(mjModel const& reduced, mjModel const& full)
{
    try {
        auto const walls = Walls::of(reduced);
        auto open = walls ? copy_without_walls(reduced) : nullptr;
        auto const same = [&](std::span<mjtNum const> start) {
            return state_after_trial(reduced, open.get(), start)
                   == state_after_trial(full, nullptr, start);
        };
        bool const usable = open && same({}) && std::ranges::all_of(walls->places(reduced), same);
        return usable ? std::move(open) : nullptr;
    } catch (SimulationError const&) {
        return nullptr;  // the model sets too little memory for the trial
    }
}

}  // namespace mees

#else

namespace mees {

MutableModel compile_reduced_model(std::string const&, mjVFS const*, mjModel const&)
{
    return nullptr;
}

bool match_contacts(mjModel&, mjModel const&)
{
    return true;
}

MutableModel without_walls(mjModel const&, mjModel const&)
{
    return nullptr;
}

}  // namespace mees

#endif
