#pragma once

#include <chrono>

namespace mees {

/// Seconds since it was made or last restarted.
class Stopwatch {
  public:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double seconds() const
    {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    /// Seconds until now; begins again from now.
    double restart()
    {
        auto const now = Clock::now();
        double const elapsed = std::chrono::duration<double>(now - start_).count();
        start_ = now;
        return elapsed;
    }

  private:
    Clock::time_point start_{Clock::now()};
};

}  // namespace mees
