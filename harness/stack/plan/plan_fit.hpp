// Whether one layer fits another. Each question is one pure function over the tables, shared by rules and
// plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/plan/plan_gpu_models.hpp"

namespace gpugauge::stack {

/// works: the vendor states it. limited: it runs, except for what the reason names. unknown: no row of the
/// tables tells, or only one that nobody read in a source. fails: it does not run, or the vendor calls it
/// unsupported. The last of these values among its pairs decides a plan.
enum class Fit { works, limited, unknown, fails };
const char* to_string(Fit fit);  ///< "works", "works with limits", "unknown", "does not work"

/// Whether two layers fit each other, and the basis for it.
struct PairFit {
  std::string first;       ///< "driver 535.104.05"
  std::string second;      ///< "CUDA 12.8"
  Fit fit = Fit::unknown;  ///< of these two alone
  std::string reason;      ///< one or two sentences
  std::string limit;       ///< layer that would have to change: "driver", "cuda", "gpu", ...; "" if it works
  std::string remedy;      ///< what would make it fit, one sentence; "" if it works
  std::vector<std::string> sources;           ///< as cited in the rows; empty if no row told
  std::optional<Version> driver_needed = {};  ///< set if the remedy is a driver of at least this version

  bool operator==(const PairFit&) const = default;  ///< member by member
};

/// A driver version in NVIDIA's form, two digits per part: "525.60.13", "580.65.06".
std::string driver_text(const Version& driver);

/// Compares driver versions. A driver given only as its branch ("570") counts as that branch's newest
/// release.
bool driver_at_least(const Version& driver, const Version& needed);

/// Programs of that CUDA on that driver, without forward compatibility. `cuda` is major.minor or longer.
PairFit fit_driver_cuda(const Tables& tables, const Version& driver, const Version& cuda);
/// Whether that driver supports that board. The architecture alone only excludes drivers: one older than the
/// board does not support it. A model known only by its compute capability may be any board of it.
PairFit fit_driver_gpu(const Tables& tables, const Version& driver, const GpuModel& gpu);
/// "open" or "proprietary" if that board runs only on this kind of NVIDIA's kernel modules. "" if it runs on
/// both, or its driver does not come in packages (Jetson).
std::string module_kind_of(const GpuModel& gpu);
/// `kind` is the machine's kind of modules. Call only for a board whose module_kind_of() is not "".
PairFit fit_module_kind(const Tables& tables, const std::string& kind, const GpuModel& gpu);
/// A toolkit's compiler and libraries for a GPU. Also `works` if it can only build machine code for an older
/// GPU that runs here; see related_code().
PairFit fit_cuda_gpu(const Tables& tables, const Version& cuda, const Version& capability);
/// The newest compute capability for which that CUDA generates code that runs unchanged on this GPU: 8.6 for
/// 8.9 and CUDA 11.1. nullopt if it generates code for the GPU itself, or none that runs.
std::optional<Version> related_code(const Tables& tables, const Version& cuda, const Version& capability);
/// nvcc's host compiler: neither too new nor too old. `compiler` is "gcc" or "clang".
PairFit fit_compiler_cuda(const Tables& tables, const std::string& compiler, const Version& version,
                          const Version& cuda);

/// A guest's driver on a host's vGPU manager. `host` is a driver (580.65.05, 580), or below 100 a release of
/// the vGPU software (19).
PairFit fit_vgpu(const Tables& tables, const Version& guest_driver, const Version& host);
/// The C library version that CUDA 13 and wheels marked manylinux_2_28 need: 2.28.
const Version& current_libc();
const char* libc_source();  ///< source of that figure
/// `libc` as in host.libc ("glibc 2.36"). nullopt if it is no glibc, or that CUDA needs no newer one.
std::optional<PairFit> fit_libc_cuda(const std::string& libc, const Version& cuda);

/// Whether the support matrix of that cuDNN lists that CUDA.
PairFit fit_cudnn_cuda(const Tables& tables, const Version& cudnn, const Version& cuda);
/// `cuda` restricts the rows to that CUDA, a major version alone ("12") to its package; without it, any package of
/// that release counts.
PairFit fit_cudnn_gpu(const Tables& tables, const Version& cudnn, const std::optional<Version>& cuda,
                      const Version& capability);
/// Compares with the oldest driver in the matrix for cuDNN's package for that CUDA's major version.
PairFit fit_cudnn_driver(const Tables& tables, const Version& cudnn, const Version& cuda,
                         const Version& driver);
/// By major version only.
PairFit fit_nccl_cuda(const Tables& tables, const Version& nccl, int cuda_major);

/// A framework's official wheels. `name` is from the tables: "torch", "tensorflow", "jax", "onnxruntime".
PairFit fit_framework_cuda(const Tables& tables, const std::string& name, const Version& version,
                           const Version& cuda);
/// Uses the wheel for the CUDA version `wheel`, if the release has one. Otherwise uses the wheel that fits
/// this driver best, and among equals that of the newest CUDA.
PairFit fit_framework_driver(const Tables& tables, const std::string& name, const Version& version,
                             const Version& driver, const std::optional<Version>& wheel = std::nullopt);
/// `cuda` is the wheel's, if known: wheels of one release differ.
PairFit fit_framework_cudnn(const Tables& tables, const std::string& name, const Version& version,
                            const std::optional<Version>& cuda, const Version& cudnn);
/// By the code in the wheels; see fit_framework_cudnn for `cuda`.
PairFit fit_framework_gpu(const Tables& tables, const std::string& name, const Version& version,
                          const std::optional<Version>& cuda, const Version& capability);
/// The Python versions that its official wheels support.
PairFit fit_framework_python(const Tables& tables, const std::string& name, const Version& version,
                             const Version& python);

/// True if the framework's wheels contain CUDA's libraries or require them as wheels. A toolkit beside them
/// then does not matter.
bool carries_cuda(const std::string& framework);

/// "torch" -> "PyTorch"; the name itself if there is no title.
std::string framework_title(const std::string& name);

/// True if the version is in a list of ranges from the framework tables: "3.10-3.13", "2.7, 3.5-3.7", "3.9+".
/// nullopt if the text is no such list.
std::optional<bool> within_ranges(const std::string& ranges, const Version& version);

namespace fit {  // how the functions above make their answers

PairFit pair(std::string first, std::string second);  ///< Fit::unknown for these two
/// "Hopper (compute capability 9.0)"; without a row only the capability.
std::string architecture_text(const Architecture* row, const Version& capability);
PairFit& works(PairFit& pair, std::string reason);    ///< sets fit and reason; the caller adds the sources
PairFit& unknown(PairFit& pair, std::string reason);  ///< as works()
/// Sets limited or fails according to that row; unknown if nobody read the row in a source.
PairFit& judged(PairFit& pair, Fit fit, std::string limit, std::string reason, std::string remedy,
                const Source& source);

}  // namespace fit
}  // namespace gpugauge::stack
