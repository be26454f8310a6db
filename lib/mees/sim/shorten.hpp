#pragma once

struct mjModel_;

namespace mees {

/// Scales the body's length by `factor` in (0, 1]: its capsules, cylinders and boxes along their
/// longest side, and the place of everything on it. Mass, centre and inertia follow at the density
/// the body had. The caller then has mj_setConst bring the derived quantities up to date.
void shorten_body(mjModel_& model, int body, double factor);

}  // namespace mees
