#include "mees/core/error.hpp"
#include "mees/storage/map/lookup.hpp"
#include "mees/viewer/content.hpp"
#include "mees/viewer/detail/json.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <numeric>

namespace mees::viewer {
namespace {

constexpr std::string_view placeholder =
    R"(<script id="mees-data" type="application/json">null</script>)";

std::vector<std::filesystem::path> page_candidates()
{
    std::error_code none;
    auto const folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
    return {folder.parent_path() / "share/mees/viewer/page.html",
            folder.parent_path().parent_path() / "viewer/page.html"};
}

std::vector<std::int64_t> best_rows(MapReader const& map, std::size_t count)
{
    auto const elites = map.elites();
    std::vector<std::int64_t> rows(elites.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::ranges::stable_sort(rows, std::greater{}, [&](std::int64_t row) {
        return elites[static_cast<std::size_t>(row)].second.fitness;
    });
    rows.resize(std::min(count, rows.size()));
    std::ranges::sort(rows);
    return rows;
}

}  // namespace

std::vector<std::int64_t> choose_rows(MapReader const& map, std::string_view choice)
{
    constexpr std::string_view best = "best:";
    if (choice == "all") {
        return best_rows(map, SIZE_MAX);
    }
    if (choice.starts_with(best)) {
        std::size_t count = 0;
        auto const* const end = choice.data() + choice.size();
        auto const [stop, error] = std::from_chars(choice.data() + best.size(), end, count);
        if (error == std::errc{} && stop == end && count > 0) {
            return best_rows(map, count);
        }
    } else if (choice.find_first_not_of("0123456789,") == std::string_view::npos) {
        std::vector<std::int64_t> rows;
        while (!choice.empty()) {
            auto const comma = std::min(choice.find(','), choice.size());
            rows.push_back(choose_elite(map, choice.substr(0, comma)).row);
            choice.remove_prefix(std::min(comma + 1, choice.size()));
        }
        std::ranges::sort(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        return rows;
    }
    throw ConfigError{fmt::format("invalid --cells {}", choice),
                      "expected best:N, all, or cell numbers separated by commas",
                      "Use for example --cells best:100."};
}

std::string load_page()
{
    auto const candidates = page_candidates();
    for (auto const& path : candidates) {
        std::ifstream file{path, std::ios::binary};
        if (!file) {
            continue;
        }
        std::string text{std::istreambuf_iterator<char>{file}, {}};
        if (text.find(placeholder) == std::string::npos) {
            throw FileError{fmt::format("cannot use {}", path.string()),
                            "it is not the page of this program",
                            "Run ./mees view --build-only again."};
        }
        return text;
    }
    throw FileError{
        "missing page of the viewer",
        fmt::format("there is no {} and no {}", candidates[0].string(), candidates[1].string()),
        "Run ./mees view --build-only in the source folder (it needs node and npm), and "
        "install again."};
}

std::string self_contained_page(std::string page, Library const& library,
                                std::vector<std::int64_t> const& rows)
{
    auto const map = library.current(0);
    JsonObject controllers;
    for (auto const row : rows) {
        controllers.add(fmt::format("{}", row), base64(controller_bytes(map->reader, row)));
    }
    JsonObject data;
    data.raw("map", map_json(library, 0, *map)).raw("controllers", controllers.text());
    auto const script =
        fmt::format(R"(<script id="mees-data" type="application/json">{}</script>)", data.text());
    return page.replace(page.find(placeholder), placeholder.size(), script);
}

}  // namespace mees::viewer
