// libFuzzer's entry: the one target of this executable.
#include <cstddef>
#include <cstdint>

#include "fuzz/support/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A library's own name for bytes; a reader sees them as text.
  gpugauge::fuzz::targets().front()->read()({reinterpret_cast<const char*>(data), size});
  return 0;
}
