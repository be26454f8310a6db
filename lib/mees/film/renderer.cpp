#include "mees/film/renderer.hpp"

#include "mees/film/offscreen_context.hpp"
#include "mees/sim/mujoco.hpp"

#include <algorithm>

namespace mees {
namespace {

constexpr int most_geoms = 2000;
constexpr int finest_shadow = 1024;

/// A copy of the model whose off-screen buffer is large enough, and its shadows cheap enough to be
/// drawn without a graphics card.
MutableModel prepared_copy(mjModel const& model, int width, int height)
{
    auto copy = copy_model(model);
    copy->vis.global.offwidth = std::max(copy->vis.global.offwidth, width);
    copy->vis.global.offheight = std::max(copy->vis.global.offheight, height);
    copy->vis.quality.shadowsize = std::min(copy->vis.quality.shadowsize, finest_shadow);
    return copy;
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

}  // namespace

struct Renderer::Impl {
    Impl(mjModel const& shown, int width, int height, Lettering lettering)
        : context{width, height},
          model{prepared_copy(shown, width, height)},
          data{make_data(*model)},
          camera{following_camera(*model)},
          view{0, 0, width, height}
    {
        mjv_defaultOption(&options);
        mjv_defaultScene(&scene);
        mjv_makeScene(model.get(), &scene, most_geoms);
        mjr_defaultContext(&drawing);
        mjr_makeContext(model.get(), &drawing,
                        lettering == Lettering::large ? mjFONTSCALE_300 : mjFONTSCALE_150);
        mjr_setBuffer(mjFB_OFFSCREEN, &drawing);
    }
    Impl(Impl const&) = delete;
    Impl& operator=(Impl const&) = delete;
    ~Impl()
    {
        mjr_freeContext(&drawing);
        mjv_freeScene(&scene);
    }

    OffscreenContext context;
    MutableModel model;
    DataPtr data;
    mjvCamera camera;
    mjrRect view;
    mjvOption options{};
    mjvScene scene{};
    mjrContext drawing{};
};

Renderer::Renderer(mjModel const& model, int width, int height, Lettering lettering)
    : impl_{std::make_unique<Impl>(model, width, height, lettering)}
{
}

Renderer::~Renderer() = default;

Image Renderer::draw(std::span<double const> qpos, std::string const& caption)
{
    auto& impl = *impl_;
    pose(*impl.model, *impl.data, qpos);
    mjv_updateScene(impl.model.get(), impl.data.get(), &impl.options, nullptr, &impl.camera,
                    mjCAT_ALL, &impl.scene);
    mjr_render(impl.view, &impl.scene, &impl.drawing);
    mjr_overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, impl.view, caption.c_str(), nullptr, &impl.drawing);

    Image upside_down{impl.view.width, impl.view.height};
    mjr_readPixels(upside_down.pixels.data(), nullptr, impl.view, &impl.drawing);
    Image image{impl.view.width, impl.view.height};
    for (int y = 0; y < image.height; ++y) {
        std::copy_n(upside_down.row(image.height - 1 - y), 3 * image.width, image.row(y));
    }
    return image;
}

}  // namespace mees
