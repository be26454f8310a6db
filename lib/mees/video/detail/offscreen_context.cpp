#include "mees/video/detail/offscreen_context.hpp"

#include "mees/video/detail/backends.hpp"

#include <cstdlib>
#include <string>

namespace mees {
namespace {

constexpr char const* what_to_install =
    "Install Debian's package libosmesa6 or libegl1 (with libegl-mesa0 or a graphics driver).";

std::string wanted_library()
{
    auto const* const value = std::getenv("MUJOCO_GL");
    std::string name = value == nullptr ? "" : value;
    if (!name.empty() && name != "osmesa" && name != "egl") {
        throw VideoError{"cannot draw a video",
                         "MUJOCO_GL is \"" + name + "\", and only osmesa and egl draw off-screen",
                         "Unset MUJOCO_GL or set it to one of these."};
    }
    return name;
}

}  // namespace

OffscreenContext::OffscreenContext(int width, int height)
{
    auto const wanted = wanted_library();
    if (wanted != "egl") {
        backend_ = make_osmesa(width, height);
    }
    if (backend_ == nullptr && wanted != "osmesa") {
        backend_ = make_egl();
    }
    if (backend_ == nullptr) {
        throw VideoError{"cannot draw a video",
                         wanted.empty() ? "neither libOSMesa.so.8 nor libEGL.so.1 is installed"
                         : wanted == "egl"
                             ? "libEGL.so.1 is not installed"
                             : "Mesa's off-screen library libOSMesa.so.8 is not installed",
                         what_to_install};
    }
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace mees
