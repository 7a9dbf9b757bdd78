#include "stack/loader.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "fake_tree.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

#if defined(__aarch64__)
constexpr std::uint32_t own = 0x0a03;
#else
constexpr std::uint32_t own = 0x0303;
#endif
constexpr std::uint32_t foreign = 0x0003;

void add_word(std::string& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(word >> shift & 0xffU));
}

struct Row {
  std::uint32_t abi;
  std::string soname, path;
};

/// A cache as ldconfig writes it.
std::string cache_of(const std::vector<Row>& rows) {
  std::string bytes = "glibc-ld.so.cache1.1";
  std::string texts;
  std::vector<std::uint32_t> offsets;
  const std::size_t start = 48 + 24 * rows.size();
  for (const Row& row : rows) {
    for (const std::string& text : {row.soname, row.path}) {
      offsets.push_back(static_cast<std::uint32_t>(start + texts.size()));
      texts += text + '\0';
    }
  }
  add_word(bytes, static_cast<std::uint32_t>(rows.size()));
  add_word(bytes, static_cast<std::uint32_t>(texts.size()));
  for (int i = 0; i < 5; ++i) add_word(bytes, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::uint32_t word : {rows[i].abi, offsets[2 * i], offsets[2 * i + 1], 0U, 0U, 0U})
      add_word(bytes, word);
  }
  return bytes + texts;
}

TEST(LoaderCache, ListsTheLibrariesOfThisAbi) {
  const auto found = parse_loader_cache(
      cache_of({{own, "liba.so.1", "/lib/liba.so.1"}, {foreign, "liba.so.1", "/lib32/liba.so.1"}}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].soname, "liba.so.1");
  EXPECT_EQ(found[0].path, "/lib/liba.so.1");
}

TEST(LoaderCache, ADamagedCacheIsNoCache) {
  const std::string whole =
      cache_of({{own, "liba.so.1", "/lib/liba.so.1"}, {own, "libb.so.1", "/lib/libb.so.1"}});
  EXPECT_TRUE(parse_loader_cache("").empty());
  EXPECT_TRUE(parse_loader_cache("ld.so-1.7.0").empty());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_LE(parse_loader_cache(whole.substr(0, size)).size(), 1U) << size;
  std::string lies = whole;
  lies.replace(20, 4, "\xff\xff\xff\x7f");
  EXPECT_TRUE(parse_loader_cache(lies).empty());
}

TEST(Loader, LooksAtThePathBeforeTheCacheBeforeTheStandardFolders) {
  FakeTree tree;
  const Tree seen(tree.root());
  EXPECT_EQ(Loader(seen, {}).pick("liba.so.1"), "");
  tree.file("/usr/lib64/liba.so.1", "");
  EXPECT_EQ(Loader(seen, {}).pick("liba.so.1"), "/usr/lib64/liba.so.1");
  tree.file("/opt/a/liba.so.1", "");
  tree.file("/etc/ld.so.cache",
            cache_of({{own, "liba.so.1", "/opt/gone/liba.so.1"}, {own, "liba.so.1", "/opt/a/liba.so.1"}}));
  EXPECT_EQ(Loader(seen, {}).pick("liba.so.1"), "/opt/a/liba.so.1")
      << "an entry whose file is gone is passed over";
  tree.file("/home/b/liba.so.1", "");
  EXPECT_EQ(Loader(seen, {{"LD_LIBRARY_PATH", "/nowhere::/home/b:/opt/a"}}).pick("liba.so.1"),
            "/home/b/liba.so.1");
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
