// Does one layer fit another? Each question is one pure function over the tables; the rules and the plan ask
// the same ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/plan/plan_gpu_models.hpp"

namespace gpugauge::stack {

/// works: as the vendor states it. limited: it runs, and what the reason names does not. unknown: no row of
/// the tables tells, or only one that nobody read in a source. fails: it does not run, or the vendor says
/// that it is unsupported. In this order, the later one decides a plan.
enum class Fit { works, limited, unknown, fails };
const char* to_string(Fit fit);  ///< "works", "works with limits", "unknown", "does not work"

/// Whether two layers fit each other, and what that rests on.
struct PairFit {
  std::string first;       ///< "driver 535.104.05"
  std::string second;      ///< "CUDA 12.8"
  Fit fit = Fit::unknown;  ///< of these two alone
  std::string reason;      ///< one or two sentences
  std::string limit;   ///< layer that would have to change: "driver", "cuda", "gpu", ...; "" where it works
  std::string remedy;  ///< what would make it fit, one sentence; "" where it works
  std::vector<std::string> sources;           ///< as the rows cite them; empty where no row told
  std::optional<Version> driver_needed = {};  ///< where the remedy is a driver of at least this version

  bool operator==(const PairFit&) const = default;  ///< member by member
};

/// As NVIDIA writes driver versions, two digits a part: "525.60.13", "580.65.06".
std::string driver_text(const Version& driver);

/// A driver given as its branch alone ("570") counts as that branch's newest release.
bool driver_at_least(const Version& driver, const Version& needed);

/// `cuda` is major.minor, or longer. Programs of that CUDA on that driver, forward compatibility left out.
PairFit fit_driver_cuda(const Tables& tables, const Version& driver, const Version& cuda);
/// Whether that driver drives that board. Its architecture alone says no more than which drivers cannot: a
/// board that came later is in no older driver. A model of which only the compute capability is known may be
/// any board of it.
PairFit fit_driver_gpu(const Tables& tables, const Version& driver, const GpuModel& gpu);
/// "open" or "proprietary" where that board runs on this kind of NVIDIA's kernel modules only; "" where it
/// runs on both, or its driver is no matter of packages (Jetson).
std::string module_kind_of(const GpuModel& gpu);
/// `kind` of modules that a machine has, against a board of which module_kind_of() is not "".
PairFit fit_module_kind(const Tables& tables, const std::string& kind, const GpuModel& gpu);
/// A toolkit's compiler and libraries for a GPU. Works also where it only builds what runs there as machine
/// code of an older GPU: related_code() tells.
PairFit fit_cuda_gpu(const Tables& tables, const Version& cuda, const Version& capability);
/// The newest compute capability for which that CUDA generates code that runs on this GPU as it is, where it
/// generates none for the GPU itself: 8.6 for 8.9 and CUDA 11.1. nullopt where it does, and where none runs.
std::optional<Version> related_code(const Tables& tables, const Version& cuda, const Version& capability);
/// nvcc's host compiler, neither too new nor too old; `compiler` is "gcc" or "clang".
PairFit fit_compiler_cuda(const Tables& tables, const std::string& compiler, const Version& version,
                          const Version& cuda);

/// A guest's driver on a host's vGPU manager. `host` is a driver (580.65.05, 580) or, below 100, a release of
/// the vGPU software (19).
PairFit fit_vgpu(const Tables& tables, const Version& guest_driver, const Version& host);
/// The C library that CUDA 13, and wheels marked manylinux_2_28, need: 2.28.
const Version& current_libc();
const char* libc_source();  ///< where that was read
/// `libc` as host.libc has it ("glibc 2.36"). nullopt where it is no glibc, or the CUDA asks for no newer
/// one.
std::optional<PairFit> fit_libc_cuda(const std::string& libc, const Version& cuda);

/// Whether that CUDA is in the support matrix of that cuDNN.
PairFit fit_cudnn_cuda(const Tables& tables, const Version& cudnn, const Version& cuda);
/// `cuda` narrows the rows to that CUDA's; without it any package of that release counts.
PairFit fit_cudnn_gpu(const Tables& tables, const Version& cudnn, const std::optional<Version>& cuda,
                      const Version& capability);
/// The oldest driver that the matrix names for cuDNN's package for that CUDA's major version.
PairFit fit_cudnn_driver(const Tables& tables, const Version& cudnn, const Version& cuda,
                         const Version& driver);
/// By the major version alone.
PairFit fit_nccl_cuda(const Tables& tables, const Version& nccl, int cuda_major);

/// A framework's official wheels. `name` is one of the tables': "torch", "tensorflow", "jax", "onnxruntime".
PairFit fit_framework_cuda(const Tables& tables, const std::string& name, const Version& version,
                           const Version& cuda);
/// By the wheel for `wheel`, where the release has it; else by the one that fits this driver best, of equal
/// ones that of the newest CUDA.
PairFit fit_framework_driver(const Tables& tables, const std::string& name, const Version& version,
                             const Version& driver, const std::optional<Version>& wheel = std::nullopt);
/// `cuda` is that of the wheel, where it is known: wheels of one release differ.
PairFit fit_framework_cudnn(const Tables& tables, const std::string& name, const Version& version,
                            const std::optional<Version>& cuda, const Version& cudnn);
/// By the code that the wheels hold; see fit_framework_cudnn for `cuda`.
PairFit fit_framework_gpu(const Tables& tables, const std::string& name, const Version& version,
                          const std::optional<Version>& cuda, const Version& capability);
/// The Python versions that its official wheels are for.
PairFit fit_framework_python(const Tables& tables, const std::string& name, const Version& version,
                             const Version& python);

/// True where the framework's wheels carry CUDA's libraries themselves or as wheels that they require, so
/// that a toolkit beside them does not matter.
bool carries_cuda(const std::string& framework);

/// "torch" -> "PyTorch"; the name itself where there is no other.
std::string framework_title(const std::string& name);

/// Within a list of ranges as framework tables write them: "3.10-3.13", "2.7, 3.5-3.7", "3.9+". nullopt where
/// the text is no such list.
std::optional<bool> within_ranges(const std::string& ranges, const Version& version);

namespace fit {  // how the functions above make their answers

PairFit pair(std::string first, std::string second);  ///< Fit::unknown, of these two
/// "Hopper (compute capability 9.0)"; without a row the capability alone.
std::string architecture_text(const Architecture* row, const Version& capability);
PairFit& works(PairFit& pair, std::string reason);    ///< its fit and reason; the caller adds the sources
PairFit& unknown(PairFit& pair, std::string reason);  ///< likewise
/// limited or fails by that row; unknown where nobody read it.
PairFit& judged(PairFit& pair, Fit fit, std::string limit, std::string reason, std::string remedy,
                const Source& source);

}  // namespace fit
}  // namespace gpugauge::stack
