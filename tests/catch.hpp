#pragma once

#include <string>

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

/// The message of the exception of type E that `function` throws; fails the test if it throws none.
/// A base class of E is not enough: another exception propagates.
template <class E, class Function>
std::string message_of(Function const& function)
{
    try {
        function();
    } catch (E const& error) {
        return error.what();
    }
    FAIL("no exception was thrown");
    return {};
}
