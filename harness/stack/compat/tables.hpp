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
  std::string text;
  bool read = false;
};

/// Versions from `least` to `most`, both included; a bound that is missing is open. `most` covers what begins
/// with it: most 12 includes 12.9.
struct VersionRange {
  std::optional<Version> least;
  std::optional<Version> most;
  bool contains(const Version& version) const;
  std::string text() const;  ///< "11.8 to 12", "from 12.8", "up to 9.10.2", "any"
};

/// The driver that a toolkit release was built with: full function, PTX included.
struct ToolkitDriver {
  Version cuda;           ///< 13.0
  int update = 0;         ///< 13.0 Update 2 -> 2
  std::string release;    ///< "13.0 Update 2"
  Version native_driver;  ///< Linux
  Source source;
};

/// The oldest driver on which programs of a CUDA major version run at all (minor-version compatibility).
struct MinimumDriver {
  int cuda_major = 0;
  Version driver;
  Source source;
};

struct Architecture {
  std::string name;                       ///< "Hopper"
  Version compute_capability;             ///< 9.0
  Version first_cuda;                     ///< first toolkit that generates code for it
  std::optional<Version> last_cuda;       ///< last one; none: still supported
  std::optional<int> last_driver_branch;  ///< 580: later branches do not drive it; none: still driven
  std::optional<Version> first_driver;  ///< oldest driver (or branch) that drives it, where a source says so
  Source source;
};

struct CudnnSupport {
  Version cudnn;              ///< 9.17.0
  int cuda_major = 0;         ///< of the package: cu12, cu13
  std::vector<Version> cuda;  ///< toolkits it was qualified with
  Version driver;             ///< oldest
  std::vector<Version> compute_capabilities;
  Source source;
};

struct NcclSupport {
  VersionRange nccl;
  int cuda_major_least = 0;
  int cuda_major_most = 0;
  Source source;
};

/// A version with a known defect or known slowness. The last four say on which machines it was met; what is
/// left open holds for all.
struct KnownIssue {
  std::string layer;  ///< "nccl", "driver", "cudnn", "cublas", "ucx", ...
  VersionRange versions;
  std::string issue;  ///< one sentence
  std::optional<Version> fixed;
  Source source;
  std::vector<std::string> gpus = {};    ///< models, any of them: "A100", "H100 NVL"
  VersionRange compute_capability = {};  ///< of any GPU
  std::string processor = {};            ///< maker, as its model's name begins: "AMD"
  int gpus_least = 0;                    ///< a node has at least so many
};

struct DriverBranch {
  int branch = 0;                 ///< 580
  std::string kind;               ///< "long-term support", "production", "new feature", "legacy"
  std::string end_of_life;        ///< "2028-08-04" or "2028-08"; "" unknown
  bool ended = false;             ///< NVIDIA states it as ended, whatever the date says
  std::optional<Version> latest;  ///< newest patch level known to the table
  std::string latest_date;
  std::optional<Version> cuda_max;  ///< newest CUDA it supports natively
  Source source;
};

struct HostCompiler {
  std::string compiler;  ///< "gcc", "clang"
  VersionRange cuda;     ///< toolkits this limit holds for
  Version most;          ///< newest compiler allowed
  Source source;
  std::optional<Version> least = {};  ///< oldest compiler allowed, where a source says so
};

/// What the wheel of a framework's release for one CUDA version was built with or requires.
struct FrameworkWheel {
  Version cuda;
  std::optional<Version> cudnn;
  std::optional<Version> nccl;
  std::vector<Version> compute_capabilities;  ///< with machine code in it; empty: unknown
};

/// One release of a framework and what its official wheels were built with.
struct FrameworkBuild {
  std::string framework;         ///< "torch", "tensorflow", "jax", "onnxruntime", "tensorrt", ...
  Version version;               ///< release; covers its patches where the source says only major.minor
  std::vector<Version> cuda;     ///< CUDA versions of its wheels, 12 for any 12.x; empty: unknown
  std::optional<Version> cudnn;  ///< built with; none where its wheels differ (then see wheels) or unknown
  std::optional<Version> nccl;
  std::string python;                         ///< "3.10-3.13", "3.11+", "" unknown
  std::vector<Version> compute_capabilities;  ///< of all the wheels together, where a source says so
  std::string note;
  Source source;
  std::vector<FrameworkWheel> wheels = {};  ///< where its wheels differ and a source tells them apart

