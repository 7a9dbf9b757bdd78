#include "support/kernel_name.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "result/text.hpp"

namespace gpugauge::bench {

namespace {

template <std::size_t count>
bool contains_any(std::string_view text, const std::array<std::string_view, count>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Checked first: xmma and CUTLASS write ffma, dfma or simt into the names of kernels that use no Tensor
// Cores.
constexpr std::array<std::string_view, 6> certainly_simt{"_ffma", "_dfma",   "_simt",
                                                         "gemv",  "gemmsn_", "fp32_simt"};

// 884, 8816, 1688, 16816, ... are shapes of the mma instruction: m8n8k4, m8n8k16, m16n8k8, m16n8k16. cuDNN's
// fused attention names its instruction up to 9.0 (wmma, wgmma) but not from 10.0 on. It never runs without
// Tensor Cores.
constexpr std::array<std::string_view, 21> tensor_words{
    "nvjet", "tensorop", "xmma",    "wgmma",  "_wmma",  "hmma",         "imma",
    "dmma",  "qmma",     "tcgen05", "s16816", "h16816", "s161616",      "s1688",
    "h1688", "s884",     "h884",    "i16832", "i8816",  "_flash_fprop", "_flash_bprop"};

// Generated before Tensor Cores, or for what they do not support. scudnn: cuDNN's fp32 convolutions; those on
// Tensor Cores are s884cudnn and the like.
constexpr std::array<std::string_view, 6> simt_words{"sgemm", "dgemm", "cgemm", "zgemm", "hgemm", "scudnn"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> generations{{{"maxwell_", "sm50"},
                                                                                    {"pascal_", "sm60"},
                                                                                    {"volta_", "sm70"},
                                                                                    {"turing_", "sm75"},
                                                                                    {"ampere_", "sm80"},
                                                                                    {"ada_", "sm89"},
                                                                                    {"hopper_", "sm90"},
                                                                                    {"blackwell_", "sm100"}}};

using result::is_digit;

bool is_word_letter(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'z');
}

// Returns for example "sm80" for the first `prefix` that starts a word and is followed by two or three
// digits.
std::string architecture_after(std::string_view text, std::string_view prefix) {
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    // In a mangled name the length of a word precedes it directly.
    if (at > 0 && is_word_letter(text[at - 1]) && !is_digit(text[at - 1])) continue;
    std::size_t end = at + prefix.size();
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::size_t digits = end - at - prefix.size();
    if (digits == 2 || digits == 3) return "sm" + std::string(text.substr(at + prefix.size(), digits));
  }
  return {};
}

// Removes CUB's namespace, which lists every architecture it was compiled for: cub_300001_sm_800_900.
std::string without_compiled_for(std::string text) {
  for (std::size_t at = text.find("cub_"); at != std::string::npos; at = text.find("cub_", at + 1)) {
    std::size_t end = at + 4;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (text.compare(end, 4, "_sm_") != 0) continue;
    end += 3;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '_')) ++end;
    text.erase(at, end - at);
  }
  return text;
}

std::string architecture_of(std::string_view text) {
  for (const std::string_view prefix : {"sm", "sm_", "cutlass_", "cutlass3x_sm"})
    if (std::string found = architecture_after(text, prefix); !found.empty()) return found;
  for (const auto& [word, architecture] : generations) {
    const std::size_t at = text.find(word);
    if (at != std::string_view::npos && (at == 0 || !(text[at - 1] >= 'a' && text[at - 1] <= 'z')))
      return std::string(architecture);
  }
  // Kernels that cuBLAS introduced for 9.0; those for later architectures name theirs.
  if (text.find("nvjet_") != std::string_view::npos) return "sm90";
  return {};
}

}  // namespace

KernelName parse_kernel_name(std::string_view name) {
  const std::string text = without_compiled_for(result::lower(name));
  KernelName parsed;
  parsed.architecture = architecture_of(text);
  const bool simt = contains_any(text, certainly_simt);
  if (!simt && contains_any(text, tensor_words))
    parsed.path = KernelPath::tensor;
  else if (simt || contains_any(text, simt_words))
    parsed.path = KernelPath::simt;
  return parsed;
}

KernelName parse_kernel_names(const std::vector<std::string>& names) {
  KernelName all;
  std::vector<KernelName> parsed;
  parsed.reserve(names.size());
  for (const std::string& name : names) parsed.push_back(parse_kernel_name(name));
  for (const KernelPath path : {KernelPath::simt, KernelPath::tensor})
    if (std::any_of(parsed.begin(), parsed.end(), [&](const KernelName& one) { return one.path == path; }))
      all.path = path;
  std::vector<std::string> architectures;
  for (const KernelName& one : parsed)
    if (one.path == all.path && !one.architecture.empty()) architectures.push_back(one.architecture);
  std::sort(architectures.begin(), architectures.end());
  architectures.erase(std::unique(architectures.begin(), architectures.end()), architectures.end());
  for (const std::string& one : architectures)
    all.architecture += (all.architecture.empty() ? "" : "+") + one;
  return all;
}

std::string to_string(KernelPath path) {
  switch (path) {
    case KernelPath::tensor:
      return "tensor";
    case KernelPath::simt:
      return "simt";
    case KernelPath::unknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace gpugauge::bench
