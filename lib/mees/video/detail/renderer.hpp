#pragma once

#include "mees/sim/mujoco.hpp"
#include "mees/video/detail/image.hpp"
#include "mees/video/detail/offscreen_context.hpp"
#include "mees/video/video.hpp"

#include <span>
#include <string>

namespace mees {

enum class Lettering { normal, large };

/// Draws states of a model through its camera "track", or through one that follows the first moving
/// body if the model has none. At most one at a time in a process.
class Renderer {
  public:
    Renderer(mjModel const& model, int width, int height, Lettering lettering);
    ~Renderer();
    Renderer(Renderer const&) = delete;
    Renderer& operator=(Renderer const&) = delete;

    /// The model in that position among the decorations, with `caption` in the upper left corner.
    [[nodiscard]] Image draw(std::span<double const> qpos, std::string const& caption,
                             std::span<Decoration const> decorations = {});

  private:
    OffscreenContext context_;
    MutableModel model_;
    DataPtr data_;
    mjvCamera camera_;
    mjrRect view_;
    mjvOption options_{};
    mjvScene scene_{};
    mjrContext drawing_{};
};

}  // namespace mees
