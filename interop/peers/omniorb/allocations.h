// Counts how often the process allocates memory on the heap: the program that
// includes this has its own `malloc`, which hands on to the C library's. It is
// for one source file of a program.

#ifndef PEERS_ALLOCATIONS_H
#define PEERS_ALLOCATIONS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace peers {

inline std::atomic<bool> counting_allocations{false};
inline std::atomic<std::uint64_t> allocations_counted{0};

// Begins to count from 0, or ends. While nothing is counted, an allocation costs
// a glance at a flag more than it would without this header.
inline void count_allocations(bool counting) {
  if (counting) allocations_counted = 0;
  counting_allocations = counting;
}

inline std::uint64_t allocations() { return allocations_counted; }

inline void note_allocation() {
  if (counting_allocations.load(std::memory_order_relaxed))
    allocations_counted.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace peers

// Names of the GNU C library.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  peers::note_allocation();
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  peers::note_allocation();
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  peers::note_allocation();
  return __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  peers::note_allocation();
  return __libc_memalign(alignment, size);
}
}

#endif
