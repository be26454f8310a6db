#include "mees/programs/detail/time_limit.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>

namespace mees {
namespace {

using std::chrono::seconds;

std::map<char, seconds> const units{{'s', seconds{1}},
                                    {'m', std::chrono::minutes{1}},
                                    {'h', std::chrono::hours{1}},
                                    {'d', std::chrono::days{1}}};

[[noreturn]] void refuse(std::string_view text)
{
    throw ConfigError{fmt::format("invalid --time-limit '{}'", text), "expected a duration",
                      "Use a value such as 3h50m, 1d2h, 90s or a number of seconds."};
}

std::optional<std::time_t> number_in(char const* text)
{
    std::time_t value{};
    std::string_view const view{text == nullptr ? "" : text};
    auto const [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    bool const complete = error == std::errc{} && end == view.data() + view.size();
    return complete ? std::optional{value} : std::nullopt;
}

/// From the environment (SLURM 23.02 and later) or from squeue.
std::optional<std::time_t> slurm_end_time()
{
    if (auto const end = number_in(std::getenv("SLURM_JOB_END_TIME"))) {
        return end;
    }
    auto const job = number_in(std::getenv("SLURM_JOB_ID"));
    if (!job) {
        return std::nullopt;
    }
    // SLURM may be down: without an answer the job script's signal ends the run.
    auto const command = fmt::format("timeout -k 1 10 squeue -h -j {} -o %e 2>/dev/null", *job);
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const pipe{popen(command.c_str(), "r"), pclose};
    std::array<char, 64> line{};
    if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) {
        return std::nullopt;
    }
    std::tm time{};
    if (strptime(line.data(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr) {
        return std::nullopt;
    }
    time.tm_isdst = -1;
    return std::mktime(&time);
}

}  // namespace

seconds parse_duration(std::string_view text)
{
    seconds total{0};
    auto rest = text;
    while (!rest.empty()) {
        std::int64_t number{};
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error != std::errc{} || number < 0 || number > 1'000'000'000) {
            refuse(text);
        }
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        bool const plain = rest.empty() && total.count() == 0;
        auto const unit = units.find(plain ? 's' : rest.empty() ? '\0' : rest.front());
        if (unit == units.end()) {
            refuse(text);
        }
        rest.remove_prefix(rest.empty() ? 0 : 1);
        total += number * unit->second;
    }
    if (total.count() <= 0) {
        refuse(text);
    }
    return total;
}

seconds stop_margin(seconds limit)
{
    auto const least = std::clamp(limit / 4, seconds{2}, seconds{10});
    return std::clamp(limit / 20, least, seconds{120});
}

std::optional<TimeLimit> deadline(std::optional<seconds> limit)
{
    auto const now = StopToken::Clock::now();
    if (!limit) {
        auto const end = slurm_end_time();
        if (!end) {
            return std::nullopt;
        }
        limit = seconds{std::max<std::time_t>(*end - std::time(nullptr), 0)};
        log::info("SLURM ends this job in {} s", limit->count());
    }
    // The clock counts nanoseconds and ends after three centuries.
    constexpr seconds longest = std::chrono::days{36'500};
    return TimeLimit{now + std::min(*limit, longest), stop_margin(*limit)};
}

}  // namespace mees
