#pragma once

#include <memory>

namespace mees {

/// An OpenGL context that draws into memory, without a display: Mesa's off-screen library (OSMesa),
/// loaded when one is made. While it lives it is this thread's current context.
///
/// Throws FilmError where the library is missing, saying what to install.
class OffscreenContext {
  public:
    OffscreenContext(int width, int height);
    ~OffscreenContext();
    OffscreenContext(OffscreenContext const&) = delete;
    OffscreenContext& operator=(OffscreenContext const&) = delete;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mees
