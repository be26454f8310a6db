#include "mees/cluster/identity.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace mees {

std::string host_name()
{
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::string processor_kind()
{
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name") || line.starts_with("CPU part")) {
            return line.substr(std::min(line.find(':') + 2, line.size()));
        }
    }
    return {};
}

std::string kernel_identity()
{
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string boot;
    std::getline(file, boot);
    std::error_code ignored;
    return boot + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

std::int64_t process_id()
{
    return getpid();
}

bool process_runs(std::int64_t process)
{
    std::ifstream file{fmt::format("/proc/{}/stat", process)};
    std::string text;
    std::getline(file, text);  // not through its buffer: that throws if the process ends meanwhile
    auto const close = text.rfind(')');
    return close != std::string::npos && close + 2 < text.size() && text[close + 2] != 'Z';
}

}  // namespace mees
