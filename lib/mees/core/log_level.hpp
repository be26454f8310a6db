#pragma once

namespace mees::log {

enum class Level { debug, info, warning, error, off };

}  // namespace mees::log
