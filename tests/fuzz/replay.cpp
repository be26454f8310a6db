// Runs a fuzz target on every file given on the command line, or in a folder given there, as its
// fuzzer would: for compilers without libFuzzer. `random:N` stands for N inputs of random bytes.

#include "fuzz/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_in(fs::path const& path)
{
    if (!fs::is_directory(path)) {
        return {path};
    }
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator{path}) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

void try_random(int count)
{
    constexpr std::size_t longest = 64;
    std::mt19937 source;  // always the same numbers
    for (int i = 0; i < count; ++i) {
        std::vector<std::uint8_t> bytes(source() % longest);
        std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(source()); });
        fmt::print("random input {}: {:02x}\n", i, fmt::join(bytes, ""));
        std::fflush(stdout);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
}

}  // namespace

int main(int argc, char** argv)
{
    constexpr std::string_view random = "random:";
    int inputs = 0;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view const argument{argv[i]}; argument.starts_with(random)) {
            int const count = std::atoi(argv[i] + random.size());
            try_random(count);
            inputs += count;
            continue;
        }
        for (auto const& path : files_in(argv[i])) {
            std::ifstream file{path, std::ios::binary};
            std::vector<char> const text{std::istreambuf_iterator<char>{file}, {}};
            std::vector<std::uint8_t> const bytes(text.begin(), text.end());
            fmt::print("{}\n", path.string());
            std::fflush(stdout);
            LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
            ++inputs;
        }
    }
    fmt::print("{} inputs\n", inputs);
    return inputs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
