#pragma once

#include "mees/core/atomic_file.hpp"

#include <filesystem>

namespace mees {

/// FILE.finished, for job scripts: exists exactly when all results are in FILE.
class FinishedMark {
  public:
    explicit FinishedMark(std::filesystem::path file) : path_{file += ".finished"} {}

    void remove() const { std::filesystem::remove(path_); }
    void set() const { write_file(path_, "All results are there.\n"); }

  private:
    std::filesystem::path path_;
};

}  // namespace mees
