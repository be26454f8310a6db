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

TEST_CASE("names lose the words that all of them begin with, except the last")
{
    using Names = std::vector<std::string>;
    CHECK(short_names({"contact_leg_1", "contact_leg_2"}) == Names{"leg_1", "leg_2"});
    CHECK(short_names({"foot_1", "foot_2"}) == Names{"foot_1", "foot_2"});
    CHECK(short_names({"x", "y"}) == Names{"x", "y"});
    CHECK(short_names({"a_b_c", "a_b"}) == Names{"a_b_c", "a_b"});
    CHECK(short_names({"contact_leg_1"}) == Names{"contact_leg_1"});
    CHECK(short_names({}).empty());
    CHECK(describe_behaviour({0.5, 0.25}, {"contact_leg_1", "contact_leg_2"})
          == "leg_1 0.500, leg_2 0.250");
}

TEST_CASE("the numbers of a column have the same decimals")
{
    using Texts = std::vector<std::string>;
    CHECK(aligned_numbers({0.07821, 0.388, 0.06201}) == Texts{"0.078", "0.388", "0.062"});
    CHECK(aligned_numbers({-1234.56, 2}) == Texts{"-1234.6", "2.0"});
    CHECK(aligned_numbers({0, 0}) == Texts{"0.00000", "0.00000"});
    CHECK(aligned_numbers({1e12, 1}) == Texts{"1e+12", "1.000"});
}

TEST_CASE("a list is broken into lines after its commas")
{
    CHECK(broken("a 1, b 2, c 3", 80, 2) == "a 1, b 2, c 3");
    CHECK(broken("a 1, b 2, c 3", 9, 2) == "a 1, b 2,\n  c 3");
    CHECK(broken("a long word", 4, 2) == "a long word");
    CHECK(broken("", 4, 2).empty());
}
