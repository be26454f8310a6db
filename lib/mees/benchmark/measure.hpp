#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mees::bench {

/// The median of repeated measurements, and between what most of them lay (the quartiles).
struct Spread {
    double median{0};
    double low{0};
    double high{0};
};

[[nodiscard]] Spread spread_of(std::vector<double> values);

/// Seconds that this process has spent on processors: what a core takes for something, even on a
/// machine that has other work.
[[nodiscard]] double processor_seconds();
/// Seconds by the clock on the wall, for what several threads do.
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

/// Ratios of two things timed in turn, so that what else the machine does meets both alike:
/// seconds of `first` over seconds of `second`.
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

/// Better is below or above the goal.
enum class Goal { at_most, at_least };

/// One line of the table.
struct Row {
    std::string group;
    std::string what;
    std::string unit;
    Spread value;
    Goal direction{Goal::at_most};
    std::optional<double> goal;

    [[nodiscard]] bool met() const;
};

/// What a run of mees_bench has measured: a table for people, JSON for programs.
class Table {
  public:
    void add(Row row);
    void add(std::string group, std::string what, std::string unit, std::vector<double> values,
             Goal direction = Goal::at_most, std::optional<double> goal = std::nullopt);
    [[nodiscard]] std::vector<Row> const& rows() const { return rows_; }
    [[nodiscard]] std::string json() const;
    /// Adds the rows of a JSON text that `json` wrote.
    void add_json(std::string const& text);

  private:
    std::vector<Row> rows_;
};

/// "episode   Ant   0.975 (0.970 .. 0.981)   >= 0.96   ok"
[[nodiscard]] std::string to_line(Row const& row);

}  // namespace mees::bench
