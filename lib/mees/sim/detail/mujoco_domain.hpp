#pragma once

#include "mees/sim/detail/compile.hpp"
#include "mees/sim/detail/mujoco_task.hpp"

#include <memory>

namespace mees {

/// A compiled model, a damage, and the description of a task.
class MujocoDomain final : public Domain {
  public:
    /// `source` is what the model was compiled from; null if it needs files that a map cannot
    /// carry. Applies the description's integrator and damage. Throws ConfigError for a
    /// description that does not fit the model.
    MujocoDomain(CompiledModel model, TaskDescription description,
                 std::shared_ptr<ModelText const> source, std::vector<std::string> notes = {});

    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    /// Simulates the reduced model, if there is one.
    [[nodiscard]] std::unique_ptr<Task> make_task() const override;
    [[nodiscard]] ModelPtr full_model() const override;
    [[nodiscard]] std::shared_ptr<DomainDocument const> document() const override;
    /// Compiles nothing.
    [[nodiscard]] std::shared_ptr<Domain const> with_damage(Damage const& damage) const override;

  private:
    using SharedModel = std::shared_ptr<CompiledModel const>;

    MujocoDomain(MujocoDomain const& undamaged, Damage const& damage);
    void finish();

    SharedModel undamaged_;
    SharedModel model_;  ///< may be the same
    TaskDescription description_;
    std::shared_ptr<ModelText const> source_;
    TaskSpec spec_;
};

/// Compiles a model and makes its domain.
[[nodiscard]] std::shared_ptr<Domain const> make_mujoco_domain(ModelText model,
                                                               TaskDescription description);

/// Sets what [domain] says of every task, except damage.
void apply_settings(DomainSettings const& settings, TaskDescription& description);

}  // namespace mees
