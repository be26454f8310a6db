#pragma once

// Catch2 version 2 (Debian 12) or 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(std::string const& text)
{
    return Contains(text);
}
}  // namespace Catch::Matchers
#endif
