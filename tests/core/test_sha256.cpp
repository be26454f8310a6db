#include "mees/core/error.hpp"
#include "mees/core/sha256.hpp"

#include "catch.hpp"
#include "scratch_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>

using mees::sha256;

// Origin: the examples of FIPS 180-4, and coreutils' sha256sum for the two lengths around a block.
TEST_CASE("SHA-256 of known strings", "[sha256]")
{
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
          == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(55, 'a'))
          == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    CHECK(sha256(std::string(64, 'a'))
          == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

// Origin: coreutils' sha256sum of 2,500,000 letters a: longer than what is read at a time.
TEST_CASE("SHA-256 of a file", "[sha256]")
{
    mees::test::ScratchFolder const folder;
    auto const path = folder / "letters";
    std::ofstream{path} << std::string(2'500'000, 'a');
    CHECK(mees::sha256_of_file(path)
          == "38a637965059125eeb67f54c30e7f48a61859a467a800ba09740ba48a924f2b9");
    std::ofstream{path} << "";
    CHECK(mees::sha256_of_file(path) == sha256(""));
    std::filesystem::remove(path);
    CHECK_THROWS_AS(mees::sha256_of_file(path), mees::FileError);
}
