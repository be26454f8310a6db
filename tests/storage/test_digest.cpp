#include "catch.hpp"
#include "mees/storage/hdf5/detail/digest.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace mees;

namespace {

std::span<std::byte const> bytes_of(std::string_view text)
{
    return std::as_bytes(std::span{text});
}

}  // namespace

TEST_CASE("a digest depends on every byte, but not on how the bytes are split")
{
    std::string const text = "the quick brown fox jumps over the lazy dog";
    Digest expected;
    expected.add(bytes_of(text));
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Digest pieces;
        pieces.add(bytes_of(text.substr(0, cut)));
        pieces.add(bytes_of(text.substr(cut)));
        CHECK(pieces.value() == expected.value());
        if (cut < text.size()) {
            auto other = text;
            other[cut] = static_cast<char>(other[cut] ^ 1);
            Digest changed;
            changed.add(bytes_of(other));
            CHECK(changed.value() != expected.value());
        }
    }
    Digest nothing;
    Digest zeros;
    zeros.add(std::vector<std::byte>(12));
    CHECK(zeros.value() != nothing.value());
    CHECK(zeros.value() != 0);
}
