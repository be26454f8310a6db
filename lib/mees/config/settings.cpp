#include "mees/config/settings.hpp"
