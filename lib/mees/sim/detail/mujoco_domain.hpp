#pragma once

#include "mees/sim/detail/compile.hpp"
#include "mees/sim/detail/mujoco_task.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace mees {

/// A compiled model, a damage, and a function that makes tasks of them.
class MujocoDomain final : public Domain {
  public:
    using TaskMaker = std::function<std::unique_ptr<Task>(ModelPtr, TaskSpec const&)>;

    /// Undamaged. `spec` lacks only the model's hash.
    MujocoDomain(CompiledModel model, TaskSpec spec, TaskMaker make);

    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    /// Simulates the reduced model, if there is one.
    [[nodiscard]] std::unique_ptr<Task> make_task() const override;
    [[nodiscard]] ModelPtr full_model() const override;
    /// Compiles nothing.
    [[nodiscard]] std::shared_ptr<Domain const> with_damage(Damage const& damage) const override;

  private:
    using SharedModel = std::shared_ptr<CompiledModel const>;

    MujocoDomain(SharedModel undamaged, SharedModel model, TaskSpec spec, TaskMaker make);

    SharedModel model_;
    SharedModel undamaged_;  ///< may be the same
    TaskSpec spec_;
    TaskMaker make_;
};

/// A domain of tasks of type T, made from (model, spec, arguments...).
template <class T, class... Arguments>
[[nodiscard]] std::shared_ptr<Domain const> make_mujoco_domain(CompiledModel model, TaskSpec spec,
                                                               Arguments... arguments)
{
    return std::make_shared<MujocoDomain const>(
        std::move(model), std::move(spec),
        [arguments...](ModelPtr const& shared, TaskSpec const& own) {
            return std::make_unique<T>(shared, own, arguments...);
        });
}

/// The shipped model of that name with the settings' integrator.
[[nodiscard]] CompiledModel prepare_shipped_model(std::string const& name,
                                                  DomainSettings const& settings);
/// The same with a model file.
[[nodiscard]] CompiledModel prepare_model_file(std::filesystem::path const& path,
                                               DomainSettings const& settings);

/// The settings' number of steps, or the domain's default.
[[nodiscard]] inline std::int64_t episode_steps(DomainSettings const& settings,
                                                std::int64_t domain_default)
{
    return settings.episode_steps > 0 ? settings.episode_steps : domain_default;
}

}  // namespace mees
