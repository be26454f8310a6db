#include "catch.hpp"
#include "mees/policy/parameter_store.hpp"
#include "scratch_folder.hpp"

#include <vector>

using namespace mees;
using test::ScratchFolder;

namespace {

constexpr Eigen::Index size = 100;
constexpr std::int64_t bytes = size * 4;

ControllerPtr controller(float first)
{
    return std::make_shared<Controller const>(
        Controller{Eigen::VectorXf::LinSpaced(size, first, first + 1), Normaliser::identity(3),
                   std::make_shared<Controller const>()});
}

}  // namespace

TEST_CASE("parameters are values that copies share")
{
    Eigen::VectorXf const values = Eigen::VectorXf::LinSpaced(4, 0, 3);
    Parameters const one = values;
    auto const other = one;
    CHECK(one.data() == other.data());
    CHECK(one.data() != values.data());
    CHECK(one.values() == values);
    CHECK(one == Parameters{values});
    CHECK_FALSE(one == Parameters{values + values});
    CHECK_FALSE(one == Parameters{values.head(3)});
    CHECK(one[3] == 3);
    CHECK(std::vector<float>(one.begin(), one.end()) == std::vector<float>{0, 1, 2, 3});
    CHECK(Parameters{}.size() == 0);
}

TEST_CASE("a store keeps the same controllers, beyond its limit in a file")
{
    ScratchFolder const folder;
    ParameterStore store{folder.path(), 2 * bytes + 3};
    std::vector<ControllerPtr> kept;
    for (int i = 0; i < 4; ++i) {
        auto const original = controller(static_cast<float>(i));
        kept.push_back(store.keep(original));
        CHECK(kept.back()->parameters == original->parameters);
        CHECK(kept.back()->normaliser == original->normaliser);
        CHECK(kept.back()->before == original->before);
        CHECK((kept.back()->parameters.data() == original->parameters.data()) == (i < 2));
    }
    CHECK(store.bytes_in_memory() == 2 * bytes);
    CHECK(store.keep(kept[0]) == kept[0]);
    CHECK(store.keep(kept[3]) == kept[3]);
    CHECK(std::filesystem::is_empty(folder.path()));

    // A copy counts as long as it exists; then there is memory again.
    auto const copy = kept[0]->parameters;
    kept[0].reset();
    CHECK(store.bytes_in_memory() == 2 * bytes);
    kept[1].reset();
    CHECK(store.bytes_in_memory() == bytes);
    auto const original = controller(9);
    CHECK(store.keep(original)->parameters.data() == original->parameters.data());
    CHECK(copy == controller(0)->parameters);
    CHECK(kept[2]->parameters == controller(2)->parameters);
}

TEST_CASE("what a store kept outlives it")
{
    ScratchFolder const folder;
    std::vector<ControllerPtr> kept;
    {
        ParameterStore store{folder.path(), bytes};
        for (int i = 0; i < 3; ++i) {
            kept.push_back(store.keep(controller(static_cast<float>(i))));
        }
    }
    for (int i = 0; i < 3; ++i) {
        CHECK(kept[static_cast<std::size_t>(i)]->parameters
              == controller(static_cast<float>(i))->parameters);
    }
}

TEST_CASE("without a file, parameters stay in memory")
{
    ScratchFolder const folder;
    ParameterStore store{folder / "none", 0};
    std::vector<ControllerPtr> kept;
    for (int i = 0; i < 3; ++i) {
        auto const original = controller(static_cast<float>(i));
        kept.push_back(store.keep(original));
        CHECK(kept.back()->parameters.data() == original->parameters.data());
    }
    CHECK(store.bytes_in_memory() == 3 * bytes);
    std::filesystem::create_directory(folder / "none");
    auto const original = controller(3);
    CHECK(store.keep(original)->parameters.data() != original->parameters.data());
}
