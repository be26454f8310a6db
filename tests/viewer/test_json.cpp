#include "mees/core/error.hpp"
#include "mees/viewer/detail/json.hpp"

#include "catch.hpp"

#include <limits>
#include <vector>

using namespace mees;
using namespace mees::viewer;

TEST_CASE("strings in JSON are escaped, and cannot end a script")
{
    CHECK(json_string("plain") == "\"plain\"");
    CHECK(json_string("a\"b\\c") == R"("a\"b\\c")");
    CHECK(json_string("line\nend\x01") == R"("line\u000aend\u0001")");
    CHECK(json_string("</script><!--") == R"("\u003c/script>\u003c!--")");
    CHECK(json_string("\xc3\xa9") == "\"\xc3\xa9\"");  // UTF-8 stays as it is
}

TEST_CASE("numbers in JSON have all digits, and those that JSON lacks are null")
{
    CHECK(to_json(0.1) == "0.1");
    CHECK(to_json(1e300) == "1e+300");
    CHECK(to_json(std::numeric_limits<double>::quiet_NaN()) == "null");
    CHECK(to_json(-std::numeric_limits<double>::infinity()) == "null");
    CHECK(json_list(std::vector<std::int64_t>{1, -2}) == "[1,-2]");
    CHECK(json_list(std::vector<double>{}) == "[]");
}

TEST_CASE("an object has its members in order")
{
    JsonObject object;
    object.add("a", 1).add("b", std::string{"<"}).add("c", true).raw("d", "[]");
    CHECK(object.text() == R"({"a":1,"b":"\u003c","c":true,"d":[]})");
    CHECK(JsonObject{}.text() == "{}");
}

TEST_CASE("TOML becomes JSON")
{
    CHECK(toml_to_json("b = 2\n[a]\nx = [1.5, inf]\ny = \"</\"\n[[t]]\nf = true\n[[t]]\n", "a test")
          == R"({"a":{"x":[1.5,null],"y":"\u003c/"},"b":2,"t":[{"f":true},{}]})");
    CHECK_THROWS_AS(toml_to_json("= x", "a test"), FileError);
}

// Examples of RFC 4648, section 10.
TEST_CASE("base64 is that of RFC 4648")
{
    CHECK(base64("").empty());
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64(std::string_view{"\xff\xfe\x00", 3}) == "//4A");
}
