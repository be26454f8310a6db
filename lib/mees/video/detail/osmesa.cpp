#include "mees/video/detail/backends.hpp"

#include <vector>

namespace mees {
namespace {

// The part of OSMesa's interface that is used here.
using Context = struct OsMesaContext*;
using CreateContext = Context (*)(unsigned format, int depth_bits, int stencil_bits,
                                  int accumulation_bits, Context shared);
using DestroyContext = void (*)(Context);
using MakeCurrent = unsigned char (*)(Context, void* buffer, unsigned type, int width, int height);
constexpr unsigned rgba_format = 0x1908;
constexpr unsigned unsigned_byte = 0x1401;
constexpr int depth_bits = 24;
constexpr int stencil_bits = 8;

class OsMesa final : public OffscreenContext::Backend {
  public:
    OsMesa(void* library, int width, int height)
        : buffer_(4 * static_cast<std::size_t>(width * height)),
          destroy_{function_of<DestroyContext>(library, "OSMesaDestroyContext")}
    {
        auto const create = function_of<CreateContext>(library, "OSMesaCreateContextExt");
        auto const make_current = function_of<MakeCurrent>(library, "OSMesaMakeCurrent");
        context_ = create(rgba_format, depth_bits, stencil_bits, 0, nullptr);
        if (context_ == nullptr
            || make_current(context_, buffer_.data(), unsigned_byte, width, height) == 0) {
            throw VideoError{"cannot draw a video", "OSMesa cannot create a context",
                             "Set MUJOCO_GL=egl to use EGL."};
        }
    }
    ~OsMesa() override { destroy_(context_); }
    OsMesa(OsMesa const&) = delete;
    OsMesa& operator=(OsMesa const&) = delete;

  private:
    std::vector<unsigned char> buffer_;
    DestroyContext destroy_;
    Context context_{nullptr};
};

}  // namespace

std::unique_ptr<OffscreenContext::Backend> make_osmesa(int width, int height)
{
    static void* const library = load_library({"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"});
    return library == nullptr ? nullptr : std::make_unique<OsMesa>(library, width, height);
}

}  // namespace mees
