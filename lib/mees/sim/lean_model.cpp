#include "mees/sim/lean_model.hpp"

#include "mees/core/error.hpp"

#if mjVERSION_HEADER >= 3014000

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace mees {
namespace {

struct DescriptionDeleter {
    void operator()(mjSpec* description) const { mj_deleteSpec(description); }
};

constexpr int trial_steps = 20;
constexpr double far_above = 100;  // metres: every robot is below such a plane

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

/// Whether the model's tendons only measure lengths that nobody reads.
bool tendons_idle(mjModel const& model)
{
    auto const count = model.ntendon;
    bool const pulled =
        std::any_of(model.actuator_trntype, model.actuator_trntype + model.nactuator,
                    [](int type) { return type == mjTRN_TENDON; });
    return !pulled && model.neq == 0 && model.nsensor == 0 && model.nplugin == 0
           && model.opt.enableflags == 0 && all_zero(model.tendon_limited, count)
           && all_zero(model.tendon_actfrclimited, count) && all_zero(model.tendon_stiffness, count)
           && all_zero(model.tendon_damping, count)
           && all_zero(model.tendon_stiffnesspoly, mjNPOLY * count)
           && all_zero(model.tendon_dampingpoly, mjNPOLY * count)
           && all_zero(model.tendon_armature, count) && all_zero(model.tendon_frictionloss, count);
}

int unused_constraints(mjModel const& model)
{
    bool const slides = all_zero(model.dof_frictionloss, model.nv)
                        && all_zero(model.tendon_frictionloss, model.ntendon);
    return (model.neq == 0 ? mjDSBL_EQUALITY : 0) | (model.nsensor == 0 ? mjDSBL_SENSOR : 0)
           | (slides ? mjDSBL_FRICTIONLOSS : 0);
}

bool can_touch(mjModel const& model, int one, int other)
{
    return (model.geom_contype[one] & model.geom_conaffinity[other]) != 0
           || (model.geom_contype[other] & model.geom_conaffinity[one]) != 0;
}

/// The geoms that can touch the plane, if it is geom 0 and nothing else can touch; else none.
///
/// One geom a body: then there is one order in which the engine can find their contacts.
std::vector<int> geoms_on_a_plane(mjModel const& model)
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

void list_pairs(mjSpec& description, mjModel const& whole)
{
    auto const touching = geoms_on_a_plane(whole);
    auto const name = [&](int geom) { return mj_id2name(&whole, mjOBJ_GEOM, geom); };
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

void make_lean(mjSpec& description, mjModel const& whole)
{
    remove_all(description, mjOBJ_CAMERA);
    remove_all(description, mjOBJ_LIGHT);
    if (tendons_idle(whole)) {
        remove_all(description, mjOBJ_TENDON);
    }
    description.option.disableflags |= unused_constraints(whole);
    list_pairs(description, whole);
}

/// All contacts that the model can have with its plane: those of a robot that lies under it.
std::vector<mjContact> contacts_under_the_plane(mjModel const& model)
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

/// All that collision writes, place and parameters; what the solver adds is behind it.
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

/// Whether ids mean the same: what is left out may have kept the compiler from leaving out more.
bool same_sizes(mjModel const& one, mjModel const& other)
{
    auto const sizes = [](mjModel const& m) {
        return std::array{m.nq, m.nv, m.nu, m.na, m.nbody, m.njnt, m.ngeom, m.nsite, m.ntree};
    };
    return sizes(one) == sizes(other);
}

/// The state after a few steps from a wild start.
std::vector<mjtNum> state_after_trial(mjModel const& model)
{
    auto const data = make_data(model);
    auto const wild = [](mjtNum* values, auto count, double scale) {
        for (int i = 0; i < count; ++i) {
            values[i] = scale * std::sin(i + 1);
        }
    };
    wild(data->qvel, model.nv, 0.5);
    wild(data->ctrl, model.nu, 1);
    for (int step = 0; step < trial_steps; ++step) {
        mj_step(&model, data.get());
    }
    std::vector<mjtNum> state{data->qpos, data->qpos + model.nq};
    state.insert(state.end(), data->qvel, data->qvel + model.nv);
    return state;
}

/// Gives the listed pairs the contacts of the whole model; false if they are not to be had.
bool take_contacts(mjModel& lean, mjModel const& whole)
{
    auto const wanted = contacts_under_the_plane(whole);
    for (int pair = 0; pair < lean.npair; ++pair) {
        auto const found = std::ranges::find_if(
            wanted, [&](mjContact const& c) { return c.geom[1] == lean.pair_geom2[pair]; });
        if (found == wanted.end()) {
            return false;
        }
        set_parameters(lean, pair, *found);
    }
    return std::ranges::equal(contacts_under_the_plane(lean), wanted, same_contact);
}

}  // namespace

MutableModel compile_lean_model(std::string const& file, mjVFS const* vfs, mjModel const& whole)
{
    std::unique_ptr<mjSpec, DescriptionDeleter> const description{
        mj_parseXML(file.c_str(), vfs, nullptr, 0)};
    if (!description) {
        return nullptr;
    }
    make_lean(*description, whole);
    MutableModel lean{mj_compile(description.get(), vfs)};
    return lean && same_sizes(*lean, whole) ? std::move(lean) : nullptr;
}

bool make_alike(mjModel& lean, mjModel const& whole)
{
    try {
        return (lean.npair == whole.npair || take_contacts(lean, whole))
               && state_after_trial(lean) == state_after_trial(whole);
    } catch (SimulationError const&) {
        return false;  // a model with little memory of its own
    }
}

}  // namespace mees

#else

namespace mees {

MutableModel compile_lean_model(std::string const&, mjVFS const*, mjModel const&)
{
    return nullptr;
}

bool make_alike(mjModel&, mjModel const&)
{
    return true;
}

}  // namespace mees

#endif
