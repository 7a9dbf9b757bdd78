#include "stack/loader.hpp"

#include <tuple>

#include <gtest/gtest.h>

#include "fake_loader_cache.hpp"
#include "fake_tree.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

TEST(LoaderCache, ListsTheLibrariesOfThisAbi) {
  const auto found = parse_loader_cache(loader_cache(
      {{own_abi, "liba.so.1", "/lib/liba.so.1"}, {foreign_abi, "liba.so.1", "/lib32/liba.so.1"}}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].soname, "liba.so.1");
  EXPECT_EQ(found[0].path, "/lib/liba.so.1");
}

TEST(LoaderCache, ADamagedCacheIsNoCache) {
  const std::string whole =
      loader_cache({{own_abi, "liba.so.1", "/lib/liba.so.1"}, {own_abi, "libb.so.1", "/lib/libb.so.1"}});
  EXPECT_TRUE(parse_loader_cache("").empty());
  EXPECT_TRUE(parse_loader_cache("ld.so-1.7.0").empty());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_LE(parse_loader_cache(whole.substr(0, size)).size(), 1U) << size;
  std::string lies = whole;
  lies.replace(20, 4, "\xff\xff\xff\x7f");
  EXPECT_TRUE(parse_loader_cache(lies).empty());
}

TEST(LoaderCache, EntriesThatAllLeadToOneLongTextAreNoCache) {
  std::vector<CacheRow> rows(1000, {own_abi, "", ""});
  rows[0].path = "/" + std::string(4000, 'x');
  std::string bytes = loader_cache(rows);
  const std::string text = bytes.substr(48 + 4, 8);  // where the first entry's name and path lie
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bytes.replace(48 + 24 * i + 4, 4, text, 4, 4);
    bytes.replace(48 + 24 * i + 8, 4, text, 4, 4);
  }
  EXPECT_TRUE(parse_loader_cache(bytes).empty());
  EXPECT_EQ(parse_loader_cache(loader_cache({rows.begin(), rows.begin() + 1})).size(), 0U) << "no name";
}

TEST(Loader, LooksAtThePathBeforeTheCacheBeforeTheStandardFolders) {
  FakeTree tree;
  const Tree seen(tree.root());
  EXPECT_EQ(Loader(seen, {}).pick("liba.so.1"), "");
  tree.file("/usr/lib64/liba.so.1", "");
  EXPECT_EQ(Loader(seen, {}).pick("liba.so.1"), "/usr/lib64/liba.so.1");
  tree.file("/opt/a/liba.so.1", "");
  tree.file("/etc/ld.so.cache", loader_cache({{own_abi, "liba.so.1", "/opt/gone/liba.so.1"},
                                              {own_abi, "liba.so.1", "/opt/a/liba.so.1"}}));
  EXPECT_EQ(Loader(seen, {}).pick("liba.so.1"), "/opt/a/liba.so.1")
      << "an entry whose file is gone is passed over";
  tree.file("/home/b/liba.so.1", "");
  EXPECT_EQ(Loader(seen, {{"LD_LIBRARY_PATH", "/nowhere::/home/b:/opt/a"}}).pick("liba.so.1"),
            "/home/b/liba.so.1");
}

TEST(Loader, PassesOverALinkThatLeadsNowhere) {
  FakeTree tree;
  tree.link("/opt/a/liba.so.1", "/nowhere/liba.so.1.2");
  tree.file("/usr/lib64/liba.so.1", "");
  const Tree seen(tree.root());
  EXPECT_EQ(Loader(seen, {{"LD_LIBRARY_PATH", "/opt/a"}}).pick("liba.so.1"), "/usr/lib64/liba.so.1");
}

