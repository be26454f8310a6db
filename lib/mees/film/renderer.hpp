#pragma once

#include "mees/film/image.hpp"

#include <memory>
#include <span>
#include <string>

struct mjModel_;

namespace mees {

enum class Lettering { normal, large };

/// Draws states of a model, seen by its camera "track" (by one that follows its first moving body
/// where there is none). One at a time in a process.
class Renderer {
  public:
    Renderer(mjModel_ const& model, int width, int height, Lettering lettering);
    ~Renderer();
    Renderer(Renderer const&) = delete;
    Renderer& operator=(Renderer const&) = delete;

    /// The model in that position, with a line of text per line of `caption` in the upper left.
    [[nodiscard]] Image draw(std::span<double const> qpos, std::string const& caption);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mees
