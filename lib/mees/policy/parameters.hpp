#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace mees {

/// Parameters of a network: never changed once made, and shared by copies. They are in memory, or
/// where a ParameterStore keeps them, which may be a file.
class Parameters {
  public:
    Parameters() = default;
    Parameters(Eigen::VectorXf values)  // NOLINT(google-explicit-constructor): the usual case
        : Parameters{std::make_shared<Eigen::VectorXf const>(std::move(values))}
    {
    }
    template <class Derived>
    Parameters(Eigen::DenseBase<Derived> const& values)  // NOLINT(google-explicit-constructor)
        : Parameters{Eigen::VectorXf{values}}
    {
    }
    /// Those of a store: `owner` keeps the values valid.
    Parameters(std::span<float const> values, std::shared_ptr<void const> owner)
        : owner_{std::move(owner)}, values_{values}, is_kept_{true}
    {
    }

    [[nodiscard]] float const* data() const { return values_.data(); }
    [[nodiscard]] Eigen::Index size() const { return std::ssize(values_); }
    [[nodiscard]] auto begin() const { return values_.begin(); }
    [[nodiscard]] auto end() const { return values_.end(); }
    [[nodiscard]] float operator[](Eigen::Index i) const
    {
        return values_[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] Eigen::Map<Eigen::VectorXf const> values() const { return {data(), size()}; }
    /// Whether a store keeps them.
    [[nodiscard]] bool is_kept() const { return is_kept_; }

    friend bool operator==(Parameters const& a, Parameters const& b)
    {
        return std::ranges::equal(a, b);
    }

  private:
    explicit Parameters(std::shared_ptr<Eigen::VectorXf const> values)
        : owner_{values}, values_{values->data(), static_cast<std::size_t>(values->size())}
    {
    }

    std::shared_ptr<void const> owner_;
    std::span<float const> values_;
    bool is_kept_{false};
};

}  // namespace mees
