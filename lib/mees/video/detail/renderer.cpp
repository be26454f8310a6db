#include "mees/video/detail/renderer.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <vector>

namespace mees {
namespace {

using Point = Eigen::Vector3d;

constexpr int most_geoms = 2000;
constexpr int finest_shadow = 1024;
constexpr float transparent = 0.25F;

/// Limbs that meet in a joint end in the same sphere, which would be drawn in both colours: every
/// second body of a chain is drawn 1 % thinner.
void separate_coincident_surfaces(mjModel& model)
{
    std::vector<int> depth(static_cast<std::size_t>(model.nbody), 0);
    for (int body = 1; body < model.nbody; ++body) {
        depth[static_cast<std::size_t>(body)] =
            depth[static_cast<std::size_t>(model.body_parentid[body])] + 1;
    }
    for (int geom = 0; geom < model.ngeom; ++geom) {
        bool const second = depth[static_cast<std::size_t>(model.geom_bodyid[geom])] % 2 == 0;
        if (model.geom_type[geom] == mjGEOM_CAPSULE && second) {
            model.geom_size[3 * geom] *= 0.99;
        }
    }
}

/// A copy of the model with an off-screen buffer that is large enough and with shadows that are
/// cheap enough to draw without a graphics card.
MutableModel prepared_copy(mjModel const& model, int width, int height)
{
    auto copy = copy_model(model);
    copy->vis.global.offwidth = std::max(copy->vis.global.offwidth, width);
    copy->vis.global.offheight = std::max(copy->vis.global.offheight, height);
    copy->vis.quality.shadowsize = std::min(copy->vis.quality.shadowsize, finest_shadow);
    separate_coincident_surfaces(*copy);
    return copy;
}

/// Letters keep their share of the height; those of a strip are enlarged, as it is shrunk.
mjtFontScale font_scale(int height, Lettering lettering)
{
    int const wanted = (lettering == Lettering::large ? 300 : 150) * height / 720;
    int const rounded = (wanted + 25) / 50 * 50;
    return static_cast<mjtFontScale>(
        std::clamp(rounded, static_cast<int>(mjFONTSCALE_50), static_cast<int>(mjFONTSCALE_300)));
}

mjvCamera following_camera(mjModel const& model)
{
    mjvCamera camera;
    mjv_defaultCamera(&camera);
    if (auto const track = find_camera(model, "track")) {
        camera.type = mjCAMERA_FIXED;
        camera.fixedcamid = *track;
        return camera;
    }
    camera.type = mjCAMERA_TRACKING;
    camera.trackbodyid = std::min(1, static_cast<int>(model.nbody) - 1);
    camera.distance = 1.5 * model.stat.extent;
    camera.azimuth = 90;
    camera.elevation = -25;
    return camera;
}

int followed_body(mjModel const& model, mjvCamera const& camera)
{
    return camera.type == mjCAMERA_FIXED ? model.cam_bodyid[camera.fixedcamid] : camera.trackbodyid;
}

/// Whether the straight line between two points crosses a box.
bool is_between(mjvGeom const& box, Point const& from, Point const& to)
{
    Eigen::Matrix3d const axes =
        Eigen::Map<Eigen::Matrix<float, 3, 3, Eigen::RowMajor> const>{box.mat}.cast<double>();
    Point const centre = Eigen::Map<Eigen::Vector3f const>{box.pos}.cast<double>();
    Point const begin = axes.transpose() * (from - centre);
    Point const way = axes.transpose() * (to - from);
    double first = 0;
    double last = 1;
    for (int i = 0; i < 3; ++i) {
        double const in = (-box.size[i] - begin[i]) / way[i];
        double const out = (box.size[i] - begin[i]) / way[i];
        first = std::max(first, std::min(in, out));
        last = std::min(last, std::max(in, out));
    }
    return first < last;
}

/// Draws walls that hide the robot transparently.
void make_walls_transparent(mjvScene& scene, Point const& robot)
{
    Point const eye = (Eigen::Map<Eigen::Vector3f>{scene.camera[0].pos}
                       + Eigen::Map<Eigen::Vector3f>{scene.camera[1].pos})
                          .cast<double>()
                      / 2;
    for (int i = 0; i < scene.ngeom; ++i) {
        auto& geom = scene.geoms[i];
        if (geom.type == mjGEOM_BOX && geom.category != mjCAT_DYNAMIC
            && is_between(geom, eye, robot)) {
            geom.rgba[3] = std::min(geom.rgba[3], transparent);
        }
    }
}

/// Those for which the scene has room.
void add_decorations(mjvScene& scene, std::span<Decoration const> decorations)
{
    for (auto const& decoration : decorations) {
        if (scene.ngeom == scene.maxgeom) {
            return;
        }
        auto& geom = scene.geoms[scene.ngeom++];
        auto const& [x, y, z] = decoration.half_size;
        bool const box = decoration.shape == Decoration::Shape::box;
        std::array<mjtNum, 3> const size = box ? std::array{x, y, z} : std::array{x, z, 0.0};
        mjv_initGeom(&geom, box ? mjGEOM_BOX : mjGEOM_CYLINDER, size.data(),
                     decoration.centre.data(), nullptr, decoration.colour.data());
        geom.category = mjCAT_DECOR;
        geom.segid = -1;
    }
}

}  // namespace

Renderer::Renderer(mjModel const& model, int width, int height, Lettering lettering)
    : context_{width, height},
      model_{prepared_copy(model, width, height)},
      data_{make_data(*model_)},
      camera_{following_camera(*model_)},
      view_{0, 0, width, height}
{
    mjv_defaultOption(&options_);
    mjv_defaultScene(&scene_);
    mjv_makeScene(model_.get(), &scene_, most_geoms);
    mjr_defaultContext(&drawing_);
    mjr_makeContext(model_.get(), &drawing_, font_scale(height, lettering));
    mjr_setBuffer(mjFB_OFFSCREEN, &drawing_);
}

Renderer::~Renderer()
{
    mjr_freeContext(&drawing_);
    mjv_freeScene(&scene_);
}

Image Renderer::draw(std::span<double const> qpos, std::string const& caption,
                     std::span<Decoration const> decorations)
{
    pose(*model_, *data_, qpos);
    mjv_updateScene(model_.get(), data_.get(), &options_, nullptr, &camera_, mjCAT_ALL, &scene_);
    add_decorations(scene_, decorations);
    auto const body = followed_body(*model_, camera_);
    make_walls_transparent(scene_, Eigen::Map<Point const>{data_->xpos + 3 * body});
    mjr_render(view_, &scene_, &drawing_);
    mjr_overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, view_, caption.c_str(), nullptr, &drawing_);

    Image upside_down{view_.width, view_.height};
    mjr_readPixels(upside_down.pixels.data(), nullptr, view_, &drawing_);
    Image image{view_.width, view_.height};
    for (int y = 0; y < image.height; ++y) {
        std::copy_n(upside_down.row(image.height - 1 - y), 3 * image.width, image.row(y));
    }
    return image;
}

}  // namespace mees
