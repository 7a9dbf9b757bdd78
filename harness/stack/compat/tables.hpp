// The compatibility tables: what fits what. Each row names the source where it was read. The data is
// harness/stack/compat/data/*.json, compiled into the command; docs/compatibility.md is generated from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/compat/version.hpp"

namespace gpugauge::stack {

/// The source of a row. A row that nobody verified in a source yields a note, never a failure.
struct Source {
  std::string text;   ///< address, document or repository, as cited
  bool read = false;  ///< somebody verified the row there
};

/// Versions from `least` to `most`, both included. A missing bound is open. `most` covers its sub-versions:
/// most 12 includes 12.9.
struct VersionRange {
  std::optional<Version> least;                 ///< absent: no lower bound
  std::optional<Version> most;                  ///< absent: no upper bound
  bool contains(const Version& version) const;  ///< both bounds are included
  std::string text() const;                     ///< "11.8 to 12", "from 12.8", "up to 9.10.2", "any"
};

/// The driver that a toolkit release was built with. It supports everything, including PTX.
struct ToolkitDriver {
  Version cuda;           ///< 13.0
  int update = 0;         ///< 13.0 Update 2 -> 2
  std::string release;    ///< "13.0 Update 2"
  Version native_driver;  ///< Linux
  Source source;          ///< of this row
};

/// The oldest driver that runs programs of a CUDA major version at all (minor-version compatibility).
struct MinimumDriver {
  int cuda_major = 0;  ///< 13 for 13.0, 13.1, ...
  Version driver;      ///< on Linux; a branch alone (580) where the source names no patch level
  Source source;       ///< of this row
};

/// One compute capability: the toolkits that generate code for it and the drivers that support it.
struct Architecture {
  std::string name;                       ///< "Hopper"
  Version compute_capability;             ///< 9.0
  Version first_cuda;                     ///< first toolkit that generates code for it
  std::optional<Version> last_cuda;       ///< last such toolkit; absent: still supported
  std::optional<int> last_driver_branch;  ///< 580: later branches do not support it; absent: all do
  std::optional<Version> first_driver;    ///< oldest driver (or branch) that supports it, if a source says so
  Source source;                          ///< of this row
};

/// Boards named in a driver's own list of GPUs or in a release note. An architecture cannot tell this, as its
/// boards appear one after the other.
struct GpuListing {
  std::vector<std::string> models;  ///< "H100 NVL": without memory and form factor if those do not matter
  Version compute_capability;       ///< of all these models
  /// The first release of each branch that names them, oldest first. Branches after the last one listed name
  /// them from the start. A branch in between without an entry here does not name them.
  std::vector<Version> listed;
  std::optional<Version>
      required;   ///< oldest driver according to NVIDIA; absent: older ones merely do not list the models
  Source source;  ///< of this row
};

/// One release of cuDNN as a package for one CUDA major version, from NVIDIA's support matrix.
struct CudnnSupport {
  Version cudnn;                              ///< 9.17.0
  int cuda_major = 0;                         ///< of the package: 12 for cu12, 13 for cu13
  std::vector<Version> cuda;                  ///< toolkits it was qualified with
  Version driver;                             ///< oldest supported driver
  std::vector<Version> compute_capabilities;  ///< of the supported GPUs
  Source source;                              ///< of this row
};

/// The CUDA major versions for which releases of NCCL can be built.
struct NcclSupport {
  VersionRange nccl;         ///< releases of this row
  int cuda_major_least = 0;  ///< oldest, included
  int cuda_major_most = 0;   ///< newest, included
  Source source;             ///< of this row
};

/// A version with a known defect or slowness. The last four members restrict the machines; an unset member
/// restricts nothing.
struct KnownIssue {
  std::string layer;             ///< "nccl", "driver", "cudnn", "cublas", or a framework: what a rule reads
  VersionRange versions;         ///< affected versions
  std::string issue;             ///< one sentence
  std::optional<Version> fixed;  ///< first version without it, outside of `versions`; absent: none known
  Source source;                 ///< of this row
  std::vector<std::string> gpus = {};    ///< any of these models: "A100", "H100 NVL"
  VersionRange compute_capability = {};  ///< of at least one GPU
  std::string processor = {};            ///< maker, as the start of the processor's model name: "AMD"
  int gpus_least = 0;                    ///< the node has at least this many GPUs
};

/// One branch of the Linux driver, and how long NVIDIA supports it.
struct DriverBranch {
  int branch = 0;                   ///< 580
  std::string kind;                 ///< "long-term support", "production", "new feature", "legacy"
  std::string end_of_life;          ///< "2028-08-04" or "2028-08"; "" unknown
  bool ended = false;               ///< NVIDIA declares it ended, whatever the date says
  std::optional<Version> latest;    ///< newest patch level known to the table
  std::string latest_date;          ///< day of `latest`, "2026-08-03"; "" unknown
  std::optional<Version> cuda_max;  ///< newest CUDA it supports natively
  Source source;                    ///< of this row
  /// NVIDIA states no date; `end_of_life` counts a year from the release, as another source does.
  bool counted = false;
};

/// The host compilers that nvcc accepts in a range of toolkits.
struct HostCompiler {
  std::string compiler;               ///< "gcc", "clang"
  VersionRange cuda;                  ///< toolkits with this limit
  Version most;                       ///< newest compiler allowed
  Source source;                      ///< of this row
  std::optional<Version> least = {};  ///< oldest compiler allowed, where a source says so
};

/// What a framework's wheel for one CUDA version was built with or requires.
struct FrameworkWheel {
  Version cuda;                               ///< the wheel's CUDA version: 12.8; also covers its updates
  std::optional<Version> cudnn;               ///< absent: unknown
  std::optional<Version> nccl;                ///< absent: unknown
  std::vector<Version> compute_capabilities;  ///< capabilities with machine code in the wheel; empty: unknown

