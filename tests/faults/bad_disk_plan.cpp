#include "bad_disk_plan.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace bad_disk {
namespace {

std::atomic<long> shift{0};

std::string setting(char const* name)
{
    char const* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// CALLS@FIRST+COUNT=ACTION, for example "pwrite,fsync@3+1=28" or "@40=kill".
class Rule {
  public:
    explicit Rule(std::string const& text)
    {
        auto const at = text.find('@');
        auto const equals = text.find('=', at);
        calls_ = "," + text.substr(0, at) + ",";
        all_ = at == 0;
        char* end = nullptr;
        first_ = std::strtol(text.c_str() + at + 1, &end, 10);
        count_ = *end == '+' ? std::strtol(end + 1, nullptr, 10) : 1;
        action_ = text.substr(equals + 1);
    }

    /// The errno that this call must fail with, or 0.
    int apply(std::string const& name, bool changes)
    {
        bool const counts = all_ ? changes : calls_.find("," + name + ",") != std::string::npos;
        if (!counts || ++seen_ < first_ || seen_ >= first_ + count_) {
            return 0;
        }
        if (action_ == "kill") {
            ::kill(::getpid(), SIGKILL);
        } else if (action_ == "stop") {
            // To this thread: it must not go on before the process has stopped.
            ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), SIGSTOP);
        } else if (action_.starts_with("clock:")) {
            shift = std::atol(action_.c_str() + std::strlen("clock:"));
        } else {
            return std::atoi(action_.c_str());
        }
        return 0;
    }

  private:
    std::string calls_;
    std::string action_;
    long first_ = 0;
    long count_ = 0;
    long seen_ = 0;
    bool all_ = false;
};

class Plan {
  public:
    Plan()
    {
        std::istringstream text{setting("BAD_DISK_PLAN")};
        for (std::string rule; std::getline(text, rule, ';');) {
            rules_.emplace_back(rule);
        }
        if (auto const path = setting("BAD_DISK_REPORT"); !path.empty()) {
            // Not fopen(), which this library replaces.
            report_ = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(),
                                                 O_APPEND | O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
        }
    }

    int apply(char const* name, bool changes)
    {
        std::lock_guard const lock{mutex_};
        if (report_ >= 0 && changes) {
            auto const line = std::string{name} + "\n";
            ::syscall(SYS_write, report_, line.data(), line.size());
        }
        int error = 0;
        for (auto& rule : rules_) {
            int const demanded = rule.apply(name, changes);
            error = demanded != 0 ? demanded : error;
        }
        return error;
    }

  private:
    std::mutex mutex_;
    std::vector<Rule> rules_;
    int report_ = -1;
};

int apply(char const* name, bool changes)
{
    static Plan& plan = *new Plan;  // calls are made after the end of main(), too
    return plan.apply(name, changes);
}

std::string path_of(int descriptor)
{
    char link[64];
    char path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    auto const length = ::readlink(link, path, sizeof path);
    return {path, length > 0 ? static_cast<std::size_t>(length) : 0};
}

}  // namespace

bool is_ours(char const* path)
{
    static std::string const& part = *new std::string{setting("BAD_DISK_PATH")};
    return path != nullptr && !part.empty() && std::strstr(path, part.c_str()) != nullptr;
}

bool is_ours(int descriptor)
{
    return is_ours(path_of(descriptor).c_str());
}

bool is_ours(int folder, char const* path)
{
    return folder < 0 || path == nullptr || path[0] == '/'
               ? is_ours(path)
               : is_ours((path_of(folder) + "/" + path).c_str());
}

int before_change(char const* name)
{
    return apply(name, true);
}

int before_read(char const* name)
{
    return apply(name, false);
}

long clock_shift()
{
    return shift;
}

}  // namespace bad_disk
