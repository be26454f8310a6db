#pragma once

#include <filesystem>
#include <string>

namespace mees::bench {

/// A folder that is removed with everything in it.
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

/// The command that starts ranks on this machine, up to the number of them; "" if there is none.
[[nodiscard]] std::string default_launcher();

/// Runs a shell command; its exit status. What it prints goes to `output`, or is shown if that is
/// empty.
int run_command(std::string const& command, std::filesystem::path const& output = {});

[[nodiscard]] std::string quoted(std::filesystem::path const& path);
[[nodiscard]] std::string read_text(std::filesystem::path const& path);

}  // namespace mees::bench