TEST(Loader, PassesOverAFolderThatMayNotBeEnteredAndTellsIt) {
  FakeTree tree;
  tree.file("/opt/a/liba.so.1", "");
  tree.file("/usr/lib64/liba.so.1", "");
  tree.forbid("/opt/a");
  const AsNobody user(tree);
  if (!user.is()) GTEST_SKIP() << "root may enter every folder";
  const Tree seen(tree.root());
  const Loader loader(seen, {{"LD_LIBRARY_PATH", "/opt/a:/opt/b"}});
  EXPECT_EQ(loader.pick("liba.so.1"), "/usr/lib64/liba.so.1");
  EXPECT_EQ(loader.refused(), (std::vector<std::string>{"/opt/a"}));
}

/// The first bytes of an ELF file.
std::string elf(unsigned char word_size, std::uint16_t machine) {
  std::string bytes(
      "\x7f"
      "ELF");
  bytes += static_cast<char>(word_size);
  bytes += '\1';
  bytes.resize(18);
  bytes += static_cast<char>(machine & 0xffU);
  bytes += static_cast<char>(machine >> 8U);
  return bytes;
}
constexpr unsigned char bits32 = 1;
constexpr unsigned char bits64 = 2;
constexpr std::uint16_t x86_64 = 62;
constexpr std::uint16_t i386 = 3;
constexpr std::uint16_t aarch64 = 183;

TEST(Loader, ATreeOfAnotherProcessorIsSearchedAsItsOwnLoaderDoes) {
  for (const auto& [machine, folder, flags] : {std::tuple(aarch64, "/usr/lib/aarch64-linux-gnu", 0x0a03U),
                                               std::tuple(x86_64, "/usr/lib/x86_64-linux-gnu", 0x0303U)}) {
    FakeTree tree;
    tree.file("/usr/bin/coreutils", elf(bits64, machine));
    tree.link("/usr/bin/env", "/usr/bin/coreutils");
    tree.file(std::string(folder) + "/libcuda.so.1", elf(bits64, machine));
    tree.file("/opt/a/libb.so.1", elf(bits64, machine));
    tree.file("/etc/ld.so.cache", loader_cache({{flags, "libb.so.1", "/opt/a/libb.so.1"}}));
    const Tree seen(tree.root());
    EXPECT_EQ(Loader(seen, {}).pick("libcuda.so.1"), std::string(folder) + "/libcuda.so.1");
    EXPECT_EQ(Loader(seen, {}).pick("libb.so.1"), "/opt/a/libb.so.1");
  }
}

TEST(Loader, PassesOverLibrariesOfAnotherWordSizeOrProcessor) {
  FakeTree tree;
  tree.file("/usr/bin/env", elf(bits64, x86_64));
  tree.file("/opt/32/libcuda.so.1", elf(bits32, i386));
  tree.file("/opt/arm/libcuda.so.1", elf(bits64, aarch64));
  tree.file("/usr/lib64/libcuda.so.1", elf(bits64, x86_64));
  const Tree seen(tree.root());
  EXPECT_EQ(Loader(seen, {{"LD_LIBRARY_PATH", "/opt/32:/opt/arm"}}).pick("libcuda.so.1"),
            "/usr/lib64/libcuda.so.1");
}

TEST(Loader, AgreesWithTheRealOneAboutTheCLibrary) {
  const SharedObject libc("libc.so.6");
  ASSERT_TRUE(libc.opened().opened);
  const Tree machine("/");
  const std::string picked = Loader(machine, {}).pick("libc.so.6");
  EXPECT_EQ(std::filesystem::canonical(picked).string(), libc.opened().path);
}

TEST(FileName, TellsTheVersion) {
  EXPECT_EQ(version_in_file_name("/usr/lib/libcuda.so.580.65.06"), "580.65.06");
  EXPECT_EQ(version_in_file_name("/opt/cuda-13.so.d/libcublas.so.13"), "13");
  EXPECT_EQ(version_in_file_name("/opt/v1.so.2/libcuda.so"), "");
}

}  // namespace
}  // namespace gpugauge::stack
