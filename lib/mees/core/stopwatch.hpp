#pragma once

#include <chrono>

namespace mees {

/// Measures the seconds since its construction or last restart.
class Stopwatch {
  public:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double seconds() const
    {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    /// Returns the seconds until now and restarts.
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
