#include "stack/plan/binary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/stack/fake_tree.hpp"
#include "unit/stack/plan/fake_binary.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

BinaryReport inspect(const FakeTree& tree, const std::string& path, const Environment& environment = {}) {
  return inspect_binary(Tree(tree.root()), environment, path);
}

BinaryReport inspect_bytes(const std::string& bytes) {
  FakeTree tree;
  tree.file("/file", bytes);
  return inspect(tree, "/file");
}

std::vector<std::string> names(const BinaryReport& report) {
  std::vector<std::string> texts;
  for (const GpuCode& code : report.codes.all()) texts.push_back(code.text());
  return texts;
}

TEST(Binary, ASharedLibraryTellsCodeRuntimeAndNeeds) {
  FakeTree tree;
  FakeElf elf;
  elf.sections.push_back({".nv_fatbin", fatbin({machine_code(80), ptx_code(90, 87)})});
  elf.sections.push_back({"__nv_relfatbin", fatbin({machine_code(75)})});
  elf.dynamic({{DT_NEEDED, "libcudart.so.12"},
               {DT_NEEDED, "libcublas.so.12"},
               {DT_NEEDED, "libgone.so.1"},
               {DT_RUNPATH, "$ORIGIN/../cublas/lib:${ORIGIN}/extra:/opt/$LIB"},
               {DT_SONAME, "libuser.so"}});
  tree.file("/site/torch/lib/libuser.so", elf.bytes());
  tree.file("/site/torch/cublas/lib/libcublas.so.12", "");
  tree.file("/site/torch/lib/extra/libcudart.so.12", "");
  tree.file("/usr/lib64/libcudart.so.12", "");
  const BinaryReport report = inspect(tree, "/site/torch/lib/libuser.so");
  EXPECT_EQ(report.kind, BinaryKind::shared_library);
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.machine, "x86_64");
  EXPECT_THAT(names(report), ElementsAre("sm_80", "compute_90")) << "code still to be linked does not count";
  EXPECT_FALSE(report.relocatable);
  EXPECT_EQ(report.runtime, RuntimeLink::shared);
  EXPECT_EQ(report.runtime_version, "12");
  EXPECT_THAT(report.needed,
              ElementsAre(NeededLibrary{"libcudart.so.12", "/site/torch/lib/extra/libcudart.so.12"},
                          NeededLibrary{"libcublas.so.12", "/site/torch/lib/../cublas/lib/libcublas.so.12"},
                          NeededLibrary{"libgone.so.1", ""}));
  EXPECT_EQ(inspect(tree, "/site/torch/lib/libuser.so", {{"LD_LIBRARY_PATH", "/usr/lib64"}}).needed[0].path,
            "/usr/lib64/libcudart.so.12")
      << "LD_LIBRARY_PATH comes before the library's own RUNPATH";
}

TEST(Binary, RpathComesBeforeLdLibraryPathUnlessThereIsARunpath) {
  FakeTree tree;
  FakeElf elf;
  elf.dynamic({{DT_NEEDED, "liba.so"}, {DT_RPATH, "/own"}});
  tree.file("/lib.so", elf.bytes());
  tree.file("/own/liba.so", "");
  tree.file("/path/liba.so", "");
  const Environment environment{{"LD_LIBRARY_PATH", "/path"}};
  EXPECT_EQ(inspect(tree, "/lib.so", environment).needed[0].path, "/own/liba.so");
  FakeElf both;
  both.dynamic({{DT_NEEDED, "liba.so"}, {DT_RPATH, "/own"}, {DT_RUNPATH, "/other"}});
  tree.file("/lib.so", both.bytes());
  EXPECT_EQ(inspect(tree, "/lib.so", environment).needed[0].path, "/path/liba.so");
}

TEST(Binary, AStaticRuntimeTellsItsVersion) {
  FakeElf elf;
  elf.type = ET_EXEC;
  elf.sections.push_back(
      {".text", std::string("\x90\x90\x48\x85\xff\x74\x09\xc7\x07\xc8\x32\x00\x00\x31\xc0\xc3\x90", 17)});
  elf.sections.push_back({".nvFatBinSegment", std::string(24, '\0')});
  elf.sections.push_back({".nv_fatbin", fatbin({machine_code(90)})});
  const BinaryReport report = inspect_bytes(elf.bytes());
  EXPECT_EQ(report.kind, BinaryKind::executable);
  EXPECT_EQ(report.runtime, RuntimeLink::inside);
  EXPECT_EQ(report.runtime_version, "13.0");
}

