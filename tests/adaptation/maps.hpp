#pragma once

#include "mees/qd/elite_map.hpp"

#include <memory>
#include <utility>
#include <vector>

/// An elite whose one parameter names it.
inline mees::Elite elite(std::vector<double> bc, double fitness, float parameter = 0)
{
    mees::Elite elite;
    mees::Controller controller;
    controller.parameters = Eigen::VectorXf::Constant(1, parameter);
    elite.controller = std::make_shared<mees::Controller const>(std::move(controller));
    elite.bc = std::move(bc);
    elite.fitness = fitness;
    return elite;
}

/// A 6 x 5 map over [-2, 4] x [0, 10] without cell 7, of which no two elites are equally fit.
inline double map_fitness(std::int64_t cell)
{
    return 100.0 + static_cast<double>(cell * cell * 17 % 101) * 3.0
           + static_cast<double>(cell) * 0.1;
}

inline double damaged_fitness(std::int64_t cell)
{
    return 0.5 * map_fitness(cell) + static_cast<double>(cell * 29 % 31) * 3.0;
}

inline mees::EliteMap small_map()
{
    mees::EliteMap map{mees::BehaviourSpace{std::vector<std::int64_t>{6, 5}, {-2, 0}, {4, 10}}};
    for (std::int64_t cell = 0; cell < 30; ++cell) {
        if (cell != 7) {
            map.insert(elite({-2 + (static_cast<double>(cell / 5) + 0.3) * 1.0,
                              (static_cast<double>(cell % 5) + 0.6) * 2.0},
                             map_fitness(cell), static_cast<float>(cell)));
        }
    }
    return map;
}
