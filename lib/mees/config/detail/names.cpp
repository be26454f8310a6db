#include "mees/config/detail/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mees {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

namespace {

constexpr std::size_t longest = 200;

bool is_close(std::string_view name, std::string_view known)
{
    return edit_distance(name.substr(0, longest), known) <= 1 + known.size() / 3;
}

std::size_t shared_letters(std::string_view a, std::string_view b)
{
    auto const end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<std::string const> candidates)
{
    constexpr std::size_t telling = 3;
    auto const wanted = name.substr(0, longest);
    auto const nearest =
        std::min_element(candidates.begin(), candidates.end(), [&](auto const& a, auto const& b) {
            return edit_distance(wanted, a) < edit_distance(wanted, b);
        });
    if (nearest == candidates.end()) {
        return "";
    }
    // Another word for a name often begins like it: popsize, population.
    auto const alike =
        std::max_element(candidates.begin(), candidates.end(), [&](auto const& a, auto const& b) {
            return shared_letters(wanted, a) < shared_letters(wanted, b);
        });
    bool const begins_alike = shared_letters(wanted, *alike) >= telling;
    return !is_close(name, *nearest) && begins_alike ? *alike : *nearest;
}

std::string suggestion(std::string_view name, std::span<std::string const> candidates)
{
    auto const nearest = nearest_name(name, candidates);
    if (nearest.empty()) {
        return "";
    }
    return is_close(name, nearest) ? fmt::format("Did you mean {}?", nearest)
                                   : fmt::format("The nearest known name is {}.", nearest);
}

std::string printable(std::string_view text)
{
    constexpr std::size_t limit = 80;
    std::string result{text.substr(0, limit)};
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return text.size() > limit ? result + "..." : result;
}

}  // namespace mees