TEST(Binary, AnObjectLeavesTheRuntimeToTheLink) {
  FakeElf elf;
  elf.type = ET_REL;
  elf.sections.push_back({"__nv_relfatbin", fatbin({machine_code(90)})});
  elf.symbols({{"__cudaRegisterFatBinary", ""}}, SHT_SYMTAB);
  const BinaryReport report = inspect_bytes(elf.bytes());
  EXPECT_EQ(report.kind, BinaryKind::object);
  EXPECT_EQ(report.runtime, RuntimeLink::by_link);
  EXPECT_TRUE(report.relocatable);
  EXPECT_THAT(names(report), ElementsAre("sm_90"));
}

/// Adds rows to the section table that say the same as its row `index`.
std::string with_copies(std::string file, std::size_t index, int copies) {
  Elf64_Ehdr header{};
  std::memcpy(&header, file.data(), sizeof header);
  const std::string row = file.substr(header.e_shoff + index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
  for (int i = 0; i < copies; ++i) file += row;
  header.e_shnum = static_cast<Elf64_Half>(header.e_shnum + copies);
  return file.replace(0, sizeof header, bytes_of(header));
}

TEST(Binary, SectionsThatAreOnePlaceOfTheFileAreReadOnce) {
  constexpr int copies = 5000;
  for (const char* const name : {".nv_fatbin", "__nv_relfatbin"}) {
    FakeElf elf;
    elf.sections.push_back({name, fatbin({machine_code(80)}) + fatbin({machine_code(90)})});
    const BinaryReport report = inspect_bytes(with_copies(elf.bytes(), 1, copies));
    EXPECT_EQ(report.problem, "") << name;
    EXPECT_EQ(report.codes.containers, 2U) << name;
  }
}

TEST(Binary, TheTimeIsOneForAllSectionsOfAFile) {
  FakeElf elf;
  elf.sections.push_back({".nv_fatbin", std::string(100, '\0')});
  elf.sections.push_back({".nv_fatbin", fatbin({machine_code(80)})});
  elf.sections.push_back({"__nv_relfatbin", fatbin({machine_code(90)})});
  FakeTree tree;
  tree.file("/file", elf.bytes());
  const ReadingLimit past{.until = std::chrono::steady_clock::now() - std::chrono::seconds(1)};
  const BinaryReport report = inspect_binary(Tree(tree.root()), {}, "/file", past);
  EXPECT_EQ(report.codes.containers, 0U);
  EXPECT_THAT(report.problem, HasSubstr("more GPU code than was read in the time allowed"));
  EXPECT_EQ(inspect(tree, "/file").codes.containers, 1U);
}

TEST(Binary, AnArchiveIsReadMemberByMember) {
  FakeElf one;
  one.type = ET_REL;
  one.sections.push_back({".nv_fatbin", fatbin({machine_code(80)})});
  one.sections.push_back({".nvFatBinSegment", std::string(24, '\0')});
  FakeElf two = one;
  two.sections[0].contents = fatbin({machine_code(90)});
  const auto member = [](const std::string& name, const std::string& contents) {
    const std::string header =
        fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 644, contents.size());
    return header + contents + (contents.size() % 2 == 1 ? "\n" : "");
  };
  const std::string whole =
      "!<arch>\n" + member("/", "odd") + member("one.o/", one.bytes()) + member("two.o/", two.bytes());
  const BinaryReport report = inspect_bytes(whole);
  EXPECT_EQ(report.kind, BinaryKind::archive);
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.runtime, RuntimeLink::by_link);
  EXPECT_THAT(names(report), ElementsAre("sm_80", "sm_90"));
  EXPECT_THAT(inspect_bytes(whole.substr(0, whole.size() - 100)).problem, HasSubstr("damaged"));
  EXPECT_THAT(inspect_bytes("!<thin>\nx").problem, HasSubstr("thin archive"));
}

TEST(Binary, GpuCodeAloneIsRecognised) {
  EXPECT_EQ(inspect_bytes(cubin(90, "sm_90a")).kind, BinaryKind::cubin);
  EXPECT_THAT(names(inspect_bytes(cubin(90, "sm_90a"))), ElementsAre("sm_90a"));
  EXPECT_EQ(inspect_bytes(fatbin({machine_code(90)})).kind, BinaryKind::fatbin);
  EXPECT_EQ(inspect_bytes("//\n.version 8.7\n.target sm_100f\n").kind, BinaryKind::ptx);
  EXPECT_THAT(names(inspect_bytes("//\n.version 8.7\n.target sm_100f\n")), ElementsAre("compute_100f"));
}

