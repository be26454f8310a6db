#include "catch.hpp"
#include "mees/report/curve.hpp"

#include <algorithm>
#include <vector>

using namespace mees;

namespace {

std::vector<std::string> lines_of(std::string const& text)
{
    std::vector<std::string> lines;
    std::string line;
    for (char const letter : text) {
        if (letter == '\n') {
            lines.push_back(line);
            line.clear();
        } else {
            line += letter;
        }
    }
    return lines;
}

}  // namespace

TEST_CASE("a straight line goes from corner to corner")
{
    std::vector<double> const x{0, 1, 2, 3};
    std::vector<double> const y{-1, 0, 1, 2};
    auto const lines =
        lines_of(draw(Curve{"best", "generation", x, y}, Terminal{.columns = 44}, 4));
    REQUIRE(lines.size() == 7);
    CHECK_THAT(lines[0], Catch::Matchers::ContainsSubstring("best, now 2.000"));
    // 44 columns less a margin of 14 leave 30; four rows share them evenly.
    for (std::size_t row = 0; row < 4; ++row) {
        auto const dots = lines[4 - row].substr(13);
        REQUIRE(dots.size() == 30);
        auto const from = dots.find('*');
        auto const to = dots.rfind('*');
        CHECK(
            std::ranges::all_of(dots.substr(from, to - from + 1), [](char c) { return c == '*'; }));
        CHECK(from + to == Approx(2 * 29.0 * static_cast<double>(row) / 3).margin(10));
    }
    CHECK(lines[1].find('*', 13) != std::string::npos);
    CHECK(lines[1].back() == '*');
    CHECK(lines[4][13] == '*');
    CHECK_THAT(lines[1], Catch::Matchers::StartsWith("      2.000 |"));
    CHECK_THAT(lines[4], Catch::Matchers::StartsWith("     -1.000 |"));
    CHECK_THAT(lines[6], Catch::Matchers::ContainsSubstring("generation"));
}

TEST_CASE("a UTF-8 terminal shows eight dots per character")
{
    std::vector<double> const x{0, 1};
    std::vector<double> const y{5, 5};
    Terminal const terminal{.interactive = true, .colour = false, .utf8 = true, .columns = 34};
    auto const lines = lines_of(draw(Curve{"flat", "generation", x, y}, terminal, 2));
    // A constant lies on the lowest row of dots: U+28C0 in UTF-8, in each of 20 characters.
    std::string row;
    for (int i = 0; i < 20; ++i) {
        row += "\xe2\xa3\x80";
    }
    CHECK_THAT(lines[2], Catch::Matchers::EndsWith("|" + row));
}
