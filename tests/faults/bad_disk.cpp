// Makes file system calls fail on demand, for LD_PRELOAD. It counts the calls that change files
// whose path contains BAD_DISK_PATH, and at the BAD_DISK_AT-th (and, unless it kills, the
// BAD_DISK_COUNT - 1 after it) does what BAD_DISK_ACTION says: "kill" ends the process before the
// call is made, a number makes the call fail with that errno. BAD_DISK_CALLS names the calls that
// count, separated by commas; all if empty. At exit the number of calls is written to
// BAD_DISK_REPORT, one line per call with its name.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace {

std::mutex mutex;
long calls = 0;
FILE* report = nullptr;

std::string setting(char const* name)
{
    char const* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_ours(char const* path)
{
    static std::string const part = setting("BAD_DISK_PATH");
    return path != nullptr && !part.empty() && std::strstr(path, part.c_str()) != nullptr;
}

bool is_ours(int descriptor)
{
    char link[64];
    char path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    auto const length = ::readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return is_ours(path);
}

/// The errno that this call must fail with, or 0.
int failure(char const* name)
{
    static std::string const names = setting("BAD_DISK_CALLS");
    static std::string const action = setting("BAD_DISK_ACTION");
    static long const at = std::atol(setting("BAD_DISK_AT").c_str());
    static long const count = std::atol(setting("BAD_DISK_COUNT").c_str());
    static std::string const report_path = setting("BAD_DISK_REPORT");
    if (!names.empty()
        && ("," + names + ",").find("," + std::string{name} + ",") == std::string::npos) {
        return 0;
    }
    std::lock_guard const lock{mutex};
    ++calls;
    if (!report_path.empty()) {
        report = report == nullptr ? std::fopen(report_path.c_str(), "we") : report;
        std::fprintf(report, "%s\n", name);
        std::fflush(report);
    }
    if (at == 0 || calls < at) {
        return 0;
    }
    if (action == "kill") {
        ::kill(::getpid(), SIGKILL);
    }
    return calls < at + count ? std::atoi(action.c_str()) : 0;
}

template <class Function>
Function* original(char const* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#define FAIL_IF(ours, name)                                         \
    if (int const error = (ours) ? failure(name) : 0; error != 0) { \
        errno = error;                                              \
        return -1;                                                  \
    }

extern "C" {

int open(char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    FAIL_IF((flags & O_CREAT) != 0 && is_ours(path), "create")
    static auto* const call = original<int(char const*, int, ...)>("open");
    return call(path, flags, mode);
}

ssize_t pwrite(int descriptor, void const* data, size_t size, off_t offset)
{
    FAIL_IF(is_ours(descriptor), "pwrite")
    static auto* const call = original<ssize_t(int, void const*, size_t, off_t)>("pwrite");
    return call(descriptor, data, size, offset);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length)
{
    FAIL_IF(is_ours(descriptor), "fallocate")
    static auto* const call = original<int(int, int, off_t, off_t)>("fallocate");
    return call(descriptor, mode, offset, length);
}

int ftruncate(int descriptor, off_t length)
{
    FAIL_IF(is_ours(descriptor), "ftruncate")
    static auto* const call = original<int(int, off_t)>("ftruncate");
    return call(descriptor, length);
}

int fsync(int descriptor)
{
    FAIL_IF(is_ours(descriptor), "fsync")
    static auto* const call = original<int(int)>("fsync");
    return call(descriptor);
}

int close(int descriptor)
{
    static auto* const call = original<int(int)>("close");
    bool const ours = is_ours(descriptor);
    int const error = ours ? failure("close") : 0;
    int const result = call(descriptor);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return result;
}

int rename(char const* from, char const* to)
{
    FAIL_IF(is_ours(to), "rename")
    static auto* const call = original<int(char const*, char const*)>("rename");
    return call(from, to);
}

int link(char const* from, char const* to)
{
    FAIL_IF(is_ours(to), "link")
    static auto* const call = original<int(char const*, char const*)>("link");
    return call(from, to);
}

int unlink(char const* path)
{
    FAIL_IF(is_ours(path), "unlink")
    static auto* const call = original<int(char const*)>("unlink");
    return call(path);
}

int fcntl(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    FAIL_IF(command == F_OFD_SETLK && is_ours(descriptor), "lock")
    static auto* const call = original<int(int, int, ...)>("fcntl");
    return call(descriptor, command, argument);
}

}  // extern "C"
