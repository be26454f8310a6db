#include "mees/sim/detail/contact_share.hpp"
#include "mees/sim/detail/mjcf_description.hpp"
#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/registry.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {
namespace {

/// A task described by settings.
class MjcfTask final : public MujocoTask {
  public:
    MjcfTask(ModelPtr const& model, TaskSpec const& spec, MjcfDescription description)
        : MujocoTask{model, spec, description.rules},
          description_{std::move(description)},
          contacts_{description_.floor, description_.bc_geoms},
          seconds_per_step_{spec.seconds_per_step},
          x_(description_.reward.size())
    {
    }

    void observe(std::span<double> observation) const override
    {
        auto out = observation.begin();
        for (auto const part : description_.observation) {
            auto const values = values_of(part);
            out = std::copy(values.begin(), values.end(), out);
        }
    }

  private:
    void begin(std::span<double>, std::span<double> bc) override
    {
        for (std::size_t i = 0; i < x_.size(); ++i) {
            x_[i] = position_of(description_.reward[i].body)[0];
        }
        contacts_.restart();
        start_ = position_of(description_.bc_body);
        steps_ = 0;
        write_behaviour(bc);
    }

    void measure(std::span<double const> action, std::span<double> terms) override
    {
        for (std::size_t i = 0; i < terms.size(); ++i) {
            auto const& term = description_.reward[i];
            terms[i] = term.weight * value_of(term, action, x_[i]);
        }
    }

    void characterise(std::span<double> bc) override
    {
        ++steps_;
        if (description_.behaviour == BehaviourKind::contact_share) {
            contacts_.add(data());
        }
        write_behaviour(bc);
    }

    [[nodiscard]] bool fallen() const override
    {
        if (description_.height_body < 0) {
            return false;
        }
        double const height = position_of(description_.height_body)[2];
        return height < description_.height_lower || height > description_.height_upper;
    }

    void write_behaviour(std::span<double> bc) const
    {
        if (description_.behaviour == BehaviourKind::contact_share) {
            contacts_.shares(bc);
            return;
        }
        auto const position = position_of(description_.bc_body);
        bool const velocity = description_.behaviour == BehaviourKind::mean_velocity;
        double const seconds =
            seconds_per_step_ * static_cast<double>(std::max<std::int64_t>(steps_, 1));
        for (std::size_t i = 0; i < 2; ++i) {
            bc[i] = velocity ? (position[i] - start_[i]) / seconds : position[i];
        }
    }

    [[nodiscard]] Position position_of(int body) const
    {
        auto const* position = data().xpos + 3 * body;
        return {position[0], position[1], position[2]};
    }

    [[nodiscard]] double value_of(RewardTerm const& term, std::span<double const> action,
                                  double& x_before) const
    {
        switch (term.kind) {
            case RewardKind::forward_velocity: {
                double const x = position_of(term.body)[0];
                return (x - std::exchange(x_before, x)) / seconds_per_step_;
            }
            case RewardKind::control_cost: {
                double effort = 0;
                for (double const a : action) {
                    effort += a * a;
                }
                return -effort;
            }
            case RewardKind::distance:
                return -distance(term);
            case RewardKind::alive:
                break;
        }
        return 1;
    }

    [[nodiscard]] double distance(RewardTerm const& term) const
    {
        auto const from = position_of(term.body);
        auto const* to = term.site >= 0 ? data().site_xpos + 3 * term.site : term.point.data();
        double sum = 0;
        for (int i = 0; i < term.dimensions; ++i) {
            sum += (from[i] - to[i]) * (from[i] - to[i]);
        }
        return std::sqrt(sum);
    }

    [[nodiscard]] std::span<double const> values_of(ObservationPart part) const
    {
        auto const bodies = static_cast<std::size_t>(model().nbody);
        switch (part) {
            case ObservationPart::qpos:
                return qpos().subspan(static_cast<std::size_t>(description_.observation_skip));
            case ObservationPart::qvel:
                return qvel();
            case ObservationPart::cinert:
                return {data().cinert, 10 * bodies};
            case ObservationPart::cvel:
                return {data().cvel, 6 * bodies};
            case ObservationPart::qfrc_actuator:
                return {data().qfrc_actuator, qvel().size()};
            case ObservationPart::cfrc_ext:
                break;
        }
        return {data().cfrc_ext, 6 * bodies};
    }

    MjcfDescription description_;
    ContactShare contacts_;
    double seconds_per_step_;
    std::vector<double> x_;  ///< by reward term
    Position start_{};
    std::int64_t steps_{0};
};

}  // namespace

DomainPtr make_mjcf(DomainSettings const& settings)
{
    auto model = prepare_model_file(settings.mjcf.model, settings);
    auto description = describe_mjcf(*model.full, settings);
    auto spec = spec_of(*model.full, description, settings);
    return make_mujoco_domain<MjcfTask>(std::move(model), std::move(spec), std::move(description));
}

}  // namespace mees
