#pragma once

#include <filesystem>
#include <string>

namespace mees::bench {

/// A folder that is removed with its content by the destructor.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(std::filesystem::path const& within);
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// The command that starts ranks on this machine, without their number; "" if there is none.
[[nodiscard]] std::string default_launcher();

/// Runs a shell command and returns its exit status. Its output goes to the file `output`, or to
/// that of this program if `output` is empty.
int run_command(std::string const& command, std::filesystem::path const& output = {});

[[nodiscard]] std::string quoted(std::filesystem::path const& path);
[[nodiscard]] std::string read_text(std::filesystem::path const& path);

}  // namespace mees::bench