  /// The wheel for this CUDA version (12.8 or 12.8.1), nullptr where the table does not tell wheels apart.
  const FrameworkWheel* wheel(const Version& cuda_version) const;
};

/// An operating system against drivers or toolkits.
struct OsSupport {
  std::string distribution;  ///< "debian 12", "ubuntu 20.04": os-release ID and VERSION_ID
  VersionRange cuda;         ///< toolkits that support it; an open bound is an unknown limit
  std::string note;
  Source source;
};

/// A release of the vGPU software and the driver branch that it is made of, in guest and host alike.
struct VgpuRelease {
  int release = 0;  ///< 19
  int branch = 0;   ///< 580
  Source source;
};

/// vGPU: a guest driver's release against the host's.
struct VgpuPairing {
  VersionRange guest;  ///< vGPU software release of the guest: 16.x
  VersionRange host;
  Source source;
};

/// One error code and what it means on a machine.
struct ErrorCode {
  std::string api;  ///< "runtime", "driver", "nvml"
  int code = 0;
  std::string name;                 ///< "cudaErrorInsufficientDriver"
  std::string meaning;              ///< our words, a sentence; "" where only the name is known
  std::vector<std::string> causes;  ///< usual ones, most frequent first
  std::vector<std::string> next;    ///< commands or steps
  Source source;
};

/// A rule in words (forward compatibility, containers), for documentation and for findings to quote.
struct StatedRule {
  std::string subject;
  std::string rule;
  Source source;
};

struct Tables {
  std::vector<ToolkitDriver> toolkit_drivers;
  std::vector<MinimumDriver> minimum_drivers;
  std::vector<Architecture> architectures;
  std::vector<CudnnSupport> cudnn;
  std::vector<NcclSupport> nccl;
  std::vector<KnownIssue> known_issues;
  std::vector<DriverBranch> driver_branches;
  std::vector<HostCompiler> host_compilers;
  std::vector<FrameworkBuild> frameworks;
  std::vector<OsSupport> systems;
  std::vector<VgpuRelease> vgpu_releases;
  std::vector<VgpuPairing> vgpu;
  std::vector<ErrorCode> error_codes;
  std::vector<StatedRule> rules;

  // Each of these is nullptr where the table does not know the version.

  /// The row of a toolkit's release: 13.0.2 is Update 2; 13.0, or a third part that is no update's, the row
  /// with the lowest native driver of its updates.
  const ToolkitDriver* native_driver(const Version& cuda) const;
  const MinimumDriver* minimum_driver(int cuda_major) const;
  const Architecture* architecture(const Version& compute_capability) const;
  const DriverBranch* branch(const Version& driver) const;
  /// The row of exactly this release, else the newest of the same major.minor that is no newer than it, else
  /// the oldest of the same major.minor.
  const FrameworkBuild* framework(const std::string& name, const Version& version) const;
  /// Likewise, of cuDNN's package for that CUDA major version.
  const CudnnSupport* cudnn_support(const Version& cudnn, int cuda_major) const;
  const HostCompiler* host_compiler(const std::string& compiler, const Version& cuda) const;
  /// By ID and VERSION_ID of os-release: "rhel 9.4" finds the row "rhel 9", "ubuntu 22.04" only its own.
  const OsSupport* system(const std::string& distribution_id) const;
  /// The vGPU release of a driver's branch.
  const VgpuRelease* vgpu_release(const Version& driver) const;
  /// The row that says that this guest runs on this host.
  const VgpuPairing* vgpu_pairing(const Version& guest, const Version& host) const;
  const ErrorCode* error(const std::string& api, int code) const;
  Version newest_known_cuda() const;  ///< newest toolkit of the table; what is newer is unknown to it
};

/// The tables of this build, read once. Throws std::logic_error where the embedded data is damaged, which a
/// test rules out.
const Tables& tables();

/// Reads the files of a data folder's contents, name -> text. Throws result::FormatError, naming file and
/// place.
struct DataFile {
  std::string name;
  std::string text;
};
Tables read_tables(const std::vector<DataFile>& files);

}  // namespace gpugauge::stack
