#include "mees/sim/detail/walls.hpp"

#include <algorithm>
#include <cmath>

namespace mees {

bool is_static(mjModel const& model, int geom)
{
    return model.body_weldid[model.geom_bodyid[geom]] == 0;
}

bool can_touch(mjModel const& model, int one, int other)
{
    return (model.geom_contype[one] & model.geom_conaffinity[other]) != 0
           || (model.geom_contype[other] & model.geom_conaffinity[one]) != 0;
}

#if mjVERSION_HEADER >= 3014000

namespace {

/// Rounding errors of positions are far below it.
constexpr double slack = 0.01;  // metres

double length(mjtNum const* vector)
{
    return std::hypot(vector[0], vector[1], vector[2]);
}

/// The root of the robot, if nothing else moves and its size is bounded.
std::optional<int> bounded_robot(mjModel const& model)
{
    if (model.njnt == 0 || model.jnt_type[0] != mjJNT_FREE || model.nmocap > 0) {
        return std::nullopt;
    }
    int const root = model.jnt_bodyid[0];
    bool const bounded =
        model.body_parentid[root] == 0 && model.jnt_qposadr[0] == 0
        && std::all_of(model.jnt_type + 1, model.jnt_type + model.njnt,
                       [](int type) { return type == mjJNT_HINGE || type == mjJNT_BALL; });
    for (int body = 0; body < model.nbody; ++body) {
        if (model.body_weldid[body] != 0 && model.body_rootid[body] != root) {
            return std::nullopt;
        }
    }
    return bounded ? std::optional{root} : std::nullopt;
}

/// How far each body's origin can be from the root's.
std::vector<double> distances_from_root(mjModel const& model, int root)
{
    std::vector<double> distances(static_cast<std::size_t>(model.nbody));
    for (int body = root + 1; body < model.nbody; ++body) {
        if (model.body_rootid[body] != root) {
            continue;
        }
        auto& distance = distances[static_cast<std::size_t>(body)];
        distance = distances[static_cast<std::size_t>(model.body_parentid[body])]
                   + length(model.body_pos + 3 * body);
        for (int i = 0; i < model.body_jntnum[body]; ++i) {
            distance += 2 * length(model.jnt_pos + 3 * (model.body_jntadr[body] + i));
        }
    }
    return distances;
}

bool has_size(mjModel const& model, int geom)
{
    return model.geom_type[geom] != mjGEOM_PLANE && model.geom_type[geom] != mjGEOM_HFIELD;
}

/// The index of the floor's leaf in the world's tree of boxes, if all boxes above it rise well
/// above the floor, and the engine uses the tree.
std::optional<int> leaf_with_the_floor(mjModel const& model)
{
    constexpr double height = 0.001;  // metres; far above the engine's rounding
    bool const level = model.ngeom > 0 && model.geom_type[0] == mjGEOM_PLANE
                       && model.geom_bodyid[0] == 0 && model.geom_quat[1] == 0
                       && model.geom_quat[2] == 0 && (model.opt.disableflags & mjDSBL_MIDPHASE) == 0
                       && model.npair == 0 && model.nexclude == 0 && model.opt.enableflags == 0
                       && model.nflex == 0;
    int const first = model.body_bvhadr[0];
    int const count = level ? model.body_bvhnum[0] : 0;
    int leaf = -1;
    for (int node = first; node < first + count; ++node) {
        leaf = model.bvh_nodeid[node] == 0 ? node : leaf;
    }
    if (leaf <= first) {
        return std::nullopt;
    }
    // Parents come before their children.
    int above = leaf;
    for (int node = leaf - 1; node >= first; --node) {
        auto const* const children = model.bvh_child + 2 * node;
        if (first + children[0] != above && first + children[1] != above) {
            continue;
        }
        auto const* const box = model.bvh_aabb + 6 * node;
        if (box[2] + box[5] < model.geom_pos[2] + height || box[3] < mjMAXVAL
            || box[4] < mjMAXVAL) {
            return std::nullopt;
        }
        above = node;
    }
    return above == first ? std::optional{leaf} : std::nullopt;
}

}  // namespace

std::optional<Walls> Walls::of(mjModel const& model)
{
    auto const root = bounded_robot(model);
    if (!root) {
        return std::nullopt;
    }
    auto const data = make_data(model);
    mj_kinematics(&model, data.get());
    Walls walls;
    double margin = 0;
    std::vector<bool> touches(static_cast<std::size_t>(model.ngeom));
    for (int geom = 1; geom < model.ngeom; ++geom) {
        bool used = false;
        for (int other = 1; other < model.ngeom && is_static(model, geom); ++other) {
            if (!is_static(model, other) && can_touch(model, geom, other)) {
                used = true;
                touches[static_cast<std::size_t>(other)] = true;
            }
        }
        if (!used) {
            continue;
        }
        if (!has_size(model, geom)) {
            return std::nullopt;
        }
        Box box{};
        mju_mulMatVec3(box.centre.data(), data->geom_xmat + 9 * geom, model.geom_aabb + 6 * geom);
        mju_addTo3(box.centre.data(), data->geom_xpos + 3 * geom);
        std::copy_n(model.geom_aabb + 6 * geom + 3, 3, box.half.begin());
        std::copy_n(data->geom_xmat + 9 * geom, 9, box.axes.begin());
        walls.boxes_.push_back(box);
        margin = std::max(margin, model.geom_margin[geom] + model.geom_gap[geom]);
    }
    auto const distances = distances_from_root(model, *root);
    for (int geom = 1; geom < model.ngeom; ++geom) {
        if (touches[static_cast<std::size_t>(geom)]) {
            if (model.geom_rbound[geom] <= 0) {
                return std::nullopt;
            }
            walls.reach_ = std::max(
                walls.reach_, distances[static_cast<std::size_t>(model.geom_bodyid[geom])]
                                  + length(model.geom_pos + 3 * geom) + model.geom_rbound[geom]
                                  + model.geom_margin[geom] + model.geom_gap[geom] + margin);
        }
    }
    return walls.boxes_.empty() ? std::nullopt : std::optional{std::move(walls)};
}

double Walls::clearance(mjtNum const* position) const
{
    double least = mjMAXVAL;
    for (auto const& [centre, half, axes] : boxes_) {
        std::array<mjtNum, 3> const away{position[0] - centre[0], position[1] - centre[1],
                                         position[2] - centre[2]};
        double distance = -mjMAXVAL;
        for (std::size_t i = 0; i < 3; ++i) {
            double const along = away[0] * axes[i] + away[1] * axes[3 + i] + away[2] * axes[6 + i];
            distance = std::max(distance, std::abs(along) - half[i]);
        }
        least = distance < least ? distance : least;
    }
    return least - reach_ - slack;
}

std::vector<std::vector<mjtNum>> Walls::places(mjModel const& model) const
{
    std::vector<std::vector<mjtNum>> result;
    for (auto const& [centre, half, axes] : boxes_) {
        auto& place = result.emplace_back(model.qpos0, model.qpos0 + model.nq);
        std::array<mjtNum, 3> away{};
        std::array<mjtNum, 3> local{};
        mju_sub3(away.data(), place.data(), centre.data());
        mju_mulMatTVec3(local.data(), axes.data(), away.data());
        for (std::size_t i = 0; i < 3; ++i) {
            local[i] = std::clamp(local[i], -half[i], half[i]);
        }
        mju_mulMatVec3(place.data(), axes.data(), local.data());
        mju_addTo3(place.data(), centre.data());
    }
    return result;
}

MutableModel copy_without_walls(mjModel const& model)
{
    auto const leaf = leaf_with_the_floor(model);
    if (!leaf) {
        return nullptr;
    }
    auto open = copy_model(model);
    for (int geom = 1; geom < open->ngeom; ++geom) {
        if (is_static(*open, geom)) {
            open->geom_contype[geom] = 0;
            open->geom_conaffinity[geom] = 0;
        }
    }
    for (int body = 1; body < open->nbody; ++body) {
        if (open->body_weldid[body] == 0) {
            open->body_contype[body] = 0;
            open->body_conaffinity[body] = 0;
        }
    }
    open->body_contype[0] = open->geom_contype[0];
    open->body_conaffinity[0] = open->geom_conaffinity[0];
    open->body_bvhadr[0] = *leaf;
    open->body_bvhnum[0] = 1;
    return open;
}

#else

std::optional<Walls> Walls::of(mjModel const&)
{
    return std::nullopt;
}

MutableModel copy_without_walls(mjModel const&)
{
    return nullptr;
}

#endif

}  // namespace mees
