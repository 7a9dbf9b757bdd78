#include "stack/elf_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/elf_constant.hpp"
#include "unit/stack/fake_tree.hpp"
#include "unit/stack/plan/fake_binary.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;

struct File {
  explicit File(const std::string& bytes) {
    tree.file("/file", bytes);
    elf = std::make_unique<ElfFile>(FileBytes(tree.at("/file")));
  }
  FakeTree tree;
  std::unique_ptr<ElfFile> elf;
};

TEST(FileBytes, ReadsWithinItsWindowOnly) {
  FakeTree tree;
  tree.file("/file", "0123456789");
  const FileBytes whole(tree.at("/file"));
  EXPECT_EQ(whole.size(), 10U);
  EXPECT_EQ(whole.read(8, 100), "89");
  EXPECT_EQ(whole.read(10, 1), "");
  const FileBytes part = whole.part(2, 5);
  EXPECT_EQ(part.read(0, 100), "23456");
  EXPECT_EQ(part.part(3, 100).read(0, 100), "56");
  EXPECT_EQ(part.part(100, 1).size(), 0U);
  EXPECT_FALSE(part.value<std::uint64_t>(0).has_value());
  EXPECT_EQ(whole.text(0), "") << "no zero ends it";
  EXPECT_FALSE(FileBytes(tree.at("/none")).opened());
  EXPECT_EQ(FileBytes(tree.at("/none")).error(), ENOENT);
  EXPECT_EQ(FileBytes(tree.root()).error(), EINVAL);
}

