#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mees::bench {

/// The median and the quartiles of repeated measurements.
struct Spread {
    double median{0};
    double low{0};
    double high{0};
};

[[nodiscard]] Spread spread_of(std::vector<double> values);

/// Processor time of this process: independent of other work on the machine.
[[nodiscard]] double processor_seconds();
/// Wall time, for work on several threads.
[[nodiscard]] double wall_seconds();

/// Seconds of each of `repeats` calls.
template <class Action>
[[nodiscard]] std::vector<double> seconds_of(int repeats, Action const& action,
                                             double (*clock)() = processor_seconds)
{
    std::vector<double> result;
    for (int i = 0; i < repeats; ++i) {
        double const begin = clock();
        action();
        result.push_back(clock() - begin);
    }
    return result;
}

/// Ratios of two actions that are timed alternately, so that other load on the machine affects
/// both: seconds of `first` over seconds of `second`.
template <class First, class Second>
[[nodiscard]] std::vector<double> ratios(int repeats, First const& first, Second const& second,
                                         double (*clock)() = processor_seconds)
{
    std::vector<double> result;
    for (int i = 0; i < repeats; ++i) {
        double const one = seconds_of(1, first, clock)[0];
        result.push_back(one / seconds_of(1, second, clock)[0]);
    }
    return result;
}

/// Whether values below or above the goal meet it.
enum class Goal { at_most, at_least };

struct Target {
    Goal direction;
    double value;
};

/// One line of the table.
struct Row {
    std::string group;
    std::string what;
    std::string unit;
    Spread value;
    std::optional<Target> goal;

    [[nodiscard]] bool met() const;
};

/// The results of mees_bench: a table for people, JSON for programs.
class Table {
  public:
    void add(std::string group, std::string what, std::string unit, std::vector<double> values,
             std::optional<Target> goal = std::nullopt);
    [[nodiscard]] std::string json() const;
    /// Adds the rows of the output of `json`.
    void add_json(std::string const& text);

  private:
    std::vector<Row> rows_;
};

}  // namespace mees::bench
