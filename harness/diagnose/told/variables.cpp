// Variables that a text sets.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "diagnose/told/told.hpp"
#include "diagnose/words.hpp"

namespace gpugauge::diagnose {
namespace {

/// Beginnings of the names that the stack reads. Other variables tell nothing here.
constexpr std::array<std::string_view, 20> prefixes{
    "CUDA_", "NCCL_",           "UCX_",     "TORCH_",  "PYTORCH_", "TF_",   "XLA_",
    "OMP_",  "LD_LIBRARY_PATH", "NVIDIA_",  "CUBLAS_", "CUDNN_",   "GLOO_", "FI_",
    "OMPI_", "OLLAMA_",         "NVSHMEM_", "JAX_",    "MPICH_",   "VLLM_"};

/// The name and value at the start of a text: "NCCL_DEBUG=INFO".
std::optional<std::pair<std::string, std::string>> assignment(std::string_view text) {
  if (std::none_of(prefixes.begin(), prefixes.end(),
                   [&](std::string_view prefix) { return text.starts_with(prefix); }))
    return std::nullopt;
  std::size_t end = 0;
  while (end < text.size() && (std::isupper(static_cast<unsigned char>(text[end])) != 0 ||
                               is_digit(text[end]) || text[end] == '_'))
    ++end;
  if (end == text.size() || text[end] != '=') return std::nullopt;
  std::string_view value = text.substr(end + 1);
  if (!value.empty() && (value.front() == '"' || value.front() == '\'')) {
    const char quote = value.front();
    value.remove_prefix(1);
    value = value.substr(0, value.find(quote));
  } else {
    value = value.substr(0, value.find_first_of(" \t;&\\"));
  }
  return std::pair(std::string(text.substr(0, end)), std::string(value));
}

using Variables = std::map<std::string, std::string>;

void add_assigned(std::string_view text, Variables& out) {
  if (auto one = assignment(text)) out.insert(*std::move(one));
}

/// Assignments before a command, or a line of assignments alone: "A=1 B=2 python train.py".
void add_leading(std::string_view text, Variables& out) {
  while (const auto one = assignment(text)) {
    out.insert(*one);
    const std::size_t blank = text.find(' ', one->first.size() + 1 + one->second.size());
    if (blank == std::string_view::npos) return;
    text.remove_prefix(std::min(text.find_first_not_of(' ', blank), text.size()));
  }
}

}  // namespace

std::map<std::string, std::string> variables_of(const TextLineList& lines) {
  Variables out;
  for (const std::string& line : lines) {
    std::string_view text = line;
    text.remove_prefix(std::min(text.find_first_not_of(" $>"), text.size()));
    for (const std::string_view word : {"export ", "ENV ", "set "})
      if (text.starts_with(word)) text.remove_prefix(word.size());
    add_leading(text, out);
    for (const std::string_view flag : {" -x ", " -e ", " --env "})
      for (std::size_t at = line.find(flag); at != std::string::npos; at = line.find(flag, at + 1))
        add_assigned(std::string_view(line).substr(at + flag.size()), out);
    // "NCCL INFO NCCL_IB_DISABLE set by environment to 0."
    constexpr std::string_view by_environment = " set by environment to ";
    const std::size_t at = line.find(by_environment);
    if (at == std::string::npos) continue;
    const std::size_t blank = line.rfind(' ', at - 1);
    const std::size_t begin = blank == std::string::npos ? 0 : blank + 1;
    std::string value = line.substr(at + by_environment.size());
    value.erase(std::min(value.find_last_not_of(" .") + 1, value.size()));
    add_assigned(line.substr(begin, at - begin) + "=" + value, out);
  }
  return out;
}

}  // namespace gpugauge::diagnose
