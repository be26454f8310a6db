// Runs a fuzz target on every file given on the command line, or in a folder given there, as its
// fuzzer would: for compilers without libFuzzer.

#include "fuzz/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
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

}  // namespace

int main(int argc, char** argv)
{
    int inputs = 0;
    for (int i = 1; i < argc; ++i) {
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
