#include "mees/video/detail/backends.hpp"

#include <array>

namespace mees {
namespace {

// The part of EGL's interface (1.5, and EGL_MESA_platform_surfaceless) that is used here.
using Display = void*;
using Config = void*;
using Context = void*;
using Surface = void*;
using Integer = int;
using GetPlatformDisplay = Display (*)(unsigned platform, void* native, Integer const* attributes);
using GetDisplay = Display (*)(void* native);
using Initialize = unsigned (*)(Display, Integer* major, Integer* minor);
using BindApi = unsigned (*)(unsigned api);
using ChooseConfig = unsigned (*)(Display, Integer const* attributes, Config*, Integer size,
                                  Integer* count);
using CreateContext = Context (*)(Display, Config, Context shared, Integer const* attributes);
using MakeCurrent = unsigned (*)(Display, Surface draw, Surface read, Context);
using DestroyContext = unsigned (*)(Display, Context);
using Terminate = unsigned (*)(Display);
using GetProcAddress = void (*(*)(char const*))();
constexpr unsigned surfaceless = 0x31DD;
constexpr unsigned opengl_api = 0x30A2;
constexpr std::array<Integer, 13> wanted_config{
    0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3025, 24,  // red, green, blue, depth
    0x3040, 8, 0x3033, 1, 0x3038};                // OpenGL; pbuffer; end

[[noreturn]] void fail(char const* why)
{
    throw VideoError{"cannot draw a video", std::string{"EGL "} + why,
                     "Install Debian's package libegl-mesa0 or libosmesa6, or a driver of the "
                     "graphics card."};
}

/// A display without a surface, or the default one if the driver has no such extension.
Display open_display(void* library)
{
    auto const find = function_of<GetProcAddress>(library, "eglGetProcAddress");
    auto const initialise = function_of<Initialize>(library, "eglInitialize");
    if (auto const get = reinterpret_cast<GetPlatformDisplay>(find("eglGetPlatformDisplayEXT"))) {
        Display const display = get(surfaceless, nullptr, nullptr);
        if (display != nullptr && initialise(display, nullptr, nullptr) != 0) {
            return display;
        }
    }
    Display const display = function_of<GetDisplay>(library, "eglGetDisplay")(nullptr);
    if (display == nullptr || initialise(display, nullptr, nullptr) == 0) {
        fail("finds no display");
    }
    return display;
}

class Egl final : public OffscreenContext::Backend {
  public:
    explicit Egl(void* library)
        : make_current_{function_of<MakeCurrent>(library, "eglMakeCurrent")},
          destroy_{function_of<DestroyContext>(library, "eglDestroyContext")},
          terminate_{function_of<Terminate>(library, "eglTerminate")},
          display_{open_display(library)}
    {
        Config config{};
        Integer count = 0;
        auto const choose = function_of<ChooseConfig>(library, "eglChooseConfig");
        auto const create = function_of<CreateContext>(library, "eglCreateContext");
        if (function_of<BindApi>(library, "eglBindAPI")(opengl_api) == 0
            || choose(display_, wanted_config.data(), &config, 1, &count) == 0 || count == 0) {
            fail("has no OpenGL");
        }
        context_ = create(display_, config, nullptr, nullptr);
        if (context_ == nullptr || make_current_(display_, nullptr, nullptr, context_) == 0) {
            fail("cannot create a context");
        }
    }
    ~Egl() override
    {
        make_current_(display_, nullptr, nullptr, nullptr);
        destroy_(display_, context_);
        terminate_(display_);
    }
    Egl(Egl const&) = delete;
    Egl& operator=(Egl const&) = delete;

  private:
    MakeCurrent make_current_;
    DestroyContext destroy_;
    Terminate terminate_;
    Display display_;
    Context context_{nullptr};
};

}  // namespace

std::unique_ptr<OffscreenContext::Backend> make_egl()
{
    static void* const library = load_library({"libEGL.so.1", "libEGL.so"});
    return library == nullptr ? nullptr : std::make_unique<Egl>(library);
}

}  // namespace mees
