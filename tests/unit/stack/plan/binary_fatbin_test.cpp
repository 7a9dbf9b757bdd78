#include "stack/plan/binary_fatbin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/stack/fake_tree.hpp"
#include "unit/stack/plan/fake_binary.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const CodeSet& codes) {
  std::vector<std::string> texts;
  for (const GpuCode& code : codes) texts.push_back(code.text());
  return texts;
}

GpuCodes read(const std::string& bytes, const ReadingLimit& limit = {}) {
  const FakeTree tree;
  std::ofstream(tree.root() + "/file", std::ios::binary) << bytes;
  GpuCodes codes;
  read_containers(FileBytes(tree.root() + "/file"), limit, codes);
  return codes;
}

TEST(Fatbin, EachEntryIsAnArchitecture) {
  const GpuCodes codes =
      read(fatbin({machine_code(80), machine_code(90, 0x108011), machine_code(100, 0x1208011),
                   machine_code(100, 0x1108011), ptx_code(90, 90), ptx_code(120, 87, 0x208011)}));
  EXPECT_THAT(names(codes.all()),
              ElementsAre("sm_80", "sm_90a", "sm_100a", "sm_100f", "compute_90", "compute_120f"));
  EXPECT_EQ(codes.containers, 1U);
  EXPECT_EQ(codes.compressed, 5U);
  EXPECT_FALSE(codes.damaged);
  EXPECT_FALSE(codes.cut);
  std::vector<int> isa;
  for (const GpuCode& code : codes.all()) isa.push_back(code.ptx_isa);
  EXPECT_THAT(isa, ElementsAre(0, 0, 0, 0, 90, 87));
}

TEST(Fatbin, LongerEntryHeadersAreSkipped) {
  FakeEntry longer = machine_code(120);
  longer.extra_header = 48;
  EXPECT_THAT(names(read(fatbin({longer, machine_code(75)})).all()), ElementsAre("sm_75", "sm_120"));
}

TEST(Fatbin, OtherKindsAreCountedAndNoArchitecture) {
  FakeEntry link_time = machine_code(80);
  link_time.kind = 8;
  FakeEntry strange = machine_code(80);
  strange.kind = 64;
  const GpuCodes codes = read(fatbin({link_time, strange}));
  EXPECT_TRUE(codes.sets.empty());
  EXPECT_EQ(codes.containers, 1U);
  EXPECT_EQ(codes.link_time, 1U);
  EXPECT_EQ(codes.other, 1U);
}

TEST(Fatbin, ContainersWithTheSameCodeAreCountedTogether) {
  const std::string usual = fatbin({machine_code(80), machine_code(90)});
  const std::string special = fatbin({machine_code(90, 0x108011)});
  const GpuCodes codes = read(usual + usual + special + std::string(40, '\0') + usual);
  EXPECT_EQ(codes.containers, 4U);
  ASSERT_EQ(codes.sets.size(), 2U);
  EXPECT_THAT(names(codes.all()), ElementsAre("sm_80", "sm_90", "sm_90a"));
  EXPECT_THAT(names(codes.usual()), ElementsAre("sm_80", "sm_90"));
  EXPECT_FALSE(codes.damaged);
}

TEST(Fatbin, ContentsThatAreNotCompressedSpeakForThemselves) {
  FakeEntry ptx = ptx_code(90, 0, 0x11);
  ptx.contents = "//\n.version 8.3\n.target sm_90a, texmode_independent\n.address_size 64\n";
  FakeEntry code = machine_code(100);
  code.contents = cubin(100, "sm_100f");
  const GpuCodes codes = read(fatbin({ptx, code}));
  EXPECT_THAT(names(codes.all()), ElementsAre("sm_100f", "compute_90a"));
  EXPECT_EQ(codes.all().rbegin()->ptx_isa, 83);
}

TEST(Fatbin, EveryTruncationIsDamageOrLess) {
  const std::string whole = fatbin({machine_code(80), ptx_code(90, 90)}) + fatbin({machine_code(90)});
  const CodeSet all = read(whole).all();
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const GpuCodes codes = read(whole.substr(0, size));
    const CodeSet found = codes.all();
    EXPECT_LT(codes.all().size(), all.size()) << size;
    EXPECT_TRUE(std::includes(all.begin(), all.end(), found.begin(), found.end())) << size;
  }
}

