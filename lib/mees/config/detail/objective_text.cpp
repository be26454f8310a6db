#include "mees/config/detail/objective_text.hpp"

#include "mees/config/detail/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace mees {
namespace {

constexpr double smallest_weight = 1e-12;
constexpr double largest_weight = 1e6;
constexpr char const* example = "Write it like \"0.5*fitness + 0.5*novelty\".";

/// Why a string is not an objective, and what to do.
struct ObjectiveFault {
    std::string why;
    std::string remedy{example};
};

/// Takes parts of a string from its beginning.
class ObjectiveScanner {
  public:
    explicit ObjectiveScanner(std::string_view text) : rest_{text} {}

    [[nodiscard]] bool at_end()
    {
        skip_spaces();
        return rest_.empty();
    }
    [[nodiscard]] bool take(char expected)
    {
        skip_spaces();
        bool const found = rest_.starts_with(expected);
        rest_.remove_prefix(found ? 1 : 0);
        return found;
    }
    [[nodiscard]] bool begins_number()
    {
        skip_spaces();
        return rest_.find_first_of("0123456789.") == 0;
    }
    [[nodiscard]] std::optional<double> number()
    {
        double value = 0;
        auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return error == std::errc{} ? std::optional{value} : std::nullopt;
    }
    [[nodiscard]] std::string word()
    {
        skip_spaces();
        auto const size = std::min(rest_.find_first_of(" *+"), rest_.size());
        std::string const taken{rest_.substr(0, size)};
        rest_.remove_prefix(size);
        return taken;
    }

  private:
    void skip_spaces()
    {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    }

    std::string_view rest_;
};

/// The weight of the next term: 1 if it has none. Nothing if it is not one.
std::optional<double> term_weight(ObjectiveScanner& scanner)
{
    if (!scanner.begins_number()) {
        return 1.0;
    }
    auto const weight = scanner.number();
    bool const valid =
        weight && *weight >= smallest_weight && *weight <= largest_weight && scanner.take('*');
    return valid ? weight : std::nullopt;
}

/// Adds the next term.
std::optional<ObjectiveFault> add_term(ObjectiveScanner& scanner, Objective& objective)
{
    auto const weight = term_weight(scanner);
    if (!weight) {
        return ObjectiveFault{fmt::format("a weight is a positive number from {} to {} before a *",
                                          smallest_weight, largest_weight)};
    }
    auto const name = scanner.word();
    auto const kind = choice_named<ObjectiveKind>(name);
    if (!kind) {
        auto const& names = choice_names<ObjectiveKind>;
        std::vector<std::string> const known{names.begin(), names.end()};
        auto const why = fmt::format(
            "{}: must be one of {}, or a sum such as "
            "\"0.5*fitness + 0.5*novelty\" with positive weights",
            name.empty() ? "a name is missing" : fmt::format("unknown name {}", printable(name)),
            fmt::join(known, ", "));
        return ObjectiveFault{why, name.empty() ? example : suggestion(name, known)};
    }
    if (objective.weight(*kind) != 0) {
        return ObjectiveFault{fmt::format("{} occurs twice", name)};
    }
    objective.weight(*kind) = *weight;
    return std::nullopt;
}

}  // namespace

std::variant<Objective, Fault> read_objective(Key const& key, std::string_view text)
{
    ObjectiveScanner scanner{text};
    Objective objective;
    std::optional<ObjectiveFault> fault;
    do {
        fault = add_term(scanner, objective);
    } while (!fault && scanner.take('+'));
    if (!fault && !scanner.at_end()) {
        fault = ObjectiveFault{"terms are separated by +"};
    }
    if (!fault) {
        return objective;
    }
    return Fault{{key.full_name()},
                 fmt::format("invalid entry {} of {}", printable(to_toml(Value{std::string{text}})),
                             key.full_name()),
                 fault->why,
                 fault->remedy};
}

}  // namespace mees
