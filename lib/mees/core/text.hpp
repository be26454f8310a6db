#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mees {

/// Text from a file or a command line as a terminal may show it: control characters, those that
/// change the direction of text, and bytes that are not UTF-8 become \xNN; those in `kept` stay.
[[nodiscard]] std::string escaped(std::string_view text, std::string_view kept = {});

/// A field of a CSV file, quoted where necessary; control characters are escaped.
[[nodiscard]] std::string csv_field(std::string_view text);

/// A JSON string with its quotes; bytes that are not UTF-8 become \xNN.
[[nodiscard]] std::string json_string(std::string_view text);

/// "1.5 GB".
[[nodiscard]] std::string human_bytes(std::int64_t bytes);

}  // namespace mees
