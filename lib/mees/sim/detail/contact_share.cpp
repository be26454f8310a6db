#include "mees/sim/detail/contact_share.hpp"

#include <algorithm>

namespace mees {

ContactShare::ContactShare(int floor, std::vector<int> geoms)
    : floor_{floor}, geoms_{std::move(geoms)}, last_touch_(geoms_.size()), touches_(geoms_.size())
{
}

void ContactShare::restart()
{
    steps_ = 0;
    std::fill(last_touch_.begin(), last_touch_.end(), 0);
    std::fill(touches_.begin(), touches_.end(), 0);
}

void ContactShare::add(mjData const& data)
{
    ++steps_;
    for (int i = 0; i < data.ncon; ++i) {
        auto const& contact = data.contact[i];
        if (contact.geom1 != floor_ && contact.geom2 != floor_) {
            continue;
        }
        int const other = contact.geom1 == floor_ ? contact.geom2 : contact.geom1;
        for (std::size_t g = 0; g < geoms_.size(); ++g) {
            if (geoms_[g] == other && last_touch_[g] != steps_) {
                last_touch_[g] = steps_;
                ++touches_[g];
            }
        }
    }
}

void ContactShare::shares(std::span<double> out) const
{
    for (std::size_t g = 0; g < geoms_.size(); ++g) {
        out[g] = steps_ > 0 ? static_cast<double>(touches_[g]) / static_cast<double>(steps_) : 0;
    }
}

}  // namespace mees
