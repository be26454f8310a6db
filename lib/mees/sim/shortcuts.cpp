#include "mees/sim/shortcuts.hpp"

namespace mees {

int needless_phases([[maybe_unused]] mjModel const& model)
{
#if mjVERSION_HEADER >= 3014000
    if (model.ntree <= 1) {
        return mjDSBL_ISLAND;
    }
#endif
    return 0;
}

}  // namespace mees
