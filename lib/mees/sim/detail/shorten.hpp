#pragma once

struct mjModel_;

namespace mees {

/// Scales the body's length by `factor` in (0, 1]: its capsules, cylinders and boxes along their
/// longest side, and the positions of everything attached to it. Mass, centre and inertia follow at
/// the density the body had. The caller then has mj_setConst update the derived quantities.
void shorten_body(mjModel_& model, int body, double factor);

}  // namespace mees
