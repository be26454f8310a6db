#pragma once

#include <string>

namespace bad_disk {

/// Whether faults concern this path: it contains BAD_DISK_PATH.
bool is_ours(char const* path);
bool is_ours(int descriptor);
/// The same of a path relative to an open folder, or to the working directory.
bool is_ours(int folder, char const* path);

/// Counts a call that changes files and carries out what BAD_DISK_PLAN demands before it. Returns
/// the errno that the call must fail with, or 0.
int before_change(char const* name);

/// The same before a call that reads: it counts only for rules that name it.
int before_read(char const* name);

/// Seconds by which the plan has moved the clock.
long clock_shift();

}  // namespace bad_disk
