// Compares cuDNN and NCCL with the layers below them.
#include <algorithm>

#include <fmt/format.h>

#include "stack/plan/plan_fit.hpp"

namespace gpugauge::stack {
namespace {

using Rows = std::vector<const CudnnSupport*>;

/// Rows of one release, for any patch level.
Rows rows_of(const Tables& tables, const Version& cudnn) {
  Rows rows;
  for (const CudnnSupport& row : tables.cudnn) {
    if (row.cudnn.first(2) == cudnn.first(2)) rows.push_back(&row);
  }
  return rows;
}

bool contains(const std::vector<Version>& versions, const Version& version) {
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

Rows of_major(const Rows& rows, int cuda_major) {
  Rows found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [&](const CudnnSupport* row) { return row->cuda_major == cuda_major; });
  return found;
}

/// The rows for that CUDA; all of them where it is only a major version, or none of them lists it.
Rows with_cuda(const Rows& rows, const Version& cuda) {
  Rows found;
  if (cuda.size() > 1)
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
                 [&](const CudnnSupport* row) { return contains(row->cuda, cuda.first(2)); });
  return found.empty() ? rows : found;
}

/// True if machine code for one of these runs on that GPU: on the same major number, but not on a lower minor one.
bool has_family(const std::vector<Version>& capabilities, const Version& capability) {
  return std::any_of(capabilities.begin(), capabilities.end(), [&](const Version& one) {
    return one.major() == capability.major() && one <= capability;
  });
}

/// The versions of CUDA with which these rows list a GPU of that family.
std::vector<Version> cudas_for(const Rows& rows, const Version& capability) {
  std::vector<Version> cudas;
  for (const CudnnSupport* row : rows)
    if (has_family(row->compute_capabilities, capability))
      cudas.insert(cudas.end(), row->cuda.begin(), row->cuda.end());
  return cudas;
}

/// "12.0 to 12.6": first and last version of a list.
std::string span_text(std::vector<Version> versions) {
  if (versions.empty()) return "none named";
  std::sort(versions.begin(), versions.end());
  if (versions.front() == versions.back()) return versions.front().text();
  return versions.front().text() + " to " + versions.back().text();
}

/// "7.5, 8.0, 9.0": every version, sorted, without duplicates.
std::string sorted_list_text(std::vector<Version> versions) {
  std::sort(versions.begin(), versions.end());
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  std::string text;
  for (const Version& version : versions) text += (text.empty() ? "" : ", ") + version.text();
  return text;
}

std::string unknown_release(const Tables& tables, const Version& cudnn) {
  std::optional<Version> newest;
  for (const CudnnSupport& row : tables.cudnn) {
    if (!newest || row.cudnn > *newest) newest = row.cudnn;
  }
  if (newest && cudnn > *newest)
    return fmt::format("The tables of this build end with cuDNN {}.", newest->text());
  return fmt::format("The tables have no row for cuDNN {}.", cudnn.first(2).text());
}

}  // namespace

PairFit fit_cudnn_cuda(const Tables& tables, const Version& cudnn, const Version& cuda) {
  const Version release = cuda.first(2);
  PairFit pair = fit::pair("cuDNN " + cudnn.text(), "CUDA " + release.text());
  const Rows rows = rows_of(tables, cudnn);
  if (rows.empty()) return fit::unknown(pair, unknown_release(tables, cudnn));
  const Rows own = of_major(rows, cuda.major());
  std::vector<Version> listed;
  for (const CudnnSupport* row : own) {
    if (contains(row->cuda, release)) {
      pair.sources.push_back(row->source.text);
      return fit::works(pair, fmt::format("CUDA {} is in the support matrix of cuDNN {}.", release.text(),
                                          row->cudnn.text()));
    }
    listed.insert(listed.end(), row->cuda.begin(), row->cuda.end());
  }
  if (!own.empty()) {
    pair.sources.push_back(own.front()->source.text);
    return fit::unknown(pair,
                        fmt::format("The support matrix of cuDNN {} lists CUDA {}; {} has the same major "
                                    "version and is not in it.",
                                    own.front()->cudnn.text(), span_text(listed), release.text()));
  }
  const auto newest = *std::max_element(
      rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->cuda_major < b->cuda_major; });
  if (cuda.major() > newest->cuda_major) {
    return fit::judged(pair, Fit::fails, "cudnn",
                       fmt::format("CUDA {} is the newest major version that the support matrix of cuDNN {} "
                                   "knows.",
                                   newest->cuda_major, newest->cudnn.text()),
                       fmt::format("Use a cuDNN built for CUDA {}.", cuda.major()), newest->source);
  }
  pair.sources.push_back(newest->source.text);
  return fit::unknown(pair, fmt::format("The tables have no row for cuDNN {} with CUDA {}.",
                                        cudnn.first(2).text(), cuda.major()));
}