TEST(Binary, WhatCannotBeReadSaysWhy) {
  FakeTree tree;
  EXPECT_EQ(inspect(tree, "/missing").problem, "there is no such file");
  tree.file("/folder/inside", "");
  EXPECT_EQ(inspect(tree, "/folder").problem, "it is no regular file");
  ASSERT_EQ(::mkfifo(tree.at("/fifo").c_str(), 0600), 0);
  EXPECT_EQ(inspect(tree, "/fifo").problem, "it is no regular file");
  tree.link("/loop", "/loop");
  EXPECT_NE(inspect(tree, "/loop").problem, "");
  tree.file("/text", "#!/bin/sh\n");
  EXPECT_THAT(inspect(tree, "/text").problem, HasSubstr("no ELF file"));
  EXPECT_EQ(inspect_bytes("").problem, "it is empty");
  EXPECT_THAT(inspect_bytes("\x7f"
                            "ELF")
                  .problem,
              HasSubstr("none of 64 bits"));
  std::string narrow = FakeElf{}.bytes();
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(inspect_bytes(narrow).problem, HasSubstr("none of 64 bits"));
}

TEST(Binary, ARelativePathBeginsAtTheCurrentFolder) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const BinaryReport report = inspect_binary(Tree("/"), {}, std::filesystem::relative(self).string());
  EXPECT_EQ(report.path, self);
  EXPECT_EQ(report.kind, BinaryKind::executable);
  EXPECT_EQ(report.runtime, RuntimeLink::none);
}

TEST(Binary, NoTruncationOrFlippedByteIsMoreThanAProblem) {
  FakeElf elf;
  elf.sections.push_back({".nv_fatbin", fatbin({machine_code(80), ptx_code(90, 87)})});
  elf.dynamic({{DT_NEEDED, "libcudart.so.12"}, {DT_SONAME, "libuser.so"}});
  elf.symbols({{"__cudaRegisterFatBinary", ".nv_fatbin", 0, 4}});
  const std::string whole = elf.bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7) inspect_bytes(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(~flipped[at]);
    const BinaryReport report = inspect_bytes(flipped);
    EXPECT_LE(report.codes.containers, 1U) << at;
    EXPECT_LE(report.needed.size(), 2U) << at;
  }
}

RunAnswer answer(const std::vector<FakeEntry>& entries, const std::string& capability,
                 const std::string& driver) {
  const auto answers = can_run(inspect_bytes(fatbin(entries)), {{capability}, driver, "x86_64"});
  return answers.at(0);
}
using Way = RunAnswer::Way;

TEST(CanRun, MachineCodeOfTheSameMajorAndNotLaterMinor) {
  const std::vector<FakeEntry> code{machine_code(80), machine_code(86)};
  EXPECT_EQ(answer(code, "8.0", "12.8").way, Way::machine_code);
  EXPECT_THAT(answer(code, "8.0", "12.8").uses, ElementsAre("sm_80"));
  EXPECT_THAT(answer(code, "8.9", "12.8").uses, ElementsAre("sm_86")) << "the nearest";
  EXPECT_EQ(answer(code, "7.5", "12.8").way, Way::no);
  EXPECT_EQ(answer(code, "9.0", "12.8").way, Way::no);
  EXPECT_THAT(answer(code, "9.0", "12.8").sentence, HasSubstr("only sm_80 sm_86"));
  EXPECT_THAT(answer(code, "9.0", "12.8").sentence, HasSubstr("error 209"));
  EXPECT_EQ(answer(code, "9.0", "12.8").first_launch, "");
  EXPECT_EQ(answer(code, "8.7", "12.8").way, Way::no) << "Orin runs no desktop code";
}

TEST(CanRun, ArchitectureSpecificCodeRunsThereOnly) {
  EXPECT_EQ(answer({machine_code(90, 0x100011)}, "9.0", "").way, Way::machine_code);
  EXPECT_EQ(answer({machine_code(100, 0x100011)}, "10.0", "").way, Way::machine_code);
  EXPECT_EQ(answer({machine_code(100, 0x100011)}, "10.3", "").way, Way::no);
  EXPECT_EQ(answer({machine_code(100, 0x200011)}, "10.3", "").way, Way::machine_code) << "a family";
  EXPECT_EQ(answer({machine_code(100, 0x200011)}, "12.0", "").way, Way::no);
  EXPECT_EQ(answer({ptx_code(90, 80, 0x108011)}, "10.0", "13.0").way, Way::no);
  EXPECT_EQ(answer({ptx_code(90, 80, 0x108011)}, "9.0", "13.0").way, Way::compiled);
  EXPECT_EQ(answer({ptx_code(100, 88, 0x208011)}, "12.0", "13.0").way, Way::no);
  EXPECT_THAT(answer({machine_code(90), machine_code(90, 0x100011)}, "9.0", "").uses, ElementsAre("sm_90a"));
}

