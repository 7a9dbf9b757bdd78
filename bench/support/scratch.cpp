#include "support/scratch.hpp"

#include <optional>

namespace gpugauge::bench {

namespace {

std::optional<std::filesystem::path>& scratch_parent() {
  static std::optional<std::filesystem::path> parent;
  return parent;
}

}  // namespace

void set_scratch_parent(const std::filesystem::path& parent) {
  scratch_parent() = parent;
}

std::unique_ptr<result::TemporaryDirectory> make_scratch_folder() {
  return scratch_parent() ? std::make_unique<result::TemporaryDirectory>(*scratch_parent())
                          : std::make_unique<result::TemporaryDirectory>();
}

}  // namespace gpugauge::bench
