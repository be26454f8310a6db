#pragma once

#include "fuzz/target.hpp"

#include <algorithm>
#include <cstring>

namespace mees::test {

/// Returns the bytes in order, then zeros.
class Bytes {
  public:
    explicit Bytes(ByteView bytes) : left_{bytes} {}

    [[nodiscard]] bool empty() const { return left_.empty(); }
    template <class T>
    T next()
    {
        T value{};
        auto const size = std::min(sizeof value, left_.size());
        std::memcpy(&value, left_.data(), size);
        left_ = left_.subspan(size);
        return value;
    }
    /// A number below `limit`, which is at least 1.
    std::size_t below(std::size_t limit) { return next<std::uint16_t>() % limit; }

  private:
    ByteView left_;
};

}  // namespace mees::test