TEST(CanRun, PtxIsCompiledByADriverThatKnowsIt) {
  const std::vector<FakeEntry> code{machine_code(80), ptx_code(80, 87), ptx_code(90, 87)};
  const RunAnswer compiled = answer(code, "12.0", "12.8");
  EXPECT_EQ(compiled.way, Way::compiled);
  EXPECT_THAT(compiled.uses, ElementsAre("compute_90 (PTX 8.7)"));
  EXPECT_THAT(compiled.first_launch, HasSubstr("compiles the PTX at the first launch"));
  const RunAnswer old = answer(code, "12.0", "12.7");
  EXPECT_EQ(old.way, Way::no);
  EXPECT_THAT(old.uses, IsEmpty());
  EXPECT_THAT(old.sentence,
              HasSubstr("compute_90 (PTX 8.7) needs a driver of CUDA 12.8 or newer, and this one supports "
                        "12.7: launches of it fail with error 222"));
  EXPECT_EQ(answer(code, "12.0", "").way, Way::unknown);
  EXPECT_EQ(answer({ptx_code(90, 99)}, "9.0", "13.0").way, Way::unknown) << "newer than the table";
  EXPECT_EQ(answer(code, "8.0", "12.0").way, Way::machine_code)
      << "PTX does not matter where machine code fits";
  EXPECT_EQ(answer({ptx_code(90, 80)}, "8.9", "13.0").way, Way::no);
}

TEST(CanRun, ContainersMayDiffer) {
  const std::string bytes = fatbin({machine_code(80), machine_code(90)}) + fatbin({machine_code(80)}) +
                            fatbin({machine_code(80), ptx_code(80, 87)});
  const BinaryReport report = inspect_bytes(bytes);
  const auto on = [&](const std::string& capability, const std::string& driver) {
    return can_run(report, {{capability}, driver, ""}).at(0);
  };
  EXPECT_EQ(on("8.0", "12.8").way, Way::machine_code);
  EXPECT_EQ(on("9.0", "12.8").way, Way::partly);
  EXPECT_THAT(on("9.0", "12.8").sentence,
              HasSubstr("2 of its 3 code containers can run on compute capability 9.0"));
  EXPECT_THAT(on("9.0", "12.8").uses, ElementsAre("sm_90", "compute_80 (PTX 8.7)"));
  EXPECT_THAT(on("9.0", "12.0").sentence, HasSubstr("needs a driver of CUDA 12.8"));
  EXPECT_EQ(on("9.0", "").way, Way::unknown);
}

TEST(CanRun, ALibraryMayBringKernelsThatTheFileDoesNotShow) {
  BinaryReport report = inspect_bytes(fatbin({machine_code(75)}));
  report.kind = BinaryKind::shared_library;
  const RunAnswer answer = can_run(report, {{"9.0"}, "13.0", ""}).at(0);
  EXPECT_EQ(answer.way, Way::unknown);
  EXPECT_THAT(answer.sentence, HasSubstr("is for sm_75 only"));
  EXPECT_THAT(answer.sentence, HasSubstr("which the file does not tell"));
  report.kind = BinaryKind::executable;
  EXPECT_EQ(can_run(report, {{"9.0"}, "13.0", ""}).at(0).way, Way::no);
}

TEST(CanRun, WhatStandsAgainstAllOfIt) {
  BinaryReport report = inspect_bytes(fatbin({machine_code(90)}));
  report.runtime = RuntimeLink::inside;
  report.runtime_version = "13.0";
  EXPECT_THAT(can_run(report, {{"9.0"}, "12.8", ""})[0].sentence, HasSubstr("error 35"));
  EXPECT_EQ(can_run(report, {{"9.0"}, "12.8", ""})[0].way, Way::no);
  EXPECT_EQ(can_run(report, {{"9.0"}, "13.0", ""})[0].way, Way::machine_code);
  EXPECT_EQ(can_run(report, {{"9.0"}, "", ""})[0].way, Way::machine_code);
  report.runtime_version = "12";
  EXPECT_EQ(can_run(report, {{"9.0"}, "12.8", ""})[0].way, Way::machine_code);
  report.machine = "aarch64";
  EXPECT_EQ(can_run(report, {{"9.0"}, "12.8", "x86_64"})[0].sentence,
            "it is a program for aarch64, and this machine is x86_64");
  EXPECT_EQ(can_run(report, {{"9.0", "8.0"}, "12.8", ""}).size(), 2U);
  EXPECT_EQ(can_run(inspect_bytes(FakeElf{}.bytes()), {{"9.0"}, "", ""})[0].way, Way::no_gpu_code);
  EXPECT_EQ(can_run(report, {{"nine"}, "", ""})[0].sentence, "\"nine\" is no compute capability");
}

}  // namespace
}  // namespace gpugauge::stack