TEST(ElfFile, ManySectionsThatShareOneEndlessNameHaveNone) {
  FakeElf fake;
  fake.sections.push_back({std::string(1U << 20U, 'x'), ""});
  std::string bytes = fake.bytes();
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  // Behind the three sections 30,000 more, each with the second one's name.
  const std::string section = bytes.substr(header.e_shoff + sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
  header.e_shnum = 30000;
  bytes.replace(0, sizeof header, bytes_of(header));
  while (bytes.size() < header.e_shoff + std::size_t{header.e_shnum} * sizeof(Elf64_Shdr)) bytes += section;
  const File file(bytes);
  ASSERT_EQ(file.elf->sections().size(), 30000U);
  EXPECT_EQ(file.elf->sections().back().name, "");
}

TEST(ElfFile, TellsSectionsDynamicAndSymbols) {
  FakeElf fake;
  fake.sections.push_back({".rodata", "\x40\x13\x09\x00\x05\x00\x00\x00"s});
  fake.dynamic({{DT_NEEDED, "libc.so.6"}, {DT_SONAME, "libx.so.1"}, {DT_RUNPATH, "$ORIGIN"}});
  fake.symbols({{"long_name_of_it", ""}, {"name_of_it", ".rodata", 0, 4}});
  const File file(fake.bytes());
  ASSERT_TRUE(file.elf->valid());
  ASSERT_NE(file.elf->section(".rodata"), nullptr);
  EXPECT_EQ(file.elf->contents(*file.elf->section(".rodata")).size(), 8U);
  EXPECT_EQ(file.elf->section(".text"), nullptr);
  EXPECT_THAT(file.elf->dynamic().needed, ElementsAre("libc.so.6"));
  EXPECT_EQ(file.elf->dynamic().soname, "libx.so.1");
  EXPECT_EQ(file.elf->dynamic().runpath, "$ORIGIN");
  ASSERT_TRUE(file.elf->symbol("name_of_it").has_value());
  EXPECT_TRUE(file.elf->symbol("name_of_it")->defined);
  EXPECT_FALSE(file.elf->symbol("long_name_of_it")->defined);
  EXPECT_FALSE(file.elf->symbol("it").has_value());
  EXPECT_EQ(number_of(*file.elf, "name_of_it"), 0x91340);
  EXPECT_FALSE(number_of(*file.elf, "long_name_of_it").has_value());
}

std::vector<int> x86(const std::string& code) {
  return constants_in(code, EM_X86_64);
}

// The functions' code is that of NVIDIA's libraries, CUDA 13.0.
TEST(Constants, OfFunctionsThatStoreThem) {
  EXPECT_THAT(x86("\x48\x85\xff\x74\x09\xc7\x07\x19\x59\x00\x00\x31\xc0\xc3\xb8\x04\x00\x00\x00\xc3"s),
              ElementsAre(22809))
      << "ncclGetVersion";
  EXPECT_THAT(
      x86("\x48\x85\xff\x74\x1b\x48\x85\xf6\x74\x16\xc7\x07\x0d\x00\x00\x00\x31\xc0\xc7\x06\x00\x00\x00\x00\xc3"s),
      ElementsAre(13, 0))
      << "nvrtcVersion";
  EXPECT_THAT(x86("\xc7\x07\xa0\x28\x00\x00\x31\xc0\xc3"s), ElementsAre(10400)) << "curandGetVersion";
  EXPECT_THAT(x86("\xf3\x0f\x1e\xfa\xb8\x0c\x67\x01\x00\xc3"s), ElementsAre(91916)) << "a plain return";
  EXPECT_THAT(x86("\x48\x85\xff\x75\x06\xb8\x04\x00\x00\x00\xc3\xc7\x07\x07\x00\x00\x00\x31\xc0\xc3"s),
              ElementsAre(7))
      << "a branch over the error";
}

TEST(Constants, OfOtherCodeAreNone) {
  EXPECT_THAT(x86(""), IsEmpty());
  EXPECT_THAT(x86("\xb8\x0c\x67\x01"s), IsEmpty()) << "cut off";
  EXPECT_THAT(x86("\xe8\x00\x00\x00\x00\xb8\x01\x00\x00\x00\xc3"s), IsEmpty()) << "calls something";
  EXPECT_THAT(x86("\xeb\xfe"s), IsEmpty()) << "an endless loop";
  EXPECT_THAT(x86("\xe9\xff\xff\xff\x7f"s), IsEmpty()) << "a jump out";
  EXPECT_THAT(x86("\xeb\x80"s), IsEmpty()) << "a jump before";
  EXPECT_THAT(x86("\xc3"s), IsEmpty());
  EXPECT_THAT(constants_in("\xc3", EM_RISCV), IsEmpty());
}

std::string arm_code(const std::vector<std::uint32_t>& words) {
  std::string code;
  for (const std::uint32_t word : words) code += bytes_of(word);
  return code;
}

TEST(Constants, OfAarch64) {
  // cbz x0; mov w1,#0x5919; str w1,[x0]; mov w0,#0; ret
  EXPECT_THAT(
      constants_in(arm_code({0xb4000080, 0x528b2321, 0xb9000001, 0x52800000, 0xd65f03c0}), EM_AARCH64),
      ElementsAre(22809));
  // bti c; mov w0,#0x670c; movk w0,#1,lsl #16; ret
  EXPECT_THAT(constants_in(arm_code({0xd503245f, 0x528ce180, 0x72a00020, 0xd65f03c0}), EM_AARCH64),
              ElementsAre(91916));
  // mov w2,#13; str w2,[x0]; str wzr,[x1]; mov w0,wzr is no constant known here
  EXPECT_THAT(
      constants_in(arm_code({0x528001a2, 0xb9000002, 0xb900003f, 0x52800000, 0xd65f03c0}), EM_AARCH64),
      ElementsAre(13, 0));
  EXPECT_THAT(constants_in(arm_code({0xb9000001, 0xd65f03c0}), EM_AARCH64), IsEmpty())
      << "stores what it was given";
}

TEST(Constants, OfAFunctionInAFile) {
  FakeElf fake;
  fake.sections.push_back({".text", "\x90\xc7\x07\x19\x59\x00\x00\x31\xc0\xc3"s});
  fake.symbols({{"ncclGetVersion", ".text", 1, 9}, {"elsewhere", ""}});
  const File file(fake.bytes());
  EXPECT_THAT(constants_of(*file.elf, "ncclGetVersion"), ElementsAre(22809));
  EXPECT_THAT(constants_of(*file.elf, "elsewhere"), IsEmpty());
  EXPECT_THAT(constants_of(*file.elf, "missing"), IsEmpty());
}

TEST(RuntimeVersion, IsTheOneThatIsStored) {
  const std::string answer = "\x48\x85\xff\x74\x09\xc7\x07\xc8\x32\x00\x00\x31\xc0\xc3"s;
  const auto in = [](const std::string& code) {
    FakeElf fake;
    fake.sections.push_back({".text", code});
    return runtime_version_in(*File(fake.bytes()).elf);
  };
  EXPECT_EQ(in("\x90\x90" + answer), 13000);
  EXPECT_EQ(in(answer + answer), 13000);
  std::string other = answer;
  other.replace(7, 4, "\x08\x2f\x00\x00"s);  // 12040
  EXPECT_EQ(in(answer + other), std::nullopt) << "which of the two is the runtime's?";
  other.replace(7, 4, "\x19\x59\x00\x00"s);  // 22809 is NCCL's
  EXPECT_EQ(in(answer + other), 13000);
  EXPECT_EQ(in(answer.substr(0, 12)), std::nullopt);
  EXPECT_EQ(in(""), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::stack
