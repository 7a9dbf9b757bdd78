// /etc/ld.so.cache as ldconfig writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpugauge::stack {

#if defined(__aarch64__)
inline constexpr std::uint32_t own_abi = 0x0a03;
#else
inline constexpr std::uint32_t own_abi = 0x0303;
#endif
inline constexpr std::uint32_t foreign_abi = 0x0003;

inline void add_word(std::string& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(word >> shift & 0xffU));
}

struct CacheRow {
  std::uint32_t abi;
  std::string soname, path;
};

inline std::string loader_cache(const std::vector<CacheRow>& rows) {
  std::string bytes = "glibc-ld.so.cache1.1";
  std::string texts;
  std::vector<std::uint32_t> offsets;
  const std::size_t start = 48 + 24 * rows.size();
  for (const CacheRow& row : rows) {
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

}  // namespace gpugauge::stack
