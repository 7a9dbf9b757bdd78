// The chapters of docs/compatibility.md that consist of sentences rather than rows: error codes, and what is
// unknown.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "stack/compat/markdown.hpp"

namespace gpugauge::stack {
namespace {

/// "(1) one (2) two", "one".
std::string numbered(const std::vector<std::string>& lines) {
  if (lines.size() == 1) return lines.front();
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += fmt::format("{}({}) {}", i == 0 ? "" : " ", i + 1, lines[i]);
  return out;
}

/// The other API's row with the same meaning for this number; nullptr if there is none.
const ErrorCode* twin(const Tables& tables, const ErrorCode& row) {
  if (row.api == "nvml") return nullptr;
  const ErrorCode* const other = tables.error(row.api == "runtime" ? "driver" : "runtime", row.code);
  return other != nullptr && other->meaning == row.meaning ? other : nullptr;
}

void explained(MarkdownChapter& chapter, const Tables& tables, bool nvml) {
  chapter.header({"Code", "Name", "Means", "Usual causes, most frequent first", "Next", "Source"});
  for (const ErrorCode& row : tables.error_codes) {
    if ((row.api == "nvml") != nvml || row.meaning.empty()) continue;
    const ErrorCode* const other = twin(tables, row);
    if (other != nullptr && row.api == "driver") continue;  // merged into the runtime's row
    chapter.row({fmt::format("{}", row.code), other != nullptr ? row.name + ", " + other->name : row.name,
                 row.meaning, numbered(row.causes), numbered(row.next)},
                row.source);
  }
}

std::size_t unsure_rows(const Tables& tables) {
  std::size_t count = 0;
  const auto add = [&](const auto& rows) {
    count += static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const auto& row) { return !row.source.read; }));
  };
  add(tables.toolkit_drivers);
  add(tables.minimum_drivers);
  add(tables.architectures);
  add(tables.gpu_listings);
  add(tables.cudnn);
  add(tables.nccl);
  add(tables.known_issues);
  add(tables.driver_branches);
  add(tables.host_compilers);
  add(tables.frameworks);
  add(tables.systems);
  add(tables.kernels);
  add(tables.vgpu_releases);
  add(tables.vgpu);
  add(tables.error_codes);
  add(tables.rules);
  return count;
}

}  // namespace

std::string markdown_of_error_codes(const Tables& tables) {
  MarkdownChapter cuda(
      "Error codes of CUDA",
      "Those that a user meets. The runtime's and the driver's interface share their numbers "
      "where both have the code.");
  explained(cuda, tables, false);
  MarkdownChapter nvml("Error codes of NVML", "Those that a user meets.");
  explained(nvml, tables, true);
  MarkdownChapter names("Names of all error codes", "Every code of the three headers.");
  names.header({"Code", "CUDA runtime", "CUDA driver", "NVML"});
  std::map<int, std::map<std::string, std::string>> by_code;
  for (const ErrorCode& row : tables.error_codes) {
    by_code[row.code][row.api] = row.name;
    // Cites the headers; a row with causes cites its own source.
    if (row.causes.empty()) names.number_of(row.source);
  }
  for (auto& [code, name] : by_code)
    names.row({fmt::format("{}", code), name["runtime"], name["driver"], name["nvml"]});
  return cuda.finish() + nvml.finish() + names.finish();
}

std::string markdown_of_the_unknown(const Tables& tables) {
  int newest_branch = 0;
  for (const DriverBranch& row : tables.driver_branches) newest_branch = std::max(newest_branch, row.branch);
  MarkdownChapter chapter("What is unknown", "The doctor says so rather than guess.");
  chapter.text(fmt::format(
      "- Toolkits newer than {}, driver branches newer than R{}, and patch levels newer than the ones above. "
      "A "
      "newer version than the\n  tables know is reported as unknown, never as wrong.\n"
      "- Which cuda-compat version works on which driver branch: no list could be read.\n"
      "- The first driver of most architectures; it stands above only where a source gives it.\n"
      "- cuDNN releases that are not listed, and which of them was the first without Maxwell, Pascal and "
      "Volta.\n"
      "- The architectures in PyTorch's wheels before 2.8 and of 2.11 and 2.15, JAX before 0.4.24, ONNX "
      "Runtime before 1.7,\n  CuPy before 12, the CUDA version of vLLM's own kernels, the compute "
      "capabilities "
      "of most TensorRT releases.\n"
      "- Kernel and glibc versions of each operating system, the first and the last toolkit of most systems, "
      "the "
      "oldest\n  kernel of most drivers, and the kernels of branches and patch levels that are not listed.\n"
      "- NCCL releases newer than the ones above.\n"
      "- vGPU pairs other than those above; the release notes of most branches were not read.\n"
      "- Error codes that came after the headers of CUDA 13.0.\n"
      "- What the rows marked unsure say; there are {}.",
      tables.newest_known_cuda().text(), newest_branch, unsure_rows(tables)));
  return chapter.finish();
}

}  // namespace gpugauge::stack