PairFit fit_cudnn_gpu(const Tables& tables, const Version& cudnn, const std::optional<Version>& cuda,
                      const Version& capability) {
  PairFit pair = fit::pair("cuDNN " + cudnn.text(), "compute capability " + capability.text());
  Rows rows = rows_of(tables, cudnn);
  if (rows.empty()) return fit::unknown(pair, unknown_release(tables, cudnn));
  if (cuda) {
    const Rows own = of_major(rows, cuda->major());
    if (own.empty())
      return fit::unknown(pair, fmt::format("The tables have no row for cuDNN {} with CUDA {}.",
                                            cudnn.first(2).text(), cuda->major()));
    rows = with_cuda(own, *cuda);
    const std::vector<Version> others = cudas_for(own, capability);
    if (cudas_for(rows, capability).empty() && !others.empty())
      return fit::judged(pair, Fit::fails, "cuda",
                         fmt::format("The support matrix of cuDNN {} names it only with CUDA {}.",
                                     own.front()->cudnn.text(), span_text(others)),
                         fmt::format("Use CUDA {}.", span_text(others)), own.front()->source);
  }
  std::vector<Version> listed;
  bool same_family = false;
  for (const CudnnSupport* row : rows) {
    if (contains(row->compute_capabilities, capability)) {
      pair.sources.push_back(row->source.text);
      return fit::works(pair, fmt::format("It is in the support matrix of cuDNN {}.", row->cudnn.text()));
    }
    listed.insert(listed.end(), row->compute_capabilities.begin(), row->compute_capabilities.end());
    same_family = same_family || has_family(row->compute_capabilities, capability);
  }
  if (listed.empty()) {
    pair.sources.push_back(rows.front()->source.text);
    return fit::unknown(
        pair, fmt::format("The support matrix of cuDNN {} names no compute capability for this CUDA.",
                          rows.front()->cudnn.text()));
  }
  if (same_family) {
    pair.sources.push_back(rows.front()->source.text);
    return fit::unknown(pair, fmt::format("The support matrix of cuDNN {} names {}; this one is newer and of "
                                          "the same major number, so it may work.",
                                          rows.front()->cudnn.text(), sorted_list_text(listed)));
  }
  if (is_tegra(capability.major() * 10 + capability.minor())) {
    pair.sources.push_back(rows.front()->source.text);
    return fit::unknown(pair,
                        fmt::format("The support matrix of cuDNN {} names {}; it is that of servers and "
                                    "desktops, and that of Jetson boards was not read.",
                                    rows.front()->cudnn.text(), sorted_list_text(listed)));
  }
  return fit::judged(pair, Fit::fails, "cudnn",
                     fmt::format("The support matrix of cuDNN {} names {}.", rows.front()->cudnn.text(),
                                 sorted_list_text(listed)),
                     capability < *std::min_element(listed.begin(), listed.end())
                         ? "Use an older cuDNN, one that still supports this GPU."
                         : "Use a newer cuDNN.",
                     rows.front()->source);
}

PairFit fit_cudnn_driver(const Tables& tables, const Version& cudnn, const Version& cuda,
                         const Version& driver) {
  PairFit pair = fit::pair("cuDNN " + cudnn.text(), "driver " + driver_text(driver));
  Rows rows = of_major(rows_of(tables, cudnn), cuda.major());
  if (rows.empty())
    return fit::unknown(pair, rows_of(tables, cudnn).empty()
                                  ? unknown_release(tables, cudnn)
                                  : fmt::format("The tables have no row for cuDNN {} with CUDA {}.",
                                                cudnn.first(2).text(), cuda.major()));
  // Uses the lowest bound: a row for newer GPUs needs more than the package itself.
  const CudnnSupport* row = *std::min_element(
      rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->driver < b->driver; });
  if (!driver_at_least(driver, row->driver)) {
    pair.driver_needed = row->driver;
    return fit::judged(pair, Fit::fails, "driver",
                       fmt::format("cuDNN {} for CUDA {} needs driver {} or newer.", row->cudnn.text(),
                                   row->cuda_major, driver_text(row->driver)),
                       fmt::format("Install driver {} or newer.", driver_text(row->driver)), row->source);
  }
  pair.sources.push_back(row->source.text);
  return fit::works(pair, fmt::format("cuDNN {} for CUDA {} needs driver {} or newer.", row->cudnn.text(),
                                      row->cuda_major, driver_text(row->driver)));
}

PairFit fit_nccl_cuda(const Tables& tables, const Version& nccl, int cuda_major) {
  PairFit pair = fit::pair("NCCL " + nccl.text(), fmt::format("CUDA {}", cuda_major));
  for (const NcclSupport& row : tables.nccl) {
    if (!row.nccl.contains(nccl)) continue;
    const std::string span = row.cuda_major_least == row.cuda_major_most
                                 ? std::to_string(row.cuda_major_least)
                                 : fmt::format("{} to {}", row.cuda_major_least, row.cuda_major_most);
    const std::string reason = fmt::format("The tables list NCCL {} with CUDA {}.", row.nccl.text(), span);
    if (cuda_major < row.cuda_major_least || cuda_major > row.cuda_major_most) {
      const bool newer = cuda_major > row.cuda_major_most;
      return fit::judged(pair, Fit::fails, "nccl", reason,
                         newer ? fmt::format("Use a newer NCCL, built for CUDA {}.", cuda_major)
                               : fmt::format("Use an older NCCL, built for CUDA {}.", cuda_major),
                         row.source);
    }
    pair.sources.push_back(row.source.text);
    return fit::works(pair, reason);
  }
  return fit::unknown(pair, fmt::format("The tables have no row for NCCL {}.", nccl.text()));
}

}  // namespace gpugauge::stack