  bool operator==(const FrameworkWheel&) const = default;  ///< member by member
};

/// The meaning of cuDNN in a framework's row: the version it was built with, the oldest accepted version of
/// that major version, or one it was built with but does not need.
enum class CudnnFigure { built, least, optional };

/// One release of a framework and what its official wheels were built with.
struct FrameworkBuild {
  std::string framework;      ///< "torch", "tensorflow", "jax", "onnxruntime", "tensorrt", ...
  Version version;            ///< release; also covers its patches if the source says only major.minor
  std::vector<Version> cuda;  ///< CUDA versions of its wheels; 12 for any 12.x; empty: unknown
  /// The cuDNN it was built with; if wheels differ, absent or the oldest (see wheels, cudnn_is). Absent:
  /// unknown.
  std::optional<Version> cudnn;
  std::optional<Version> nccl;                ///< as cudnn
  std::string python;                         ///< "3.10-3.13", "3.11+", "" unknown
  std::vector<Version> compute_capabilities;  ///< of all wheels together, if a source says so
  std::string note;                           ///< a sentence for docs/compatibility.md; "" if there is none
  Source source;                              ///< of this row
  std::vector<FrameworkWheel> wheels = {};    ///< set if its wheels differ and a source tells them apart
  CudnnFigure cudnn_is = CudnnFigure::built;  ///< also applies to its wheels

