#include "catch.hpp"
#include "navigation/repertoires.hpp"

#include "mees/navigation/repertoire.hpp"

#include <cmath>
#include <numbers>

using namespace mees;

// Kernel 0.5 exp(-d^2 / (2 * 0.25)), noise 0.01. At d = 0.5: k = 0.5 exp(-0.5) = 0.3032653299.
// After one observation y of the first action the means change by (y - m) 0.5 / 0.51 there and by
// (y - m) 0.3032653299 / 0.51 at the second; variances become 0.5 - 0.25 / 0.51 and
// 0.5 - 0.3032653299^2 / 0.51.
TEST_CASE("an observation corrects the action and its neighbour", "[navigation]")
{
    DisplacementModel model{repertoire_of_steps({{1, 0}, {0, 1}}), plain_kernel, true};
    CHECK(model.deviation(0) == Approx(std::sqrt(0.5)));
    CHECK(model.mean(0) == GroundPose{1, 0, 1, 0});
    model.observe(0, {0.2, -0.4, 0, 1});
    CHECK(model.mean(0).x == Approx(1 - 0.8 * 0.5 / 0.51));
    CHECK(model.mean(0).y == Approx(-0.4 * 0.5 / 0.51));
    CHECK(model.mean(0).cos == Approx(1 - 0.5 / 0.51));
    CHECK(model.mean(0).sin == Approx(0.5 / 0.51));
    CHECK(model.deviation(0) == Approx(std::sqrt(0.5 - 0.25 / 0.51)));
    double const share = 0.5 * std::exp(-0.5) / 0.51;
    CHECK(share == Approx(0.5946379).epsilon(1e-6));
    CHECK(model.mean(1).x == Approx(-0.8 * share));
    CHECK(model.mean(1).y == Approx(1 - 0.4 * share));
    CHECK(model.mean(1).cos == Approx(1 - share));
    CHECK(model.mean(1).sin == Approx(share));
    CHECK(model.deviation(1) == Approx(std::sqrt(0.5 - share * 0.5 * std::exp(-0.5))));
}

// With 0.2 more on the diagonal: 0.7 / 0.71 of the error at the first action, of which the second
// shares 0.3032653299 / 0.71; variances 0.7 - 0.49 / 0.71 and 0.7 - 0.3032653299^2 / 0.71.
TEST_CASE("an elite's own part is learned of that elite alone", "[navigation]")
{
    auto settings = plain_kernel;
    settings.elite_variance = 0.2;
    DisplacementModel model{repertoire_of_steps({{1, 0}, {0, 1}}), settings, true};
    CHECK(model.prior_variance() == Approx(0.7));
    CHECK(model.deviation(1) == Approx(std::sqrt(0.7)));
    model.observe(0, {0.2, -0.4, 0, 1});
    CHECK(model.mean(0).x == Approx(1 - 0.8 * 0.7 / 0.71));
    CHECK(model.mean(1).x == Approx(-0.8 * 0.3032653299 / 0.71));
    CHECK(model.deviation(0) == Approx(std::sqrt(0.7 - 0.49 / 0.71)));
    CHECK(model.deviation(1) == Approx(std::sqrt(0.7 - 0.3032653299 * 0.3032653299 / 0.71)));
}

TEST_CASE("without learning the map's predictions are certain", "[navigation]")
{
    DisplacementModel model{repertoire_of_steps({{1, 0}, {0, 1}}), {}, false};
    model.observe(0, {0.2, -0.4, 0, 1});
    CHECK(model.mean(0) == GroundPose{1, 0, 1, 0});
    CHECK(model.mean(1) == GroundPose{0, 1, 1, 0});
    CHECK(model.deviation(0) == 0);
}

// Facing +y, a step of (1, 0.5) leads to (-0.5, 1); a quarter turn more faces -x.
TEST_CASE("steps are made from where the robot is and faces", "[navigation]")
{
    GroundPose const facing_y{2, 3, 0, 1};
    auto const after = moved(facing_y, {1, 0.5, 0, 2});
    CHECK(after.x == Approx(1.5));
    CHECK(after.y == Approx(4));
    CHECK(after.heading() == Approx(std::numbers::pi));
    CHECK(moved(facing_y, {0, 0, 0, 0}) == facing_y);
}

TEST_CASE("a repertoire survives being sent", "[navigation]")
{
    auto source = *repertoire_of_steps({{1, 0}, {0, 1}, {-1, 0.5}});
    source.network = NetworkShape{{2, 1}, OutputActivation::linear};
    source.observation_clip = 5;
    for (int i = 0; i < 3; ++i) {
        source.controllers.push_back(std::make_shared<Controller const>(
            Controller{Eigen::VectorXf::Constant(3, static_cast<float>(i)),
                       {Eigen::VectorXd::Constant(2, i), Eigen::VectorXd::Constant(2, i + 1)}}));
    }
    auto const copy = unpack_repertoire(pack(source));
    CHECK(copy.cells == source.cells);
    CHECK(copy.points == source.points);
    CHECK((copy.outcomes == source.outcomes).all());
    CHECK(copy.lower == source.lower);
    CHECK(copy.upper == source.upper);
    CHECK(copy.network == source.network);
    CHECK(copy.observation_clip == 5);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(copy.controllers[i]->parameters == source.controllers[i]->parameters);
        CHECK(copy.controllers[i]->normaliser == source.controllers[i]->normaliser);
    }
}