TEST(Fatbin, LiesOfTheHeadersAreDamage) {
  const std::string whole = fatbin({machine_code(80)});
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string lie = whole;
    lie.replace(at, bytes.size(), bytes);
    return read(lie);
  };
  EXPECT_TRUE(with(8, std::string(8, '\xff')).damaged) << "container's size";
  EXPECT_TRUE(with(6, std::string(2, '\0')).damaged) << "container's header";
  EXPECT_TRUE(with(20, std::string(4, '\xff')).damaged) << "entry's header";
  EXPECT_TRUE(with(20, std::string(4, '\0')).damaged) << "entry's header of no size";
  EXPECT_TRUE(with(24, std::string(8, '\xff')).damaged) << "entry's size";
  EXPECT_TRUE(with(44, std::string(4, '\xff')).damaged) << "architecture";
  EXPECT_TRUE(read("not a container at all").damaged);
  EXPECT_FALSE(read("").damaged);
}

TEST(Fatbin, LimitsEndTheReading) {
  std::string many;
  for (int i = 0; i < 5; ++i) many += fatbin({machine_code(80)});
  const GpuCodes some = read(many, {.containers = 3});
  EXPECT_TRUE(some.cut);
  EXPECT_EQ(some.containers, 3U);
  EXPECT_TRUE(read(many, {.until = std::chrono::steady_clock::now() - std::chrono::seconds(1)}).cut);
  EXPECT_FALSE(read(many, {.containers = 100}).cut);
}

std::optional<GpuCode> cubin_code(const std::string& bytes) {
  const FakeTree tree;
  std::ofstream(tree.root() + "/file", std::ios::binary) << bytes;
  return code_of_cubin(FileBytes(tree.root() + "/file"));
}

TEST(Cubin, StatesItsArchitectureInEitherLayout) {
  EXPECT_EQ(cubin_code(cubin(75))->text(), "sm_75");
  EXPECT_EQ(cubin_code(cubin(120))->text(), "sm_120");
  EXPECT_EQ(cubin_code(cubin(90, "sm_90a"))->text(), "sm_90a");
  EXPECT_EQ(cubin_code(cubin(100, "sm_100f"))->text(), "sm_100f");
  EXPECT_EQ(cubin_code(cubin(100, "sm_103a"))->text(), "sm_100") << "a note about another architecture";
  FakeElf first;
  first.machine = 190;
  first.abi_version = 7;
  first.flags = 0x5a0d5a;
  EXPECT_EQ(cubin_code(first.bytes())->text(), "sm_90a");
  first.flags = 0x500550;
  EXPECT_EQ(cubin_code(first.bytes())->text(), "sm_80");
  first.flags = 0;
  EXPECT_FALSE(cubin_code(first.bytes()).has_value());
  EXPECT_FALSE(cubin_code(FakeElf{}.bytes()).has_value());
  EXPECT_FALSE(cubin_code("\x7f"
                          "ELF")
                   .has_value());
}

TEST(Ptx, StatesVersionAndTarget) {
  EXPECT_EQ(code_of_ptx("\n//\n.version 9.0\n.target sm_90\n")->text(), "compute_90");
  EXPECT_EQ(code_of_ptx(".version 8.7\n.target sm_120a\n")->text(), "compute_120a");
  EXPECT_EQ(code_of_ptx(".version 8.7\n.target sm_120a\n")->ptx_isa, 87);
  EXPECT_FALSE(code_of_ptx(".version 8.7\n").has_value());
  EXPECT_FALSE(code_of_ptx(".version nine\n.target sm_90\n").has_value());
  EXPECT_FALSE(code_of_ptx(".version 8.7\n.target sm_99999999999\n").has_value());
  EXPECT_FALSE(code_of_ptx("").has_value());
}

TEST(Ptx, VersionTellsTheOldestDriver) {
  EXPECT_EQ(cuda_of_ptx(70), "11.0");
  EXPECT_EQ(cuda_of_ptx(85), "12.5");
  EXPECT_EQ(cuda_of_ptx(86), "12.7");
  EXPECT_EQ(cuda_of_ptx(87), "12.8");
  EXPECT_EQ(cuda_of_ptx(90), "13.0");
  EXPECT_EQ(cuda_of_ptx(94), "13.4");
  EXPECT_EQ(cuda_of_ptx(95), "");
  EXPECT_EQ(cuda_of_ptx(0), "");
}

}  // namespace
}  // namespace gpugauge::stack
