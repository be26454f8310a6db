#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace mees::test {

/// An empty folder of this process alone, removed at the end: tests of several builds run at once.
class ScratchFolder {
  public:
    ScratchFolder()
    {
        auto name = (std::filesystem::canonical(std::filesystem::temp_directory_path())
                     / "mees-test-XXXXXX")
                        .string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error{"no temporary folder"};
        }
        path_ = name;
    }
    ScratchFolder(ScratchFolder const&) = delete;
    ScratchFolder& operator=(ScratchFolder const&) = delete;
    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::filesystem::path operator/(std::string const& name) const
    {
        return path_ / name;
    }
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace mees::test
