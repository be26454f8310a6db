#pragma once

#include "mees/video/detail/offscreen_context.hpp"
#include "mees/video/video.hpp"

#include <dlfcn.h>

#include <initializer_list>
#include <memory>
#include <string>

namespace mees {

/// The first of these libraries that is installed, or null. Global: the physics engine looks up the
/// functions of OpenGL by name. Never unloaded: it keeps their addresses.
[[nodiscard]] inline void* load_library(std::initializer_list<char const*> names)
{
    for (auto const* name : names) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {
            return library;
        }
    }
    return nullptr;
}

/// A function of a library. Throws VideoError.
template <class Function>
[[nodiscard]] Function function_of(void* library, char const* name)
{
    void* const address = dlsym(library, name);
    if (address == nullptr) {
        throw VideoError{"cannot draw a video", std::string{name} + " is missing in the library",
                         "Install another version of Mesa."};
    }
    return reinterpret_cast<Function>(address);
}

/// These return null if the library is not installed, and throw VideoError if it does not work.
[[nodiscard]] std::unique_ptr<OffscreenContext::Backend> make_osmesa(int width, int height);
[[nodiscard]] std::unique_ptr<OffscreenContext::Backend> make_egl();

}  // namespace mees
