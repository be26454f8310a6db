#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

struct mjModel_;

namespace mees {

/// Several things broken at once, and what to call them together.
struct NamedDamage {
    std::string name;
    std::vector<std::string> parts;
};

/// The paper's twelve: each joint J0..J7 of the Ant alone, then each of its legs (both joints).
[[nodiscard]] std::vector<NamedDamage> paper_damages();

/// "J0,J1" or "lock:hip_1,friction=0.5" in its parts.
[[nodiscard]] std::vector<std::string> split_damage(std::string_view text);

/// Breaks the model, part by part; each may hold several, joined by commas:
///   J3, a motor or a joint   that motor, or the joint's, obeys only -0.01..0.01 (the paper's)
///   lock:JOINT               the joint stays where the model has it at rest, within its range
///   weak:MOTOR=0.3           the motor keeps that share of its strength
///   friction=0.5             every surface has that multiple of its sliding friction
///   shorten:BODY=0.7         the body keeps that share of its length, and what hangs on it follows
///   mass:BODY=+1.5           the body's mass changes by so many kilograms
/// Throws ConfigError for anything else, naming what there is. Any set of parts is possible, all
/// motors too.
void apply_damage(mjModel_& model, std::span<std::string const> damage);

}  // namespace mees
