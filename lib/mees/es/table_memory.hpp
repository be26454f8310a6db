#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace mees {

/// Allocates large pieces of memory in huge pages where the system has them, and leaves elements
/// without a value, so that the thread that fills the memory first also touches it first.
template <class Value>
class TableAllocator {
  public:
    using value_type = Value;

    TableAllocator() = default;
    template <class Other>
    explicit TableAllocator(TableAllocator<Other> const&)
    {
    }

    [[nodiscard]] Value* allocate(std::size_t count)
    {
        auto const bytes = (count * sizeof(Value) + huge_page - 1) / huge_page * huge_page;
        void* memory = std::aligned_alloc(huge_page, bytes);
        if (memory == nullptr) {
            throw std::bad_alloc{};
        }
        madvise(memory, bytes, MADV_HUGEPAGE);
        return static_cast<Value*>(memory);
    }
    void deallocate(Value* memory, std::size_t) { std::free(memory); }

    template <class Other>
    void construct(Other* place)
    {
        ::new (static_cast<void*>(place)) Other;
    }

    friend bool operator==(TableAllocator const&, TableAllocator const&) { return true; }

  private:
    static constexpr std::size_t huge_page = std::size_t{1} << 21U;
};

using TableMemory = std::vector<float, TableAllocator<float>>;

}  // namespace mees
