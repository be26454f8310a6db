#include "catch.hpp"

#include "mees/report/heatmap.hpp"

#include <sstream>

using namespace mees;

namespace {

void put(EliteMap& map, std::vector<double> bc, double fitness)
{
    Elite elite;
    elite.bc = std::move(bc);
    elite.fitness = fitness;
    static_cast<void>(map.insert(std::move(elite)));
}

std::vector<std::string> lines_of(std::string const& text)
{
    std::istringstream stream{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Columns that a line takes: escape sequences take none, a character of several bytes one.
std::size_t width_of(std::string const& line)
{
    std::size_t width = 0;
    bool escape = false;
    for (char const c : line) {
        if (c == '\x1b') {
            escape = true;
        }
        bool const continuation = (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
        width += escape || continuation ? 0 : 1;
        if (escape && c == 'm') {
            escape = false;
        }
    }
    return width;
}

std::size_t widest(std::string const& text)
{
    std::size_t most = 0;
    for (auto const& line : lines_of(text)) {
        most = std::max(most, width_of(line));
    }
    return most;
}

Terminal const plain{};
Terminal const coloured{.interactive = true, .colour = true, .utf8 = true, .columns = 80};

}  // namespace

TEST_CASE("a map is projected to two axes, by the best or the mean of the others")
{
    EliteMap map{BehaviourSpace{{2, 3, 2}, {0, 0, 0}, {1, 1, 1}}};
    put(map, {0.9, 0.1, 0.1}, 4);
    put(map, {0.9, 0.1, 0.9}, 8);
    put(map, {0.1, 0.9, 0.9}, -1);
    auto const best = project(map, {"a", "b", "c"});
    CHECK(best.columns == 2);
    CHECK(best.rows == 3);
    CHECK(best.x.name == "a");
    CHECK(best.y.name == "b");
    CHECK(best.at(1, 0) == 8);
    CHECK(best.at(0, 2) == -1);
    CHECK_FALSE(best.at(0, 0));
    CHECK(project(map, {}, 0, 1, Reduction::mean).at(1, 0) == 6);

    auto const other = project(map, {"a"}, 2, 0);
    CHECK(other.x.name == "bc 2");
    CHECK(other.at(0, 1) == 4);
    CHECK(other.at(1, 1) == 8);
    CHECK(other.at(1, 0) == -1);
    CHECK(project(map, {}, 0, 1, Reduction::best, &Elite::novelty).at(1, 0) == 0);
}

TEST_CASE("blocks are joined by their best")
{
    Heatmap const heatmap{
        .x = {}, .y = {}, .columns = 3, .rows = 2, .values = {{0, 1}, {1, 5}, {2, 2}, {5, 9}}};
    auto const small = shrink(heatmap, 2, 2);
    CHECK(small.columns == 2);
    CHECK(small.rows == 1);
    CHECK(small.at(0, 0) == 5);
    CHECK(small.at(1, 0) == 9);
}

TEST_CASE("without colours the heatmap consists of letters, highest rows first")
{
    EliteMap map{BehaviourSpace{{2, 2}, {-1, -10}, {1, 10}}};
    put(map, {-0.5, -5}, 0);
    put(map, {0.5, 5}, 9);
    CHECK(draw(project(map, {"x", "y"}), plain, 2)
          == "    +----+\n"
             " 10 |  @@|\n"
             "-10 |..  |\n"
             "    +----+\n"
             "     -1 x 1\n"
             "     0 .:-=+*#%@ 9.000\n");
}

TEST_CASE("with colours a character shows two rows")
{
    EliteMap map{BehaviourSpace{{2, 3}, {0, 0}, {1, 1}}};
    put(map, {0.1, 0.9}, 9);
    put(map, {0.9, 0.1}, 0);
    auto const lines = lines_of(draw(project(map, {"x", "y"}), coloured, 2));
    REQUIRE(lines.size() == 6);
    // The map's upper row over its middle one, then its lower row over nothing.
    CHECK(lines[1] == "1 |\x1b[38;5;226;48;5;236m\u2580\x1b[38;5;236;48;5;236m\u2580\x1b[0m|");
    CHECK(lines[2] == "0 |\x1b[38;5;236;49m\u2580\x1b[38;5;53;49m\u2580\x1b[0m|");
}

TEST_CASE("maps of any size fit the terminal")
{
    for (auto const& bins : std::vector<std::vector<std::int64_t>>{{10, 10},
                                                                   {91, 91},
                                                                   {10, 10, 10, 10},
                                                                   {1000, 3},
                                                                   {3, 1000},
                                                                   {1, 1},
                                                                   {50},
                                                                   {100'000, 100'000},
                                                                   {1, 1'000'000'000}}) {
        EliteMap map{BehaviourSpace{bins, std::vector<double>(bins.size(), -50),
                                    std::vector<double>(bins.size(), 50)}};
        put(map, std::vector<double>(bins.size(), 0.0), 1);
        put(map, std::vector<double>(bins.size(), 49.0), 2);
        auto const heatmap = project(map, {"final x of the torso", "final y of the torso"});
        for (auto terminal : {plain, coloured}) {
            for (int const columns : {80, 40}) {
                terminal.columns = columns;
                auto const text = draw(heatmap, terminal);
                CHECK(widest(text) <= static_cast<std::size_t>(columns));
                CHECK(lines_of(text).size() <= 23 + 4);
            }
        }
    }
}

TEST_CASE("an empty map and a map of one value can be drawn")
{
    EliteMap map{BehaviourSpace{{2, 2}, {0, 0}, {1, 1}}};
    CHECK_THAT(draw(project(map, {}), plain),
               Catch::Matchers::ContainsSubstring("no cell is filled"));
    put(map, {0, 0}, 3);
    CHECK_THAT(draw(project(map, {}), plain, 2), Catch::Matchers::ContainsSubstring("|@@  |"));
}

TEST_CASE("a CVT map is drawn at the BCs of its elites")
{
    EliteMap map{BehaviourSpace::voronoi({0.1, 0.1, 0.9, 0.9}, {0, 0}, {1, 1})};
    put(map, {0.0, 0.0}, 1);
    put(map, {1.0, 0.5}, 2);
    auto const heatmap = project(map, {"x", "y"});
    CHECK(heatmap.columns == 40);
    CHECK(heatmap.at(0, 0) == 1);
    CHECK(heatmap.at(39, 20) == 2);
}

TEST_CASE("names are drawn without control characters")
{
    EliteMap map{BehaviourSpace{{2, 2}, {0, 0}, {1, 1}}};
    put(map, {0, 0}, 3);
    auto const text = draw(project(map, {"x\x1b[2J", "y\x07"}), plain);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\x07') == std::string::npos);
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("x\\x1b[2J"));
}

TEST_CASE("a nested heatmap of many cells holds its elites only")
{
    EliteMap map{BehaviourSpace{{10'000, 10'000, 10'000, 10'000}, {0, 0, 0, 0}, {1, 1, 1, 1}}};
    put(map, {0, 0, 0, 0}, 1);
    put(map, {1, 1, 1, 1}, 2);
    auto const image = project_nested(map, {}, {0, 1}, {2, 3});
    CHECK(image.columns == 100'000'000);
    CHECK(image.at(0, 0) == 1);
    CHECK(image.at(99'999'999, 99'999'999) == 2);
    CHECK(lines_of(draw(image, plain, 50)).size() <= 50 + 4);
}

TEST_CASE("a heatmap fits the rows of the screen")
{
    EliteMap map{BehaviourSpace{{10, 10}, {0, 0}, {1, 1}}};
    put(map, {0.5, 0.5}, 1);
    for (auto terminal : {plain, coloured}) {
        terminal.rows = 24;
        // With a title and the prompt.
        CHECK(lines_of(draw(project(map, {"x", "y"}), terminal)).size() <= 22);
    }
}
