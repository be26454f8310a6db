#include "mees/algorithms/target_cell.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace mees {

TargetCell::TargetCell(BehaviourSpace const& space, CellId cell) : space_{&space}, cell_{cell}
{
    expects(cell.value() >= 0 && cell.value() < space.cells(), "a cell of the map");
    auto const axes = static_cast<std::size_t>(space.dimensions());
    auto const bins = space.bins_of(cell);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        auto const range = space.upper()[axis] - space.lower()[axis];
        if (space.is_grid()) {
            width_.push_back(range / static_cast<double>(space.bins()[axis]));
            centre_.push_back(space.lower()[axis] + (bins[axis] + 0.5) * width_.back());
        } else {
            width_.push_back(range);
            centre_.push_back(
                space.centroids()[static_cast<std::size_t>(cell.value()) * axes + axis]);
        }
    }
}

bool TargetCell::contains(std::span<double const> bc) const
{
    return space_->cell_of(bc) == cell_;
}

double TargetCell::distance(std::span<double const> bc) const
{
    double squares = 0;
    for (std::size_t axis = 0; axis < centre_.size(); ++axis) {
        double const difference = (bc[axis] - centre_[axis]) / width_[axis];
        squares += difference * difference;
    }
    return std::sqrt(squares);
}

std::vector<double> target_values(TargetCell const& target, OffspringValues const& offspring)
{
    double bonus = 1e6;
    std::vector<bool> inside;
    for (std::size_t i = 0; i < offspring.size(); ++i) {
        inside.push_back(target.contains(offspring.bc(i)));
        if (inside.back()) {
            bonus = std::max(bonus, 1 - offspring.objective[i]);
        }
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < offspring.size(); ++i) {
        values.push_back(inside[i] ? offspring.objective[i] + bonus
                                   : -target.distance(offspring.bc(i)));
    }
    return values;
}

}  // namespace mees
