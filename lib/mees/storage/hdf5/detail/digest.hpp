#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mees {

/// A 64-bit digest of a sequence of bytes, given in pieces; the same however they are cut.
///
/// Any change of up to eight neighbouring bytes changes it for certain, other changes with odds of
/// 2^64 to 1. It is there because fletcher32 takes a block of zeros, checksum included, for whole.
/// No defence against forgery.
class Digest {
  public:
    void add(std::span<std::byte const> bytes);
    [[nodiscard]] std::uint64_t value() const;

  private:
    std::uint64_t state_{0x6d656573'64617461};
    std::uint64_t length_{0};
    std::uint64_t partial_{0};
};

}  // namespace mees
