#include "mees/sim/detail/apply_damage.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/mujoco.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <algorithm>
#include <numbers>

namespace mees {
namespace {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// Volume, centre and (about that centre) second moments of a solid of density 1.
struct Solid {
    double volume{0};
    Vec3 centre{Vec3::Zero()};
    Mat3 inertia{Mat3::Zero()};
};

Mat3 parallel_axis(double mass, Vec3 const& offset)
{
    return mass * (offset.squaredNorm() * Mat3::Identity() - offset * offset.transpose());
}

Vec3 box_inertia(double mass, double x, double y, double z)
{
    return mass / 3 * Vec3{y * y + z * z, x * x + z * z, x * x + y * y};
}

/// Of the geom in its own frame. Capsule: a cylinder and two half spheres, each with its centre of
/// mass 3/8 of the radius outside the cylinder's end.
std::pair<double, Vec3> volume_and_inertia(mjModel const& model, int geom)
{
    auto const* size = model.geom_size + 3 * geom;
    double const r = size[0];
    double const h = size[1];
    constexpr double pi = std::numbers::pi;
    double const ball = 4.0 / 3 * pi * r * r * r;
    double const rod = 2 * pi * r * r * h;
    Vec3 const rod_inertia = rod * Vec3{r * r / 4 + h * h / 3, r * r / 4 + h * h / 3, r * r / 2};
    switch (model.geom_type[geom]) {
        case mjGEOM_SPHERE:
            return {ball, 0.4 * ball * r * r * Vec3::Ones()};
        case mjGEOM_CYLINDER:
            return {rod, rod_inertia};
        case mjGEOM_CAPSULE: {
            double const across = ball * (0.4 * r * r + h * h + 0.75 * h * r);
            return {ball + rod, rod_inertia + Vec3{across, across, 0.4 * ball * r * r}};
        }
        case mjGEOM_BOX: {
            double const volume = 8 * size[0] * size[1] * size[2];
            return {volume, box_inertia(volume, size[0], size[1], size[2])};
        }
        default:
            throw ConfigError{"cannot shorten a body",
                              "it has a geom that is not a sphere, capsule, cylinder or box",
                              "Shorten another body."};
    }
}

Solid solid_of(mjModel const& model, int body)
{
    Solid solid;
    int const first = model.body_geomadr[body];
    for (int geom = first; geom < first + model.body_geomnum[body]; ++geom) {
        auto const [volume, moments] = volume_and_inertia(model, geom);
        Vec3 const centre{model.geom_pos + 3 * geom};
        auto const* q = model.geom_quat + 4 * geom;
        Mat3 const turn = Eigen::Quaterniond{q[0], q[1], q[2], q[3]}.toRotationMatrix();
        solid.volume += volume;
        solid.centre += volume * centre;
        solid.inertia += turn * moments.asDiagonal() * turn.transpose();
        solid.inertia += parallel_axis(volume, centre);
    }
    if (solid.volume > 0) {
        solid.centre /= solid.volume;
        solid.inertia -= parallel_axis(solid.volume, solid.centre);
    }
    return solid;
}

void scale_positions(mjtNum* positions, int const* owner, auto count, int body, double factor)
{
    for (int i = 0; i < count; ++i) {
        if (owner[i] == body) {
            mju_scl3(positions + 3 * i, positions + 3 * i, factor);
        }
    }
}

void scale_geom(mjModel& model, int geom, double factor)
{
    auto* size = model.geom_size + 3 * geom;
    switch (model.geom_type[geom]) {
        case mjGEOM_CAPSULE:
            size[1] *= factor;
            model.geom_rbound[geom] = size[0] + size[1];
            break;
        case mjGEOM_CYLINDER:
            size[1] *= factor;
            model.geom_rbound[geom] = std::hypot(size[0], size[1]);
            break;
        case mjGEOM_BOX:
            *std::max_element(size, size + 3) *= factor;
            model.geom_rbound[geom] = mju_norm3(size);
            break;
        default:
            break;
    }
    mju_scl3(model.geom_pos + 3 * geom, model.geom_pos + 3 * geom, factor);
}

}  // namespace

void shorten_body(mjModel& model, int body, double factor)
{
    expects(factor > 0 && factor <= 1,
            "the share of a length that remains is above 0 and at most 1");
    Solid const before = body == 0 ? Solid{} : solid_of(model, body);
    if (!(before.volume > 0)) {
        throw ConfigError{"cannot shorten a body", "it is the world or has no geoms",
                          "Shorten another body."};
    }
    double const density = model.body_mass[body] / before.volume;
    int const first = model.body_geomadr[body];
    for (int geom = first; geom < first + model.body_geomnum[body]; ++geom) {
        scale_geom(model, geom, factor);
    }
    scale_positions(model.body_pos, model.body_parentid, model.nbody, body, factor);
    scale_positions(model.site_pos, model.site_bodyid, model.nsite, body, factor);

    Solid const after = solid_of(model, body);
    model.body_mass[body] = density * after.volume;
    Eigen::Map<Vec3>{model.body_ipos + 3 * body} = after.centre;
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> const inertia = density * after.inertia;
    mjtNum axes[9];
    mju_eig3(model.body_inertia + 3 * body, axes, model.body_iquat + 4 * body, inertia.data());
}

}  // namespace mees
