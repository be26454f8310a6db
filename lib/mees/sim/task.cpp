#include "mees/sim/task.hpp"
