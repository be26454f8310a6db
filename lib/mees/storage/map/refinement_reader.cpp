#include "mees/storage/map/detail/refinement_layout.hpp"
#include "mees/storage/map/file.hpp"

#include <algorithm>

namespace mees {
namespace {

using layout::ColumnReader;

std::vector<Pursuer> read_pursuers(MapReader const& map, RefinementProgress const& progress)
{
    auto const& file = map.file();
    std::string const group = layout::pursuer_group;
    if (!file.has(group)) {
        return {};
    }
    std::vector<Pursuer> pursuers(file.values<std::int64_t>(group + "/target").size());
    ColumnReader{file, std::span{pursuers}}.column(group + "/target", &Pursuer::target,
                                                   {0, std::ssize(progress.targets) - 1});
    std::vector<layout::StoredCandidate> stored(pursuers.size());
    layout::candidate_columns(ColumnReader{file, std::span{stored}}, group, map.space(),
                              map.network());
    for (std::size_t i = 0; i < pursuers.size(); ++i) {
        auto const& target = progress.targets[static_cast<std::size_t>(pursuers[i].target)];
        require(file, !target.done && (i == 0 || pursuers[i - 1].target < pursuers[i].target),
                group + "/target is not a list of unfinished targets");
        auto& one = stored[i];
        require(file, (one.controller.normaliser.std.array() > 0).all(),
                group + "/observation_std is not positive");
        auto& emitter = pursuers[i].emitter;
        emitter.theta = one.controller.parameters.values();
        emitter.optimiser = std::move(one.optimiser);
        emitter.parent_cell = one.parent_cell;
        emitter.steps = progress.step;
        pursuers[i].normaliser = std::move(one.controller.normaliser);
    }
    return pursuers;
}

}  // namespace

std::optional<Refinement> MapReader::refinement() const
{
    if (!file_.has(layout::refinement_group)) {
        return std::nullopt;
    }
    Refinement result;
    layout::refinement_attributes(layout::AttributeReader{file_, layout::refinement_group}, result);
    if (file_.has_attribute(layout::refinement_group, "conditions")) {
        result.conditions = file_.texts(layout::refinement_group, "conditions");
    }
    auto& progress = result.progress;
    require(file_, progress.step <= result.settings.steps, "/refinement@step is too large");
    progress.targets.resize(file_.values<std::int64_t>("/refinement/cell").size());
    layout::target_columns(ColumnReader{file_, std::span{progress.targets}}, space_);
    require_ascending(file_, "/refinement/cell", progress.targets, &RefinementTarget::cell);
    progress.pursuers = read_pursuers(*this, progress);
    bool const finished = std::ranges::all_of(progress.targets, &RefinementTarget::done);
    require(file_, finished == progress.pursuers.empty(),
            "/refinement/pursuer does not fit /refinement/done");
    return result;
}

}  // namespace mees
