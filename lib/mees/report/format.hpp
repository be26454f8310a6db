#pragma once

#include <cstdint>
#include <string>

namespace mees {

/// About five digits, without an exponent where that is readable: "-27.34", "4213.7", "1.235e+12".
[[nodiscard]] std::string short_number(double number);

/// Up to six digits, no zeros behind them: "40", "-0.5".
[[nodiscard]] std::string plain_number(double number);

/// "10,030,000".
[[nodiscard]] std::string grouped(std::int64_t number);

/// "0:07", "12:34", "1:02:03", "3d 04:05:06".
[[nodiscard]] std::string duration(double seconds);

}  // namespace mees
