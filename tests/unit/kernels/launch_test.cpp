// The host-side parts of the families launch and first_launch.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "first_launch/mode.hpp"
#include "kernels/launch/arguments.hpp"
#include "kernels/launch/first.hpp"

namespace {

using namespace gpugauge::kernels::launch;
namespace first_launch = gpugauge::bench::first_launch;

std::uint64_t fold(const std::vector<std::uint64_t>& values) {
  std::uint64_t folded = 0;
  for (const std::uint64_t value : values) folded = fold_argument(folded, value);
  return folded;
}

TEST(FoldArgument, sees_every_argument_and_its_place) {
  EXPECT_EQ(fold({}), 0U);
  EXPECT_EQ(fold({7}), 7U);
  EXPECT_EQ(fold({1, 2, 3}), 1U * 31 * 31 + 2 * 31 + 3);
  EXPECT_NE(fold({2, 1, 3}), fold({1, 2, 3}));
  EXPECT_EQ(fold({1, 0, 0, 0}), 29791U);
}

// Computed independently, step by step with arbitrary-precision integers cut to 64 bits.
TEST(FirstValue, is_what_its_steps_give) {
  static_assert(mix_step<0>(1) == 0x9e3779b97f4a7c15U);  // (1 ^ 0) * odd + 0
  static_assert(mix_step<1>(4) == 5 * (0x9e3779b97f4a7c15U + std::uint64_t{2} * 0x5851f42dU) + 1);
  EXPECT_EQ(first_value(0), 0xb8a95506b3469c0cU);
  EXPECT_EQ(first_value(63), 0x52fc061a5ac5a392U);
}

TEST(FirstValue, differs_for_every_thread) {
  std::set<std::uint64_t> values;
  for (std::uint64_t i = 0; i < first_threads; ++i) values.insert(first_value(i));
  EXPECT_EQ(values.size(), static_cast<std::size_t>(first_threads));
}

TEST(Mode, chooses_loading_and_compiling_by_the_environment) {
  using Variables = std::map<std::string, std::optional<std::string>>;
  EXPECT_EQ(first_launch::environment_of("lazy", "/c"),
            (Variables{{"CUDA_MODULE_LOADING", "LAZY"}, {"CUDA_FORCE_PTX_JIT", std::nullopt}}));
  EXPECT_EQ(first_launch::environment_of("eager", "/c"),
            (Variables{{"CUDA_MODULE_LOADING", "EAGER"}, {"CUDA_FORCE_PTX_JIT", std::nullopt}}));
  for (const char* mode : {"jit_cold", "jit_warm"})
    EXPECT_EQ(first_launch::environment_of(mode, "/c"), (Variables{{"CUDA_MODULE_LOADING", "LAZY"},
                                                                   {"CUDA_FORCE_PTX_JIT", std::nullopt},
                                                                   {"CUDA_CACHE_PATH", "/c"}}));
}

TEST(Mode, needs_a_driver_as_new_as_the_ptx) {
  EXPECT_FALSE(first_launch::refuses_ptx(13000, 13000));
  EXPECT_FALSE(first_launch::refuses_ptx(13000, 12080));
  EXPECT_TRUE(first_launch::refuses_ptx(12020, 12040));  // runs its machine code
  EXPECT_FALSE(first_launch::refuses_ptx(0, 12040));     // unknown
}

TEST(Mode, tells_whether_the_cache_was_used) {
  EXPECT_EQ(first_launch::cache_used(.28, .13, 2), "yes");
  EXPECT_EQ(first_launch::cache_used(.281, .198, 2), "not seen: 0.198 s after 0.281 s");
  EXPECT_EQ(first_launch::cache_used(.281, .1, 0), "no: it holds no file, 0.100 s after 0.281 s");
}

TEST(Mode, is_shown_by_the_version_that_the_code_was_made_for) {
  const auto shown = [](const char* mode, int ptx, int binary) {
    return !first_launch::why_not_shown(mode, ptx, binary);
  };
  EXPECT_TRUE(shown("lazy", 90, 90));
  EXPECT_TRUE(shown("eager", 80, 80));  // on 8.6, too: machine code of 8.0 runs there
  EXPECT_TRUE(shown("jit_cold", 75, 90));
  EXPECT_TRUE(shown("jit_warm", 75, 121));
  EXPECT_FALSE(shown("lazy", 120, 130));
  EXPECT_FALSE(shown("eager", 75, 121));
  EXPECT_TRUE(shown("jit_cold", 75, 75));
}

}  // namespace
