#include "support/mapping.hpp"

#include <cstdint>

#include <fmt/format.h>
#include <sys/mman.h>

namespace gpugauge::bench {

namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20;
}

OutOfMemory::OutOfMemory(std::size_t bytes)
    : sentence_(fmt::format("needs {} bytes of memory, which the system does not give", bytes)) {}

Mapping::Mapping(std::size_t bytes, Pages pages) : mapped_(bytes + huge_page), bytes_(bytes) {
  void* const base = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw OutOfMemory(bytes);
  base_ = static_cast<std::byte*>(base);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(base_) % huge_page;
  data_ = base_ + (past == 0 ? 0 : huge_page - past);
  madvise(data_, bytes_, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

Mapping::~Mapping() {
  munmap(base_, mapped_);
}

}  // namespace gpugauge::bench
