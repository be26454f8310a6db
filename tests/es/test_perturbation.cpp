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
    auto const shared = [](std::initializer_list<float> values) {
        return std::make_shared<Eigen::VectorXf const>(vector(values));
    };
    SECTION("a scale of each parameter")
    {
        group.sigma = 0.5F;
        group.mirrored = true;
        group.offsets = {NoiseOffset{1}};
        group.scale = shared({4, 2});
        perturb(group, 0, noise, theta);
        CHECK(theta == std::array{10 + 4.F, 20 + 3.F});
        perturb(group, 1, noise, theta);
        CHECK(theta == std::array{10 - 4.F, 20 - 3.F});
    }
    SECTION("noise, and along a vector")
    {
        group.sigma = 1;
        group.offsets = {NoiseOffset{1}};
        group.basis = {shared({20, -20})};
        group.coefficients = {0.25F};
        perturb(group, 0, noise, theta);
        CHECK(theta == std::array{10 + 2 + 5.F, 20 + 3 - 5.F});
    }
    SECTION("a part of the parameters")
    {
        group.sigma = 0.5F;
        group.offsets = {NoiseOffset{1}};
        group.scale = shared({4, 2});
        group.basis = {shared({20, -20})};
        group.coefficients = {0.25F};
        theta = {100, 200};
        std::array<float, 1> second{};
        Perturbation{group, 0, noise, theta}(1, second);
        CHECK(second == std::array{200 + 3 - 5.F});
    }
    SECTION("along several vectors")
    {
        group.basis = {shared({1, 0}), shared({2, 1}), shared({0, 4})};
        group.coefficients = {1, 2, 3, -1, 0.5F, 0};
        REQUIRE(group.members() == 2);
        perturb(group, 0, noise, theta);
        CHECK(theta == std::array{10 + 5.F, 20 + 14.F});
        perturb(group, 1, noise, theta);
        CHECK(theta == std::array{10 + 0.F, 20 + 0.5F});
    }
}
