#include "mees/navigation/walk_track.hpp"

namespace mees {

WalkTrack track_walk(NavigationDomain const& domain, Stream const& stream)
{
    auto const navigator = domain.make_navigator();
    WalkTrack track;
    std::int64_t action = -1;
    navigator->on_control_step = [&](GroundPose const& pose, std::vector<double> const& qpos) {
        track.rows.push_back({action, navigator->target(), pose});
        track.qpos.insert(track.qpos.end(), qpos.begin(), qpos.end());
    };
    navigator->reset(stream);
    while (!navigator->finished()) {
        ++action;
        navigator->act([] {});
    }
    return track;
}

}  // namespace mees
