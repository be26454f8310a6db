#include "catch.hpp"
#include "mees/programs/detail/self_test.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <limits>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Observes one number, always the same.
class Constant final : public Task {
  public:
    explicit Constant(double value) : value_{value} {}

    void reset(Stream&) override {}
    void observe(std::span<double> observation) const override { observation[0] = value_; }
    void step(std::span<double const>) override {}
    [[nodiscard]] double reward() const override { return 0; }
    [[nodiscard]] std::span<double const> terms() const override { return {}; }
    [[nodiscard]] bool terminated() const override { return false; }
    [[nodiscard]] bool diverged() const override { return false; }
    [[nodiscard]] double fitness() const override { return 0; }
    void behaviour(std::span<double>) const override {}

  private:
    double value_;
};

class ConstantDomain final : public Domain {
  public:
    explicit ConstantDomain(double value) : value_{value}
    {
        spec_.name = "constant";
        spec_.observation_size = 1;
        spec_.action_size = 1;
    }

    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::make_unique<Constant>(value_);
    }

  private:
    double value_;
    TaskSpec spec_;
};

}  // namespace

TEST_CASE("the self-test rejects a domain whose numbers are not finite")
{
    CHECK_NOTHROW(require_working(ConstantDomain{1.0}));
    CHECK_THROWS_WITH(require_working(ConstantDomain{std::numeric_limits<double>::quiet_NaN()}),
                      ContainsSubstring("the domain constant does not work"));
}

TEST_CASE("the self-test rejects maps that differ")
{
    test::ScratchFolder const folder;
    write_map(folder / "a.h5", test::sample_document(1));
    write_map(folder / "same.h5", test::sample_document(1));
    write_map(folder / "other.h5", test::sample_document(2));
    CHECK_NOTHROW(require_same_bits(folder / "a.h5", folder / "same.h5"));
    CHECK_THROWS_WITH(require_same_bits(folder / "a.h5", folder / "other.h5"),
                      ContainsSubstring("differ ("));
}
