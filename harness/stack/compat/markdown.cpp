// Writes docs/compatibility.md from the tables.
#include "stack/compat/markdown.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpugauge::stack {
namespace {

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*') out += '\\';
    if (c == '<')
      out += "&lt;";
    else
      out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string text_of(const std::optional<Version>& version) {
  return version ? version->text() : "";
}

std::string list(const std::vector<Version>& versions) {
  std::string out;
  for (const Version& version : versions) out += (out.empty() ? "" : ", ") + version.text();
  return out;
}

std::string toolkits_and_drivers(const Tables& tables) {
  MarkdownChapter toolkits("Toolkit and driver",
                           "The driver that came with a toolkit: with it, or a newer one, everything works, "
                           "PTX included.");
  toolkits.header({"Toolkit", "Driver (Linux)", "Source"});
  for (const ToolkitDriver& row : tables.toolkit_drivers)
    toolkits.row({row.release, row.native_driver.text()}, row.source);
  MarkdownChapter least("Oldest driver of a CUDA major version",
                        "With it, programs of every minor version run, as long as they bring machine code "
                        "for the GPU and use no function that is newer than the driver.");
  least.header({"CUDA", "Driver (Linux)", "Source"});
  for (const MinimumDriver& row : tables.minimum_drivers)
    least.row({fmt::format("{}.x", row.cuda_major), row.driver.text()}, row.source);
  return toolkits.finish() + least.finish();
}

std::string architectures(const Tables& tables) {
  MarkdownChapter chapter("GPU architectures",
                          "Which toolkits generate code for a compute capability, and which driver branch is "
                          "the last that drives it.");
  chapter.header({"Compute capability", "Architecture", "First toolkit", "Last toolkit", "First driver",
                  "Last driver branch", "Source"});
  for (const Architecture& row : tables.architectures)
    chapter.row({row.compute_capability.text(), row.name, row.first_cuda.text(), text_of(row.last_cuda),
                 text_of(row.first_driver),
                 row.last_driver_branch ? fmt::format("R{}", *row.last_driver_branch) : ""},
                row.source);
  return chapter.finish();
}

std::string boards(const Tables& tables) {
  MarkdownChapter chapter(
      "GPUs and drivers",
      "The first release of each driver branch that is known to list a board, where a source was read. "
      "Later branches list it "
      "from their first release; what is older is not known to drive it, and below a required driver it does "
      "not run.");
  chapter.header({"GPUs", "Compute capability", "Listed from", "Required", "Source"});
  for (const GpuListing& row : tables.gpu_listings)
    chapter.row({fmt::format("{}", fmt::join(row.models, ", ")), row.compute_capability.text(),
                 list(row.listed), text_of(row.required)},
                row.source);
  return chapter.finish();
}

std::string branches(const Tables& tables) {
  MarkdownChapter chapter(
      "Driver branches",
      "Where NVIDIA gives an end of life, it stands here; a \"counted\" one is a year from the release, of a "
      "branch for which NVIDIA gives none. \"Newest CUDA\" is the newest toolkit whose own "
      "driver is of this branch.");
  chapter.header({"Branch", "Kind", "End of life", "Newest patch level", "of", "Newest CUDA", "Source"});
  for (const DriverBranch& row : tables.driver_branches) {
    const std::string end = row.end_of_life.empty() && row.ended ? "ended"
                            : row.counted                        ? "counted: " + row.end_of_life
                                                                 : row.end_of_life;
    chapter.row({fmt::format("R{}", row.branch), row.kind.empty() ? "unknown" : row.kind, end,
                 text_of(row.latest), row.latest_date, text_of(row.cuda_max)},
                row.source);
  }
  return chapter.finish();
}

/// The machines that an issue concerns; "" for all.
std::string machines_of(const KnownIssue& issue) {
  std::vector<std::string> parts;
  if (!issue.gpus.empty()) parts.push_back(fmt::format("{}", fmt::join(issue.gpus, " or ")));
  if (issue.compute_capability.least || issue.compute_capability.most)
    parts.push_back("compute capability " + issue.compute_capability.text());
  if (issue.gpus_least > 0) parts.push_back(fmt::format("{} GPUs or more", issue.gpus_least));
  if (!issue.processor.empty()) parts.push_back(issue.processor + " processors");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string libraries(const Tables& tables) {
  MarkdownChapter cudnn("cuDNN",
                        "What a release was qualified with, by the CUDA major version of its package.");
  cudnn.header({"cuDNN", "Package for", "Toolkits", "Oldest driver", "Compute capabilities", "Source"});
  for (const CudnnSupport& row : tables.cudnn)
    cudnn.row({row.cudnn.text(), fmt::format("CUDA {}", row.cuda_major), list(row.cuda), row.driver.text(),
               list(row.compute_capabilities)},
              row.source);
  MarkdownChapter nccl("NCCL", "The CUDA major versions that a release can be built for.");
  nccl.header({"NCCL", "CUDA", "Source"});
  for (const NcclSupport& row : tables.nccl)
    nccl.row({row.nccl.text(), row.cuda_major_least == row.cuda_major_most
                                   ? fmt::format("{}", row.cuda_major_least)
                                   : fmt::format("{} to {}", row.cuda_major_least, row.cuda_major_most)},
             row.source);
  MarkdownChapter issues("Known issues", "Versions with a reported defect or slowness.");
  issues.header({"What", "Versions", "Issue", "Said only on", "Fixed in", "Source"});
  for (const KnownIssue& row : tables.known_issues)
    issues.row({row.layer, row.versions.text(), row.issue, machines_of(row), text_of(row.fixed)}, row.source);
  return cudnn.finish() + nccl.finish() + issues.finish();
}

std::string host_compilers(const Tables& tables) {
  MarkdownChapter chapter("Host compilers",
                          "Which compilers nvcc accepts; a newest one of 15 includes 15.2.");
  chapter.header({"Toolkits", "Compiler", "Oldest", "Newest", "Source"});
  for (const HostCompiler& row : tables.host_compilers)
    chapter.row({row.cuda.text(), row.compiler, text_of(row.least), row.most.text()}, row.source);
  return chapter.finish();
}

/// True if two rows differ only in the release.
bool says_the_same(const FrameworkBuild& a, const FrameworkBuild& b) {
  return a.framework == b.framework && a.cuda == b.cuda && a.cudnn == b.cudnn && a.nccl == b.nccl &&
         a.python == b.python && a.compute_capabilities == b.compute_capabilities && a.note == b.note &&
         a.source.text == b.source.text && a.source.read == b.source.read && a.wheels == b.wheels &&
         a.cudnn_is == b.cudnn_is;
}

std::string cudnn_text(const std::optional<Version>& cudnn, CudnnFigure is) {
  const char* const mark = is == CudnnFigure::least ? "+" : is == CudnnFigure::optional ? " (optional)" : "";
  return cudnn ? cudnn->text() + mark : "";
}

std::string frameworks(const Tables& tables) {
  MarkdownChapter chapter(
      "Frameworks",
      "What the official builds were made for. Where wheels of a release differ, each has a line of its own. "
      "A cuDNN with \"+\" is the oldest of its major version that they take. An empty cell is unknown.");
  chapter.header(
      {"Framework", "Release", "CUDA", "cuDNN", "NCCL", "Python", "Compute capabilities", "Note", "Source"});
  for (std::size_t i = 0; i < tables.frameworks.size(); ++i) {
    const FrameworkBuild& row = tables.frameworks[i];
    std::size_t last = i;
    while (last + 1 < tables.frameworks.size() && says_the_same(row, tables.frameworks[last + 1])) ++last;
    const std::string oldest = tables.frameworks[last].version.text();
    const std::string releases = last == i ? oldest : fmt::format("{} to {}", oldest, row.version.text());
    for (const FrameworkWheel& wheel : row.wheels) {
      const bool first = &wheel == &row.wheels.front();
      chapter.row({row.framework, releases, wheel.cuda.text(), cudnn_text(wheel.cudnn, row.cudnn_is),
                   text_of(wheel.nccl), row.python, list(wheel.compute_capabilities), first ? row.note : ""},
                  row.source);
    }
    if (row.wheels.empty())
      chapter.row({row.framework, releases, list(row.cuda), cudnn_text(row.cudnn, row.cudnn_is),
                   text_of(row.nccl), row.python, list(row.compute_capabilities), row.note},
                  row.source);
    i = last;
  }
  return chapter.finish();
}

std::string systems(const Tables& tables) {
  MarkdownChapter distributions("Operating systems", "By ID and VERSION_ID of /etc/os-release.");
  distributions.header({"System", "Toolkits", "Note", "Source"});
  for (const OsSupport& row : tables.systems)
    distributions.row(
        {row.distribution, row.cuda.least || row.cuda.most ? row.cuda.text() : "no limit known", row.note},
        row.source);
  MarkdownChapter kernels(
      "Linux kernels",
      "The kernels that the newest release of a driver branch was packaged for. A newer kernel "
      "may need a newer driver.");
  kernels.header({"Driver", "Kernels", "Source"});
  for (const KernelSupport& row : tables.kernels)
    kernels.row({row.driver.text(), row.kernel.text()}, row.source);
  MarkdownChapter releases("vGPU releases",
                           "The driver branch that a release of the vGPU software is made of.");
  releases.header({"Release", "Driver branch", "Source"});
  for (const VgpuRelease& row : tables.vgpu_releases)
    releases.row({fmt::format("{}", row.release), fmt::format("R{}", row.branch)}, row.source);
  MarkdownChapter vgpu("vGPU", "Guest drivers that load on a host, by release branch of the vGPU software.");
  vgpu.header({"Guest", "Host", "Source"});
  for (const VgpuPairing& row : tables.vgpu) vgpu.row({row.guest.text(), row.host.text()}, row.source);
  return distributions.finish() + kernels.finish() + releases.finish() + vgpu.finish();
}

std::string rules(const Tables& tables) {
  MarkdownChapter chapter("Rules", "What no table can hold.");
  chapter.header({"Subject", "Rule", "Source"});
  for (const StatedRule& row : tables.rules) chapter.row({row.subject, row.rule}, row.source);
  return chapter.finish();
}

}  // namespace

MarkdownChapter::MarkdownChapter(const std::string& title, const std::string& about)
    : text_(fmt::format("\n## {}\n\n{}\n", title, about)) {}

void MarkdownChapter::header(const std::vector<std::string>& cells) {
  text_ += "\n";
  row(cells);
  text_ += "|";
  for (std::size_t i = 0; i < cells.size(); ++i) text_ += "---|";
  text_ += "\n";
}

void MarkdownChapter::row(const std::vector<std::string>& cells) {
  text_ += "|";
  for (const std::string& content : cells) text_ += fmt::format(" {} |", cell(content));
  text_ += "\n";
}

void MarkdownChapter::row(std::vector<std::string> cells, const Source& source) {
  cells.push_back(number_of(source));
  row(cells);
}

void MarkdownChapter::text(const std::string& paragraph) {
  text_ += "\n" + paragraph + "\n";
}

std::string MarkdownChapter::number_of(const Source& source) {
  auto found = std::find(sources_.begin(), sources_.end(), source.text);
  if (found == sources_.end()) found = sources_.insert(sources_.end(), source.text);
  return fmt::format("{}{}", found - sources_.begin() + 1, source.read ? "" : ", unsure");
}

std::string MarkdownChapter::finish() const {
  std::string out = text_;
  if (!sources_.empty()) out += "\nSources:\n\n";
  for (std::size_t i = 0; i < sources_.size(); ++i) out += fmt::format("{}. {}\n", i + 1, cell(sources_[i]));
  return out;
}

std::string compatibility_markdown(const Tables& tables) {
  return std::string(
             "# What fits what\n\n"
             "The tables that `gpugauge doctor` reasons with, generated from harness/stack/compat/data; "
             "change "
             "the data, not\nthis page, then run the stack's unit tests with `GPUGAUGE_WRITE_DOCS=1`. Every "
             "row "
             "names where it was read. A row\nmarked *unsure* was not read in a source and yields a note, "
             "never "
             "a failure.\n") +
         toolkits_and_drivers(tables) + architectures(tables) + boards(tables) + branches(tables) +
         libraries(tables) + host_compilers(tables) + frameworks(tables) + systems(tables) + rules(tables) +
         markdown_of_error_codes(tables) + markdown_of_the_unknown(tables);
}

}  // namespace gpugauge::stack
