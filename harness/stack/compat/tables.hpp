// The compatibility tables: what fits what, each row with the source it was read in. The data is
// harness/stack/compat/data/*.json, compiled into the command; docs/compatibility.md is generated from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/compat/version.hpp"

namespace gpugauge::stack {

/// Where a row was read. A row that nobody read in a source yields a note, never a failure.
struct Source {
  std::string text;   ///< where it stands: address, document or repository, as it is cited
  bool read = false;  ///< somebody did read it there
};

/// Versions from `least` to `most`, both included; a bound that is missing is open. `most` covers what begins
/// with it: most 12 includes 12.9.
struct VersionRange {
  std::optional<Version> least;                 ///< absent: any older version lies within
  std::optional<Version> most;                  ///< absent: any newer version lies within
  bool contains(const Version& version) const;  ///< both bounds count as within
  std::string text() const;                     ///< "11.8 to 12", "from 12.8", "up to 9.10.2", "any"
};

/// The driver that a toolkit release was built with: full function, PTX included.
struct ToolkitDriver {
  Version cuda;           ///< 13.0
  int update = 0;         ///< 13.0 Update 2 -> 2
  std::string release;    ///< "13.0 Update 2"
  Version native_driver;  ///< Linux
  Source source;          ///< of this row
};

/// The oldest driver on which programs of a CUDA major version run at all (minor-version compatibility).
struct MinimumDriver {
  int cuda_major = 0;  ///< 13 for 13.0, 13.1, ...
  Version driver;      ///< on Linux; a branch alone (580) where the source names no patch level
  Source source;       ///< of this row
};

/// One compute capability: which toolkits generate code for it and which drivers drive it.
struct Architecture {
  std::string name;                       ///< "Hopper"
  Version compute_capability;             ///< 9.0
  Version first_cuda;                     ///< first toolkit that generates code for it
  std::optional<Version> last_cuda;       ///< last one; none: still supported
  std::optional<int> last_driver_branch;  ///< 580: later branches do not drive it; none: still driven
  std::optional<Version> first_driver;  ///< oldest driver (or branch) that drives it, where a source says so
  Source source;                        ///< of this row
};

/// Boards that a driver's own list of GPUs, or a release note, names: what an architecture does not tell, as
/// its boards come one after the other.
struct GpuListing {
  std::vector<std::string> models;  ///< "H100 NVL": without memory and form factor where those do not matter
  Version compute_capability;       ///< of all of them
  /// The first release of each branch that names them, oldest first. Later branches than the last one's name
  /// them from the start; a branch between two that has none here does not.
  std::vector<Version> listed;
  std::optional<Version>
      required;   ///< oldest driver by NVIDIA's word; none: older ones are merely not listed
  Source source;  ///< of this row
};

/// One release of cuDNN as the package for one CUDA major version, by NVIDIA's support matrix.
struct CudnnSupport {
  Version cudnn;                              ///< 9.17.0
  int cuda_major = 0;                         ///< of the package: cu12, cu13
  std::vector<Version> cuda;                  ///< toolkits it was qualified with
  Version driver;                             ///< oldest
  std::vector<Version> compute_capabilities;  ///< of the GPUs that it supports
  Source source;                              ///< of this row
};

/// The CUDA major versions that releases of NCCL can be built for.
struct NcclSupport {
  VersionRange nccl;         ///< releases of this row
  int cuda_major_least = 0;  ///< oldest one, included
  int cuda_major_most = 0;   ///< newest one, included
  Source source;             ///< of this row
};

/// A version with a known defect or known slowness. The last four say on which machines it was met; what is
/// left open holds for all.
struct KnownIssue {
  std::string layer;             ///< "nccl", "driver", "cudnn", "cublas", "ucx", ...
  VersionRange versions;         ///< those that have it
  std::string issue;             ///< one sentence
  std::optional<Version> fixed;  ///< first version without it, outside of `versions`; absent: none is known
  Source source;                 ///< of this row
  std::vector<std::string> gpus = {};    ///< models, any of them: "A100", "H100 NVL"
  VersionRange compute_capability = {};  ///< of any GPU
  std::string processor = {};            ///< maker, as its model's name begins: "AMD"
  int gpus_least = 0;                    ///< a node has at least so many
};

/// One branch of the Linux driver and how long NVIDIA keeps it.
struct DriverBranch {
  int branch = 0;                   ///< 580
  std::string kind;                 ///< "long-term support", "production", "new feature", "legacy"
  std::string end_of_life;          ///< "2028-08-04" or "2028-08"; "" unknown
  bool ended = false;               ///< NVIDIA states it as ended, whatever the date says
  std::optional<Version> latest;    ///< newest patch level known to the table
  std::string latest_date;          ///< day of `latest`, "2026-08-03"; "" unknown
  std::optional<Version> cuda_max;  ///< newest CUDA it supports natively
  Source source;                    ///< of this row
  /// NVIDIA states no date: `end_of_life` is another's count of a year from the release.
  bool counted = false;
};

/// Which host compilers nvcc of some toolkits accepts.
struct HostCompiler {
  std::string compiler;               ///< "gcc", "clang"
  VersionRange cuda;                  ///< toolkits this limit holds for
  Version most;                       ///< newest compiler allowed
  Source source;                      ///< of this row
  std::optional<Version> least = {};  ///< oldest compiler allowed, where a source says so
};

/// What the wheel of a framework's release for one CUDA version was built with or requires.
struct FrameworkWheel {
  Version cuda;                               ///< which wheel it is: 12.8; covers its updates
  std::optional<Version> cudnn;               ///< absent: unknown
  std::optional<Version> nccl;                ///< absent: unknown
  std::vector<Version> compute_capabilities;  ///< with machine code in it; empty: unknown

