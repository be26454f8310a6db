#include "mees/sim/detail/compile.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/process.hpp"
#include "mees/core/regular_file.hpp"
#include "mees/sim/detail/reduced_model.hpp"
#include "mees/sim/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <span>

namespace mees {
namespace {

std::atomic<std::int64_t> compilations{0};

/// The lines of a message of the engine, joined by commas.
std::string one_line(std::string_view text)
{
    std::string joined;
    for (char const c : text) {
        if (c != '\n' && c != '\r') {
            joined += c;
        } else if (!joined.empty() && !joined.ends_with(' ')) {
            joined += joined.ends_with(':') ? " " : ", ";
        }
    }
    return joined.substr(0, joined.find_last_not_of(", ") + 1);
}

/// Without these the engine writes a log file into the current folder and ends the process.
void install_handlers()
{
    static std::once_flag once;
    std::call_once(once, [] {
        mju_user_warning = [](char const* message) { log::debug("MuJoCo warning: {}", message); };
        mju_user_error = [](char const* message) {
            throw SimulationError{fmt::format("MuJoCo failed: {}", one_line(message)),
                                  "the physics engine cannot continue",
                                  "Check the model and its sizes (memory, contacts)."};
        };
    });
}

/// Up to MuJoCo 3.1 a virtual file is created empty and then filled.
template <class Vfs>
bool add_to_vfs(Vfs& vfs, char const* name, std::span<std::byte const> content)
{
    auto const size = static_cast<int>(content.size());
    if constexpr (requires { mj_addBufferVFS(&vfs, name, content.data(), size); }) {
        return mj_addBufferVFS(&vfs, name, content.data(), size) == 0;
    } else if (mj_makeEmptyFileVFS(&vfs, name, size) == 0) {
        std::memcpy(vfs.filedata[vfs.nfile - 1], content.data(), content.size());
        return true;
    }
    return false;
}

/// Elements that make many of few, so that a small file can ask for any time and memory. Included
/// files may contain them too.
bool can_multiply(std::string_view text)
{
    constexpr std::array<std::string_view, 6> elements{"<replicate", "<flexcomp", "<composite",
                                                       "<attach",    "<include",  "<hfield"};
    return std::ranges::any_of(elements, [text](std::string_view element) {
        return text.find(element) != std::string_view::npos;
    });
}

/// Throws FileError if compiling a model that can multiply takes too long or too much memory, on
/// which the engine hangs or aborts the process: it is compiled in another process first.
void require_bounded(std::string_view text, std::string const& file, mjVFS const* vfs,
                     std::string const& name)
{
    constexpr SubprocessLimits limits{.seconds = 60, .more_bytes = std::uint64_t{4} << 30U};
    auto const compiles = [&] {
        std::array<char, 1000> ignored{};
        mj_deleteModel(
            mj_loadXML(file.c_str(), vfs, ignored.data(), static_cast<int>(ignored.size())));
    };
    install_handlers();
    if (can_multiply(text) && !completes_in_subprocess(compiles, limits)) {
        throw FileError{fmt::format("cannot use the model {}", name),
                        fmt::format("MuJoCo fails on it, or needs more than {} s or {} GiB",
                                    limits.seconds, limits.more_bytes >> 30U),
                        "Reduce its <replicate>, <flexcomp> or <composite> elements."};
    }
}

std::string text_of(std::filesystem::path const& path)
{
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

CompiledModel compile(std::string const& file, mjVFS const* vfs, std::string const& name)
{
    install_handlers();
    std::array<char, 1000> problem{};
    ++compilations;
    CompiledModel model;
    model.full.reset(
        mj_loadXML(file.c_str(), vfs, problem.data(), static_cast<int>(problem.size())));
    if (!model.full) {
        throw FileError{fmt::format("cannot use the model {}", name), one_line(problem.data()),
                        fmt::format("Correct it for MuJoCo {}.", engine_version())};
    }
    model.reduced = compile_reduced_model(file, vfs, *model.full);
    compilations += model.reduced ? 1 : 0;
    return model;
}

}  // namespace

std::int64_t compilation_count()
{
    return compilations;
}

CompiledModel compile_model(ModelText const& model)
{
    auto const release = [](mjVFS* vfs) {
        mj_deleteVFS(vfs);
        delete vfs;
    };
    std::unique_ptr<mjVFS, decltype(release)> const vfs{new mjVFS, release};
    mj_defaultVFS(vfs.get());
    constexpr auto const* file = "model.xml";
    bool added = add_to_vfs(*vfs, file, std::as_bytes(std::span{model.text}));
    for (auto const& asset : model.assets) {
        added = added && add_to_vfs(*vfs, asset.file.c_str(), asset.content);
    }
    if (!added) {
        throw FileError{fmt::format("cannot use the model {}", model.name),
                        "one of its files has no usable name, or has that of another",
                        "Rename its files."};
    }
    require_bounded(model.text, file, vfs.get(), model.name);
    return compile(file, vfs.get(), model.name);
}

CompiledModel compile_model_file(std::filesystem::path const& path)
{
    if (!std::filesystem::exists(path)) {
        throw FileError{
            fmt::format("missing model file {}", path.string()),
            fmt::format("the current folder is {}", std::filesystem::current_path().string()),
            "Set domain.model to the path of an MJCF or URDF file."};
    }
    if (auto const problem = unreadable(path); !problem.empty()) {
        throw FileError{fmt::format("cannot use the model {}", path.string()), problem,
                        "Set domain.model to the path of an MJCF or URDF file."};
    }
    require_bounded(text_of(path), path.string(), nullptr, path.string());
    return compile(path.string(), nullptr, path.string());
}

}  // namespace mees
