#pragma once

#include <cstdint>
#include <string>

namespace mees {

[[nodiscard]] std::string host_name();
/// "Intel(R) Xeon(R) ...": the processor's model, as the kernel names it.
[[nodiscard]] std::string processor_kind();
/// Equal on processes that can see each other under /proc.
[[nodiscard]] std::string kernel_identity();
[[nodiscard]] std::int64_t process_id();
/// Whether a process of this kernel is there and has not ended.
[[nodiscard]] bool process_runs(std::int64_t process);

}  // namespace mees
