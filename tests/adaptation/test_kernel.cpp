#include "catch.hpp"
#include "mees/adaptation/gaussian_process.hpp"

using namespace mees;

// scikit-learn 1.9.1, kernels.Matern(length_scale=0.3, nu=2.5).
TEST_CASE("the Matern 5/2 kernel equals that of scikit-learn")
{
    Eigen::ArrayXd distances(6);
    distances << 0, 0.01, 0.1, 0.3, 1, 2;
    Eigen::ArrayXd expected(6);
    expected << 1.0, 0.999075310131229, 0.916167907529589, 0.52399410883182, 0.0156269588346498,
        3.02045145029769e-05;
    auto const values = matern_5_2(distances, 0.3);
    for (Eigen::Index i = 0; i < distances.size(); ++i) {
        CHECK(values[i] == Approx(expected[i]).epsilon(1e-13));
    }
}

TEST_CASE("distances are Euclidean, to a row of the points")
{
    Eigen::MatrixXd points(3, 2);
    points << 0, 0, 3, 4, 3, 0;
    Eigen::ArrayXd const distances = distances_to(points, 1);
    CHECK(distances[0] == 5);
    CHECK(distances[1] == 0);
    CHECK(distances[2] == 4);
}
