#include "mees/config/objective.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

double Objective::*member_of(ObjectiveKind kind)
{
    switch (kind) {
        case ObjectiveKind::fitness:
            return &Objective::fitness;
        case ObjectiveKind::novelty:
            return &Objective::novelty;
        case ObjectiveKind::evolvability:
            return &Objective::evolvability;
        case ObjectiveKind::max_var:
            return &Objective::max_var;
        case ObjectiveKind::max_ent:
            return &Objective::max_ent;
    }
    contract_violated("a known objective");
}

}  // namespace

double Objective::weight(ObjectiveKind kind) const
{
    return this->*member_of(kind);
}

double& Objective::weight(ObjectiveKind kind)
{
    return this->*member_of(kind);
}

Objective Objective::normalised() const
{
    double const sum = fitness + novelty + evolvability + max_var + max_ent;
    auto result = *this;
    for (auto const name : choice_names<ObjectiveKind>) {
        auto& weight = result.weight(*choice_named<ObjectiveKind>(name));
        weight = static_cast<float>(weight / sum);
    }
    return result;
}

std::string to_string(Objective const& objective)
{
    std::string text;
    for (auto const name : choice_names<ObjectiveKind>) {
        auto const weight = objective.weight(*choice_named<ObjectiveKind>(name));
        if (weight != 0) {
            text += text.empty() ? "" : " + ";
            text += weight == 1 ? std::string{name} : fmt::format("{}*{}", weight, name);
        }
    }
    return text;
}

}  // namespace mees
