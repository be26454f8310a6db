#pragma once

#include <memory>

namespace mees {

/// An OpenGL context without a display: Mesa's off-screen library (OSMesa), or EGL without a
/// surface if that is not installed (Mesa 25.1 and later have no OSMesa). The environment variable
/// MUJOCO_GL (osmesa, egl) selects one of them. The library is loaded by the constructor; the
/// context is the thread's current one until destroyed.
///
/// Throws VideoError that names the packages to install if neither works.
class OffscreenContext {
  public:
    OffscreenContext(int width, int height);
    ~OffscreenContext();
    OffscreenContext(OffscreenContext const&) = delete;
    OffscreenContext& operator=(OffscreenContext const&) = delete;

    /// A context of one library.
    class Backend {
      public:
        Backend() = default;
        virtual ~Backend() = default;
        Backend(Backend const&) = delete;
        Backend& operator=(Backend const&) = delete;
    };

  private:
    std::unique_ptr<Backend> backend_;
};

}  // namespace mees