  /// The wheel for this CUDA version (12.8 or 12.8.1); nullptr if the table does not distinguish wheels.
  const FrameworkWheel* wheel(const Version& cuda_version) const;
};

/// Support of an operating system by toolkits.
struct OsSupport {
  std::string distribution;  ///< "debian 12", "ubuntu 20.04": os-release ID and VERSION_ID
  VersionRange cuda;         ///< toolkits that support it; an open bound is unknown
  std::string note;          ///< a sentence on the limit; "" if there is none
  Source source;             ///< of this row
};

/// A driver release and the Linux kernels that its module was packaged for.
struct KernelSupport {
  Version driver;       ///< newest release of its branch in the source
  VersionRange kernel;  ///< 6.18 covers 6.18.3
  Source source;        ///< of this row
};

/// A release of the vGPU software and its driver branch, the same in guest and host.
struct VgpuRelease {
  int release = 0;  ///< 19
  int branch = 0;   ///< 580
  Source source;    ///< of this row
};

/// A supported pair of vGPU software releases in guest and host.
struct VgpuPairing {
  VersionRange guest;  ///< vGPU software release of the guest: 16.x
  VersionRange host;   ///< vGPU software releases of a host that accepts this guest
  Source source;       ///< of this row
};

/// One error code and its meaning on a machine.
struct ErrorCode {
  std::string api;                  ///< "runtime", "driver", "nvml"
  int code = 0;                     ///< cudaError_t, CUresult or nvmlReturn_t as a number
  std::string name;                 ///< "cudaErrorInsufficientDriver"
  std::string meaning;              ///< our own wording, a sentence; "" if only the name is known
  std::vector<std::string> causes;  ///< usual causes, most frequent first
  std::vector<std::string> next;    ///< commands or steps
  Source source;                    ///< of this row
};

/// A rule in words (forward compatibility, containers) that documentation and findings quote.
struct StatedRule {
  /// "driver", "forward compatibility", "NCCL ranks"; several rows may share one.
  std::string subject;
  std::string rule;  ///< one or two sentences
  Source source;     ///< of this row
};

/// All tables with look-ups. Rows are in the order of their data file.
struct Tables {
  std::vector<ToolkitDriver> toolkit_drivers;  ///< toolkit_drivers.json
  std::vector<MinimumDriver> minimum_drivers;  ///< minimum_drivers.json
  std::vector<Architecture> architectures;     ///< architectures.json
  std::vector<GpuListing> gpu_listings;        ///< gpu_listings.json
  std::vector<CudnnSupport> cudnn;             ///< cudnn.json
  std::vector<NcclSupport> nccl;               ///< nccl.json
  std::vector<KnownIssue> known_issues;        ///< known_issues.json
  std::vector<DriverBranch> driver_branches;   ///< driver_branches.json
  std::vector<HostCompiler> host_compilers;    ///< host_compilers.json
  std::vector<FrameworkBuild> frameworks;      ///< frameworks.json
  std::vector<OsSupport> systems;              ///< systems.json
  std::vector<KernelSupport> kernels;          ///< kernels.json
  std::vector<VgpuRelease> vgpu_releases;      ///< vgpu_releases.json
  std::vector<VgpuPairing> vgpu;               ///< vgpu.json
  /// error_names.json, completed by error_codes.json and result/cuda_error.
  std::vector<ErrorCode> error_codes;
  std::vector<StatedRule> rules;  ///< stated_rules.json

  /// The first rule on that subject; nullptr if there is none.
  const StatedRule* rule(const std::string& subject) const;

  // Each of these is nullptr where the table does not know the version.

  /// The row of a toolkit release: 13.0.2 is Update 2. For 13.0, or a third part that is no update, the row
  /// of that release with the lowest native driver.
  const ToolkitDriver* native_driver(const Version& cuda) const;
  const MinimumDriver* minimum_driver(int cuda_major) const;  ///< by CUDA major version only
  /// By this exact compute capability.
  const Architecture* architecture(const Version& compute_capability) const;
  /// By the driver's first part: 580.65.06 finds 580.
  const DriverBranch* branch(const Version& driver) const;
  /// The row of exactly this release. Otherwise the newest of the same major.minor that is not newer, and
  /// otherwise the oldest of the same major.minor.
  const FrameworkBuild* framework(const std::string& name, const Version& version) const;
  /// `compiler` is "gcc" or "clang". Returns the first row whose toolkits include `cuda`.
  const HostCompiler* host_compiler(const std::string& compiler, const Version& cuda) const;
  /// By ID and VERSION_ID of os-release. "rhel 9.4" finds the row "rhel 9"; "ubuntu 22.04" finds only itself.
  const OsSupport* system(const std::string& distribution_id) const;
  /// The row of the driver's branch.
  const KernelSupport* kernel_support(const Version& driver) const;
  /// The vGPU release of a driver's branch.
  const VgpuRelease* vgpu_release(const Version& driver) const;
  /// The row that allows this guest on this host.
  const VgpuPairing* vgpu_pairing(const Version& guest, const Version& host) const;
  const ErrorCode* error(const std::string& api, int code) const;  ///< `api` is "runtime", "driver" or "nvml"
  Version newest_known_cuda() const;  ///< newest toolkit in the table; it knows nothing newer
};

/// The tables of this build, read once. Throws std::logic_error if the embedded data is damaged; a test rules
/// that out.
const Tables& tables();

/// One data file, as text.
struct DataFile {
  std::string name;  ///< file name in its folder, for error sentences
  std::string text;  ///< the whole file
};
/// Reads data files. Throws result::FormatError, naming file and place, for an unknown table or key, a
/// repeated table, a row without source, an invalid version, or a reversed range. A table without a file
/// stays empty.
Tables read_tables(const std::vector<DataFile>& files);

}  // namespace gpugauge::stack
