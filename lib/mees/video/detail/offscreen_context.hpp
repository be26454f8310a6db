#pragma once

#include <vector>

namespace mees {

struct OsMesaContext;

/// An OpenGL context that draws into memory, without a display, by Mesa's off-screen library
/// (OSMesa), which is loaded by the constructor. It is the thread's current context until
/// destroyed.
///
/// Throws VideoError that names the package to install if the library is missing.
class OffscreenContext {
  public:
    OffscreenContext(int width, int height);
    ~OffscreenContext();
    OffscreenContext(OffscreenContext const&) = delete;
    OffscreenContext& operator=(OffscreenContext const&) = delete;

  private:
    std::vector<unsigned char> buffer_;
    OsMesaContext* context_;
    void (*destroy_)(OsMesaContext*);
};

}  // namespace mees
