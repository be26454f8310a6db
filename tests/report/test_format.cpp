#include "catch.hpp"

#include "mees/report/format.hpp"

#include <limits>

using namespace mees;

TEST_CASE("numbers are short and readable")
{
    CHECK(short_number(0) == "0");
    CHECK(short_number(-27.341) == "-27.34");
    CHECK(short_number(4213.66) == "4213.7");
    CHECK(short_number(123456.7) == "123457");
    CHECK(short_number(0.12345) == "0.123");
    CHECK(short_number(0.0123456) == "0.01235");
    CHECK(short_number(1e-7) == "1e-07");
    CHECK(short_number(1.2345e12) == "1.234e+12");
    CHECK(short_number(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(plain_number(40.0) == "40");
    CHECK(plain_number(-0.5) == "-0.5");
}

TEST_CASE("digits are grouped by three")
{
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(10'030'000) == "10,030,000");
    CHECK(grouped(-999) == "-999");
    CHECK(grouped(-123456) == "-123,456");
}

TEST_CASE("durations read as clocks")
{
    CHECK(duration(0) == "0:00");
    CHECK(duration(7.4) == "0:07");
    CHECK(duration(59.6) == "1:00");
    CHECK(duration(754) == "12:34");
    CHECK(duration(3723) == "1:02:03");
    CHECK(duration(3 * 86400 + 4 * 3600 + 5 * 60 + 6) == "3d 04:05:06");
    CHECK(duration(-3) == "0:00");
}
