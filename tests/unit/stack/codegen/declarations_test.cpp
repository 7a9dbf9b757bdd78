// The built-in declarations tell a kernel from the one that it must not turn into: code that holds just what is
// declared passes, and fails as soon as one of its instructions is another, or is missing.
#include <algorithm>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/codegen/expectation.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

std::vector<Expectation> declared(const std::string& kernel, const std::string& architecture) {
  KernelCode code;
  code.name = kernel;
  std::vector<Expectation> out;
  for (Expectation& one : built_in_expectations())
    if (names(one, code) && covers(one, architecture)) out.push_back(std::move(one));
  return out;
}

/// An opcode that the pattern matches.
std::string opcode_of(std::string pattern) {
  std::erase(pattern, '*');
  return pattern;
}

/// Code that holds what is declared and nothing else.
KernelCode code_of(const std::vector<Expectation>& expectations) {
  KernelCode code;
  code.has_resources = code.has_code = true;
  CodeLoop loop;
  for (const Expectation& one : expectations) {
    for (const auto& [pattern, least] : one.loop_least) {
      loop.opcodes[opcode_of(pattern)] = least;
      code.opcodes[opcode_of(pattern)] = least;
    }
    for (const auto& [pattern, least] : one.least) {
      int& times = code.opcodes[opcode_of(pattern)];
      times = std::max(times, least);
    }
  }
  for (const auto& [opcode, times] : loop.opcodes) loop.instructions += times;
  code.loops = {loop};
  return code;
}

std::vector<std::string> all_breaches(const std::vector<Expectation>& expectations, const KernelCode& code) {
  std::vector<std::string> out;
  for (const Expectation& one : expectations)
    for (std::string& breach : breaches(one, code)) out.push_back(std::move(breach));
  return out;
}

struct Change {
  const char* kernel;
  const char* architecture;
  const char* from;  ///< an opcode, or "" for none
  const char* to;    ///< what takes the place of each of them, or "" for nothing
  int times = 0;     ///< how many of `to` there are then; 0: as many as of `from`
};

std::ostream& operator<<(std::ostream& out, const Change& change) {
  return out << change.kernel << ": '" << change.to << "' in place of '" << change.from << "'";
}

void apply(const Change& change, Opcodes& opcodes) {
  const auto found = opcodes.find(change.from);
  const int times = change.times > 0 ? change.times : found == opcodes.end() ? 0 : found->second;
  if (found != opcodes.end()) opcodes.erase(found);
  if (*change.to != '\0' && times > 0) opcodes[change.to] = times;
}

constexpr const char* best = "gemm::wgmma_ring_kernel<Bf16, gemm::configs::Best>";
constexpr const char* best_fp8 = "gemm::wgmma_ring_kernel<E4m3, gemm::configs::Best>";
constexpr const char* overlap = "gemm::wgmma_ring_kernel<Bf16, gemm::configs::Overlap>";
constexpr const char* tma_store = "gemm::wgmma_ring_kernel<Bf16, gemm::configs::TmaStore>";
constexpr const char* persistent = "gemm::wgmma_ring_kernel<Bf16, gemm::configs::Persistent>";
constexpr const char* persistent_rows = "gemm::wgmma_ring_kernel<Bf16, gemm::configs::PersistentRows>";
constexpr const char* two_consumers = "gemm::wgmma_ring_kernel<Bf16, gemm::configs::TwoConsumers>";

const Change changes[] = {
    // A load that must go past L1, and one that must not.
    {"memory::chase_kernel<(memory::ChaseLevel)1>", "sm_80", "LDG.E.64.STRONG.GPU", "LDG.E.64"},
    {"memory::chase_kernel<(memory::ChaseLevel)1>", "sm_75", "LDG.E.64.STRONG.GPU", "LDG.E.64.SYS"},
    {"memory::chase_kernel<(memory::ChaseLevel)0>", "sm_90a", "LDG.E.64", "LDG.E.64.STRONG.GPU"},
    {"memory::chase_lines_kernel", "sm_100", "LDG.E.64.STRONG.GPU", "LDG.E.64"},
    // fp16 and bf16 have the same rate and are not the same product.
    {"gemm::mma::mma_sync_kernel<Fp16, float>", "sm_80", "HMMA.16816.F32", "HMMA.16816.F32.BF16"},
    {"gemm::mma::mma_sync_kernel<Bf16, float>", "sm_80", "HMMA.16816.F32.BF16", "HMMA.16816.F32"},
    {"peak::mma_peak_kernel<peak::type::fp16>", "sm_120", "HMMA.16816.F32", "HMMA.16816.F32.BF16"},
    {"peak::mma_peak_kernel<peak::type::bf16>", "sm_120", "HMMA.16816.F32.BF16", "HMMA.16816.F32"},
    {"peak::mma_peak_kernel<peak::type::fp8_e4m3>", "sm_90a", "HMMA.16816.F32", "HMMA.16816.F32.BF16"},
    {"peak::wgmma_peak_kernel<peak::type::fp16>", "sm_90a", "HGMMA.64x256x16.F32",
     "HGMMA.64x256x16.F32.BF16"},
    {"peak::wgmma_peak_kernel<peak::type::bf16>", "sm_90a", "HGMMA.64x256x16.F32.BF16",
     "HGMMA.64x256x16.F32"},
    // Programmatic dependent launch has two halves: begin early, and wait before the first copy.
    {best, "sm_90a", "PREEXIT", ""},
    {best, "sm_90a", "ACQBULK", ""},
    {best_fp8, "sm_90a", "PREEXIT", ""},
    {best_fp8, "sm_90a", "ACQBULK", ""},
    // Each step of the ladder differs from its neighbour: a store of every part behind the next tile's products,
    // and the divisions that take tiles in bands.
    {overlap, "sm_90a", "UTMASTG.2D", "UTMASTG.2D", 4},
    {tma_store, "sm_90a", "UTMASTG.2D", "UTMASTG.2D", 12},
    {persistent, "sm_90a", "I2F.RP", "I2F.RP", 2},
    {persistent_rows, "sm_90a", "", "I2F.RP", 4},
    {two_consumers, "sm_90a", "", "I2F.RP", 4},
};

class Declaration : public testing::TestWithParam<Change> {};

TEST_P(Declaration, holds_for_what_it_names_and_not_for_what_takes_its_place) {
  const Change change = GetParam();
  const std::vector<Expectation> expectations = declared(change.kernel, change.architecture);
  ASSERT_THAT(expectations, Not(IsEmpty()));
  KernelCode code = code_of(expectations);
  ASSERT_THAT(all_breaches(expectations, code), IsEmpty());
  ASSERT_TRUE(*change.from == '\0' || code.opcodes.contains(change.from)) << "not declared";
  apply(change, code.opcodes);
  apply(change, code.loops.front().opcodes);
  EXPECT_THAT(all_breaches(expectations, code), Not(IsEmpty()));
}

INSTANTIATE_TEST_SUITE_P(Changes, Declaration, testing::ValuesIn(changes));

}  // namespace
}  // namespace gpugauge::stack
