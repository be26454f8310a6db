// Makes file system calls fail on demand, for LD_PRELOAD. Only calls on paths that contain
// BAD_DISK_PATH count. BAD_DISK_PLAN is a list of rules, separated by semicolons:
//
//     CALLS@FIRST+COUNT=ACTION
//
// CALLS are names separated by commas; none: all calls that change files. The rule acts at the
// FIRST such call and at the COUNT - 1 (0 unless given) after it. ACTION is an errno with which the
// call fails, "kill" or "stop" (the process, before the call is made), or "clock:SECONDS", which
// shifts the time of day. The names of the calls that change files are appended to BAD_DISK_REPORT.

#include "bad_disk_plan.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

using namespace bad_disk;

namespace {

template <class Function>
Function* original(char const* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool is_unnamed(int flags)
{
    return (flags & O_TMPFILE) == O_TMPFILE;
}

bool changes(int flags)
{
    return (flags & (O_CREAT | O_TRUNC)) != 0 || is_unnamed(flags);
}

bool has_mode(int flags)
{
    return (flags & O_CREAT) != 0 || is_unnamed(flags);
}

/// Sets errno if opening the file must fail.
bool must_not_open(int folder, char const* path, int flags)
{
    if (!is_ours(folder, path)) {
        return false;
    }
    char const* const change = is_unnamed(flags) ? "tmpfile" : "create";
    int const error = changes(flags) ? before_change(change) : before_read("open");
    errno = error != 0 ? error : errno;
    return error != 0;
}

}  // namespace

#define FAIL_IF(ours, name, before)                                \
    if (int const error = (ours) ? before(name) : 0; error != 0) { \
        errno = error;                                             \
        return -1;                                                 \
    }

extern "C" {

int open(char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = has_mode(flags) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    static auto* const call = original<int(char const*, int, ...)>("open");
    return must_not_open(AT_FDCWD, path, flags) ? -1 : call(path, flags, mode);
}

int openat(int folder, char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = has_mode(flags) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    static auto* const call = original<int(int, char const*, int, ...)>("openat");
    return must_not_open(folder, path, flags) ? -1 : call(folder, path, flags, mode);
}

FILE* fopen(char const* path, char const* mode)
{
    static auto* const call = original<FILE*(char const*, char const*)>("fopen");
    int const flags = std::strchr(mode, 'r') == nullptr ? O_CREAT : 0;
    return must_not_open(AT_FDCWD, path, flags) ? nullptr : call(path, mode);
}

size_t fwrite(void const* data, size_t size, size_t count, FILE* stream)
{
    static auto* const call = original<size_t(void const*, size_t, size_t, FILE*)>("fwrite");
    if (int const error = is_ours(::fileno(stream)) ? before_change("write") : 0; error != 0) {
        errno = error;
        return 0;
    }
    return call(data, size, count, stream);
}

ssize_t write(int descriptor, void const* data, size_t size)
{
    FAIL_IF(is_ours(descriptor), "write", before_change)
    static auto* const call = original<ssize_t(int, void const*, size_t)>("write");
    return call(descriptor, data, size);
}

ssize_t pwrite(int descriptor, void const* data, size_t size, off_t offset)
{
    FAIL_IF(is_ours(descriptor), "pwrite", before_change)
    static auto* const call = original<ssize_t(int, void const*, size_t, off_t)>("pwrite");
    return call(descriptor, data, size, offset);
}

ssize_t pread(int descriptor, void* data, size_t size, off_t offset)
{
    FAIL_IF(is_ours(descriptor), "pread", before_read)
    static auto* const call = original<ssize_t(int, void*, size_t, off_t)>("pread");
    return call(descriptor, data, size, offset);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length)
{
    FAIL_IF(is_ours(descriptor), "fallocate", before_change)
    static auto* const call = original<int(int, int, off_t, off_t)>("fallocate");
    return call(descriptor, mode, offset, length);
}

int ftruncate(int descriptor, off_t length)
{
    FAIL_IF(is_ours(descriptor), "ftruncate", before_change)
    static auto* const call = original<int(int, off_t)>("ftruncate");
    return call(descriptor, length);
}

int fsync(int descriptor)
{
    FAIL_IF(is_ours(descriptor), "fsync", before_change)
    static auto* const call = original<int(int)>("fsync");
    return call(descriptor);
}

int close(int descriptor)
{
    static auto* const call = original<int(int)>("close");
    int const error = is_ours(descriptor) ? before_change("close") : 0;
    int const result = call(descriptor);  // also when it fails: the descriptor is closed
    if (error != 0) {
        errno = error;
        return -1;
    }
    return result;
}

int rename(char const* from, char const* to)
{
    FAIL_IF(is_ours(to), "rename", before_change)
    static auto* const call = original<int(char const*, char const*)>("rename");
    return call(from, to);
}

int renameat(int from_folder, char const* from, int to_folder, char const* to)
{
    FAIL_IF(is_ours(to_folder, to), "rename", before_change)
    static auto* const call = original<int(int, char const*, int, char const*)>("renameat");
    return call(from_folder, from, to_folder, to);
}

int link(char const* from, char const* to)
{
    FAIL_IF(is_ours(to), "link", before_change)
    static auto* const call = original<int(char const*, char const*)>("link");
    return call(from, to);
}

int linkat(int from_folder, char const* from, int to_folder, char const* to, int flags)
{
    FAIL_IF(is_ours(to_folder, to), "link", before_change)
    static auto* const call = original<int(int, char const*, int, char const*, int)>("linkat");
    return call(from_folder, from, to_folder, to, flags);
}

int unlink(char const* path)
{
    FAIL_IF(is_ours(path), "unlink", before_change)
    static auto* const call = original<int(char const*)>("unlink");
    return call(path);
}

int unlinkat(int folder, char const* path, int flags)
{
    FAIL_IF(is_ours(folder, path), "unlink", before_change)
    static auto* const call = original<int(int, char const*, int)>("unlinkat");
    return call(folder, path, flags);
}

int remove(char const* path)
{
    FAIL_IF(is_ours(path), "unlink", before_change)
    static auto* const call = original<int(char const*)>("remove");
    return call(path);
}

int fcntl(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    FAIL_IF(command == F_OFD_SETLK && is_ours(descriptor), "lock", before_change)
    static auto* const call = original<int(int, int, ...)>("fcntl");
    return call(descriptor, command, argument);
}

int clock_gettime(clockid_t clock, timespec* now)
{
    static auto* const call = original<int(clockid_t, timespec*)>("clock_gettime");
    int const result = call(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += clock_shift();
    }
    return result;
}

int gettimeofday(timeval* now, void* zone)
{
    static auto* const call = original<int(timeval*, void*)>("gettimeofday");
    int const result = call(now, zone);
    now->tv_sec += clock_shift();
    return result;
}

time_t time(time_t* result)
{
    static auto* const call = original<time_t(time_t*)>("time");
    auto const now = call(nullptr) + clock_shift();
    if (result != nullptr) {
        *result = now;
    }
    return now;
}

}  // extern "C"