  bool operator==(const FrameworkWheel&) const = default;  ///< member by member
};

/// What the cuDNN of a framework's row is: the one that it was built with, the oldest of its major version
/// that it takes, or one that it was built with and runs without.
enum class CudnnFigure { built, least, optional };

/// One release of a framework and what its official wheels were built with.
struct FrameworkBuild {
  std::string framework;      ///< "torch", "tensorflow", "jax", "onnxruntime", "tensorrt", ...
  Version version;            ///< release; covers its patches where the source says only major.minor
  std::vector<Version> cuda;  ///< CUDA versions of its wheels, 12 for any 12.x; empty: unknown
  /// Built with; where wheels differ, none or the oldest of theirs; see wheels and cudnn_is. None: unknown.
  std::optional<Version> cudnn;
  std::optional<Version> nccl;                ///< likewise
  std::string python;                         ///< "3.10-3.13", "3.11+", "" unknown
  std::vector<Version> compute_capabilities;  ///< of all the wheels together, where a source says so
  std::string note;  ///< a sentence for the table in docs/compatibility.md; "" where there is none
  Source source;     ///< of this row
  std::vector<FrameworkWheel> wheels = {};    ///< where its wheels differ and a source tells them apart
  CudnnFigure cudnn_is = CudnnFigure::built;  ///< of its wheels', too

