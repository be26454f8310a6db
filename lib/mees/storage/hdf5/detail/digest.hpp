#pragma once

#include "mees/storage/hdf5/file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mees {

/// A 64-bit digest of a sequence of bytes, independent of how the sequence is split into pieces.
///
/// Any change of up to eight neighbouring bytes changes it for certain, other changes with odds of
/// 2^64 to 1. It is needed because fletcher32 accepts a block of zeros, checksum included, as
/// intact. Not a protection against forgery.
class Digest {
  public:
    void add(std::span<std::byte const> bytes);
    [[nodiscard]] std::uint64_t value() const;

  private:
    std::uint64_t state_{0x6d656573'64617461};
    std::uint64_t length_{0};
    std::uint64_t partial_{0};
};

/// Throws FileError if the values of a dataset differ from its stored digest. Reads all of them;
/// a dataset without a digest passes if it can be read.
void require_intact(hdf5::Reader const& file, std::string const& dataset);

/// The same for all datasets of a file.
void require_intact(hdf5::Reader const& file);

}  // namespace mees
