#include "catch.hpp"
#include "es/vector.hpp"
#include "mees/es/perturbation.hpp"

#include <algorithm>
#include <array>

using namespace mees;
using namespace mees::test;

TEST_CASE("members of a group are perturbed as the group specifies")
{
    auto const controller = [](std::initializer_list<float> values) {
        return std::make_shared<Controller const>(
            Controller{vector(values), Normaliser::identity(1)});
    };
    std::vector<float> const noise{1, 2, 3, 4, 5};
    std::array<float, 2> theta{};
    Group group;
    group.centre = controller({10, 20});
    SECTION("no offsets: the centre")
    {
        REQUIRE(group.members() == 1);
        perturb(group, 0, noise, theta);
        CHECK(theta == std::array{10.F, 20.F});
    }
    SECTION("mirrored pairs")
    {
        group.sigma = 0.5F;
        group.mirrored = true;
        group.offsets = {NoiseOffset{0}, NoiseOffset{3}};
        REQUIRE(group.members() == 4);
        perturb(group, 2, noise, theta);
        CHECK(theta == std::array{12.F, 22.5F});
        perturb(group, 3, noise, theta);
        CHECK(theta == std::array{8.F, 17.5F});
    }
    SECTION("iso+line")
    {
        group.sigma = 1;
        group.offsets = {NoiseOffset{1}};
        group.toward = controller({30, 0});
        group.line = {0.25F};
        perturb(group, 0, noise, theta);
        CHECK(theta == std::array{10 + 2 + 5.F, 20 + 3 - 5.F});
    }
}