  /// The wheel for this CUDA version (12.8 or 12.8.1), nullptr where the table does not tell wheels apart.
  const FrameworkWheel* wheel(const Version& cuda_version) const;
};

/// An operating system against drivers or toolkits.
struct OsSupport {
  std::string distribution;  ///< "debian 12", "ubuntu 20.04": os-release ID and VERSION_ID
  VersionRange cuda;         ///< toolkits that support it; an open bound is an unknown limit
  std::string note;          ///< a sentence on the limit; "" where there is none
  Source source;             ///< of this row
};

/// A driver's release and the Linux kernels that its module was packaged for.
struct KernelSupport {
  Version driver;       ///< newest release of its branch that the source packages
  VersionRange kernel;  ///< 6.18 covers 6.18.3
  Source source;        ///< of this row
};

/// A release of the vGPU software and the driver branch that it is made of, in guest and host alike.
struct VgpuRelease {
  int release = 0;  ///< 19
  int branch = 0;   ///< 580
  Source source;    ///< of this row
};

/// vGPU: a guest driver's release against the host's.
struct VgpuPairing {
  VersionRange guest;  ///< vGPU software release of the guest: 16.x
  VersionRange host;   ///< vGPU software releases of the host on which it loads
  Source source;       ///< of this row
};

/// One error code and what it means on a machine.
struct ErrorCode {
  std::string api;                  ///< "runtime", "driver", "nvml"
  int code = 0;                     ///< cudaError_t, CUresult or nvmlReturn_t as a number
  std::string name;                 ///< "cudaErrorInsufficientDriver"
  std::string meaning;              ///< our words, a sentence; "" where only the name is known
  std::vector<std::string> causes;  ///< usual ones, most frequent first
  std::vector<std::string> next;    ///< commands or steps
  Source source;                    ///< of this row
};

/// A rule in words (forward compatibility, containers), for documentation and for findings to quote.
struct StatedRule {
  /// What it is about: "driver", "forward compatibility", "NCCL ranks"; several rows may share one.
  std::string subject;
  std::string rule;  ///< one or two sentences
  Source source;     ///< of this row
};

/// All tables, each with its rows in the order of its data file, and look-ups in them.
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
  /// error_names.json, explained by error_codes.json and result/cuda_error.
  std::vector<ErrorCode> error_codes;
  std::vector<StatedRule> rules;  ///< stated_rules.json

  /// The first rule of that subject; nullptr where none has it.
  const StatedRule* rule(const std::string& subject) const;

  // Each of these is nullptr where the table does not know the version.

  /// The row of a toolkit's release: 13.0.2 is Update 2; 13.0, or a third part that is no update's, the row
  /// with the lowest native driver of its updates.
  const ToolkitDriver* native_driver(const Version& cuda) const;
  const MinimumDriver* minimum_driver(int cuda_major) const;  ///< by the CUDA major version alone
  /// By exactly this compute capability.
  const Architecture* architecture(const Version& compute_capability) const;
  /// By the driver's first part: 580.65.06 finds 580.
  const DriverBranch* branch(const Version& driver) const;
  /// The row of exactly this release, else the newest of the same major.minor that is no newer than it, else
  /// the oldest of the same major.minor.
  const FrameworkBuild* framework(const std::string& name, const Version& version) const;
  /// `compiler` is "gcc" or "clang"; the first row whose toolkits hold `cuda`.
  const HostCompiler* host_compiler(const std::string& compiler, const Version& cuda) const;
  /// By ID and VERSION_ID of os-release: "rhel 9.4" finds the row "rhel 9", "ubuntu 22.04" only its own.
  const OsSupport* system(const std::string& distribution_id) const;
  /// The row of the driver's branch.
  const KernelSupport* kernel_support(const Version& driver) const;
  /// The vGPU release of a driver's branch.
  const VgpuRelease* vgpu_release(const Version& driver) const;
  /// The row that says that this guest runs on this host.
  const VgpuPairing* vgpu_pairing(const Version& guest, const Version& host) const;
  const ErrorCode* error(const std::string& api, int code) const;  ///< `api` is "runtime", "driver" or "nvml"
  Version newest_known_cuda() const;  ///< newest toolkit of the table; what is newer is unknown to it
};

/// The tables of this build, read once. Throws std::logic_error where the embedded data is damaged, which a
/// test rules out.
const Tables& tables();

/// Reads the files of a data folder's contents, name -> text. Throws result::FormatError, naming file and
/// place.
struct DataFile {
  std::string name;  ///< of the file in its folder, for error sentences
  std::string text;  ///< the whole file
};
/// Throws result::FormatError, naming file and place: an unknown table or key, a table that stands twice, a
/// row without source, a version that is none, a range that ends before it begins. A table without file stays
/// empty.
Tables read_tables(const std::vector<DataFile>& files);

}  // namespace gpugauge::stack
