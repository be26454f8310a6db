#include "mees/video/detail/offscreen_context.hpp"

#include "mees/video/video.hpp"

#include <dlfcn.h>

#include <string>

namespace mees {
namespace {

// The part of OSMesa's interface that is used here.
using Context = OsMesaContext*;
using CreateContext = Context (*)(unsigned format, int depth_bits, int stencil_bits,
                                  int accumulation_bits, Context shared);
using DestroyContext = void (*)(Context);
using MakeCurrent = unsigned char (*)(Context, void* buffer, unsigned type, int width, int height);
constexpr unsigned rgba_format = 0x1908;
constexpr unsigned unsigned_byte = 0x1401;
constexpr int depth_bits = 24;
constexpr int stencil_bits = 8;

constexpr char const* what_to_install =
    "Install Debian's package libosmesa6 (or another Mesa with OSMesa).";

void* load_library()
{
    // Global: the physics engine looks up the functions of OpenGL by name.
    for (auto const* name : {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"}) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {
            return library;
        }
    }
    throw VideoError{"cannot draw a video",
                     "Mesa's off-screen library libOSMesa.so.8 is not installed", what_to_install};
}

template <class Function>
Function symbol(void* library, char const* name)
{
    void* const address = dlsym(library, name);
    if (address == nullptr) {
        throw VideoError{"cannot draw a video", std::string{"libOSMesa lacks "} + name,
                         what_to_install};
    }
    return reinterpret_cast<Function>(address);
}

}  // namespace

OffscreenContext::OffscreenContext(int width, int height)
    : buffer_(4 * static_cast<std::size_t>(width * height))
{
    // Never unloaded: the engine keeps the addresses of its functions.
    static void* const library = load_library();
    destroy_ = symbol<DestroyContext>(library, "OSMesaDestroyContext");
    auto const create = symbol<CreateContext>(library, "OSMesaCreateContextExt");
    auto const make_current = symbol<MakeCurrent>(library, "OSMesaMakeCurrent");
    context_ = create(rgba_format, depth_bits, stencil_bits, 0, nullptr);
    if (context_ == nullptr
        || make_current(context_, buffer_.data(), unsigned_byte, width, height) == 0) {
        throw VideoError{"cannot draw a video", "OSMesa cannot create a context", what_to_install};
    }
}

OffscreenContext::~OffscreenContext()
{
    destroy_(context_);
}

}  // namespace mees
