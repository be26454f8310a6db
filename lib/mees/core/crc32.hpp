#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mees {

/// The CRC-32 of zip and PNG files (polynomial 0xedb88320), of bytes given in pieces.
class Crc32 {
  public:
    void add(std::span<std::byte const> bytes);
    [[nodiscard]] std::uint32_t value() const { return ~state_; }

  private:
    std::uint32_t state_{0xffffffff};
};

}  // namespace mees
