// Libraries that are missing, mixed, duplicated, or slower than their predecessor.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "diagnose/causes/node_versions.hpp"
#include "diagnose/causes/predicates.hpp"
#include "diagnose/causes/printed.hpp"
#include "diagnose/vocabulary.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

const Words cudnn_not_found{
    "libcudnn~: cannot open shared object",
    "could not load*cudnn",
    "could not load*libcudnn",
    "couldn't load*cudnn",
    "unable to load*cudnn",
    "failed to load*cudnn",
    "cannot load*cudnn",
    "cudnn64*not found",
    "cudnn64*could not",
    "could not locate cudnn",
    "could not find cudnn",
    "cudnn*dll*missing",
    "no such file*cudnn",
    "loaded runtime cudnn library*but source was compiled with",
    "cudnn*incompatib",
    "cudnn version*compiled against",
    "dnn library is not found",
    "dnn library initialization failed",
    "requires cudnn",
    "outdated cudnn",
    "libcudnn*not found",
    "unable to load any of*libcudnn",
    "cannot load symbol cudnn",
    "could not load symbol cudnn",
};

/// The key counts or lists at least two copies.
Fact copies(const Seen& seen, std::string_view key) {
  const Value* value = seen.inventory(key);
  if (value == nullptr) return std::nullopt;
  if (const double* count = value->plain_number(); count != nullptr && *count >= 2)
    return fmt::format("{:g} copies, {}", *count, key);
  if (value->items().size() < 2) return std::nullopt;
  return fmt::format("{}: {}", key, value->text());
}

/// CUDA libraries are present in more than one version. Other libraries (libibverbs) tell nothing about
/// CUDA's.
Fact mixed(const Seen& seen) {
  return seen.on("libraries.mixed",
                 {"cudnn", "cublas", "cudart", "nvrtc", "cufft", "cusparse", "cusolver", "nvjitlink"});
}

Fact mismatch_reported(const Seen& seen) {
  if (Fact fact =
          seen.told({"SUBLIBRARY_VERSION_MISMATCH", "sublibrary*mismatch", "CUDNN_STATUS_VERSION_MISMATCH",
                     "libcudnn*undefined symbol", "libcublas*undefined symbol",
                     "symbol lookup error*libcudnn", "undefined symbol*cublasLt", "undefined symbol*cudnn",
                     "undefined symbol*nvJitLink", "cudnn*version mismatch"}))
    return fact;
  // The loader's words; the linker's are another matter.
  if (Fact fact =
          seen.told({".so*undefined symbol: nccl", "ImportError*undefined symbol: nccl"}, {"ld.lld", "ld:"}))
    return fact;
  for (const ErrorSeen& error : seen.it().errors)
    if ((error.api == "cudnn" || error.api == "loader") &&
        contains_any(error.text + " " + error.code.text(),
                     {"version mismatch", "undefined symbol", "VERSION_MISMATCH"}))
      return fmt::format("{} says: {}", error.api, error.text.empty() ? error.code.text() : error.text);
  return std::nullopt;
}

/// The loader found no cuDNN. A cuDNN that it found but could not use has another version instead.
Fact cudnn_absent(const Seen& seen) {
  return seen.told(cudnn_not_found, {"undefined symbol", "symbol lookup error"});
}

void examine_cudnn_missing(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, cudnn_absent(seen));
  it.confirms(weight::strong, seen.on("libraries.missing", {"cudnn"}));
  it.confirms(weight::fair, seen.told({"CUDNN_STATUS_NOT_INITIALIZED", "Skipping registering GPU devices",
                                       "Cannot dlopen some GPU libraries"}));
  if (seen.fails({"conv", "application", "framework_op"}) || gpu_not_used(seen) || !it.evidence().empty())
    it.confirms(weight::strong, seen.recovers_by({"cudnn=", "cudnn installed", "install=cudnn"}));
  // It dies in cuDNN, and the version of what asks for a cuDNN decides.
  if (seen.fails({"conv", "application", "framework_op"}) && !cudnn_absent(seen) &&
      !mismatch_reported(seen)) {
    const Fact named = seen.told({"libcudnn", "cudnn_ops", "cudnn_cnn", "cudnn64_", "cudnn_graph"});
    it.confirms(weight::fair, named);
    it.confirms(weight::good, both(named, seen.probe("change_version", {"recovers"},
                                                     {"ctranslate2", "torch", "pytorch", "tensorflow",
                                                      "onnxruntime", "jax", "paddle", "cudnn"})));
  }
  // Another version may also fix slow work.
  if (!cudnn_absent(seen) && !seen.on("libraries.missing", {"cudnn"}))
    it.unproven(bound::unconfident, Fact("nothing says that it is absent"));
  it.at_most(bound::half, mismatch_reported(seen));
  if (!seen.on("libraries.missing", {"cudnn"}))
    it.at_most(bound::half, in_words("another one is found first", copies(seen, "cudnn.copies")));
  it.at_most(bound::likely, both(seen.framework_is({"onnxruntime"}), gpu_not_used(seen)));
  it.at_most(bound::likely, seen.told({"Failed to create CUDAExecutionProvider"}));
}

/// CUDA's version from a folder name: "/opt/cuda-12.1/lib64".
stack::Version cuda_of_folder(const std::string& folder) {
  const std::string low = lower(folder);
  constexpr std::string_view name = "cuda";
  for (std::size_t at = low.find(name); at != std::string::npos; at = low.find(name, at + 1)) {
    // "nccl_2.18+cuda12.1" is a folder of another library built for that CUDA.
    if (at == 0 || low[at - 1] != '/') continue;
    std::string_view rest = std::string_view(low).substr(at + name.size());
    if (!rest.empty() && std::string_view("-_/").find(rest.front()) != std::string_view::npos)
      rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find_first_not_of("0123456789."), rest.size());
    const auto version = stack::Version::parse(std::string(rest.substr(0, end)));
    if (version && version->major() > 0 && contains(rest.substr(0, end), ".")) return *version;
  }
  return {};
}

/// The CUDA version that a framework was built for. Otherwise it comes from a package whose libraries have
/// CUDA's version numbers: "nvidia-nvjitlink-cu12==12.9.41".
std::string cuda_of_packages(const Seen& seen) {
  if (const Value* built = seen.inventory("framework.cuda"); built != nullptr && built->number())
    return built->text();
  for (const std::string& line : seen.it().log)
    for (const std::string_view package : {"nvidia-nvjitlink", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc",
                                           "nvidia-cuda-cupti", "nvidia-cuda-nvcc"})
      if (const std::size_t equals = line.find("=="); contains(line, package) && equals != std::string::npos)
        return line.substr(equals + 2, line.find_first_not_of("0123456789.", equals + 2) - equals - 2);
  return "";
}

/// The search path leads to an older CUDA of the packages' major version, whose libraries have the same
/// names.
Fact older_cuda_on_path(const Seen& seen) {
  const auto path = seen.it().environment.find("LD_LIBRARY_PATH");
  const auto wanted = stack::Version::parse(cuda_of_packages(seen));
  if (path == seen.it().environment.end() || !wanted) return std::nullopt;
  std::istringstream folders(path->second);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const stack::Version there = cuda_of_folder(folder);
    if (there.major() == wanted->major() && there.minor() < wanted->minor())
      return fmt::format("LD_LIBRARY_PATH leads to {}, and the packages' CUDA is {}.{}", folder,
                         wanted->major(), wanted->minor());
  }
  return std::nullopt;
}

/// A CUDA library exists but cannot be used.
Fact library_refused(const Seen& seen) {
  return seen.told({"Unable to load cu", "cu*library was not found", "undefined symbol",
                    "symbol lookup error", "failed to load*libcu", "could not load*libcu"});
}

void examine_mixed(const Seen& seen, Argument& it) {
  const Fact reported = mismatch_reported(seen);
  const Fact older = older_cuda_on_path(seen);
  it.confirms(weight::proof, reported);
  it.confirms(weight::good, mixed(seen));
  if (!reported && library_refused(seen)) {
    it.confirms(weight::good, older);
    if (older) it.confirms(weight::hint, library_refused(seen));
  }
  const Fact doubled = either(copies(seen, "cudnn.copies"), mixed(seen));
  if (reported || seen.fails({})) {
    it.confirms(weight::good, doubled);
    it.confirms(weight::hint, seen.fails({"conv"}));
    if (doubled) it.confirms(weight::fair, seen.fails({}));
  }
  if (doubled) it.confirms(weight::fair, seen.recovers_by({"LD_LIBRARY_PATH", "uninstall", "removed"}));
  if (!doubled && !reported && !older)
    it.unproven(bound::unnamed, Fact("no library is known to be there twice"));
}

void examine_duplicate(const Seen& seen, Argument& it) {
  it.confirms(weight::strong, copies(seen, "nccl.copies"));
  it.confirms(weight::strong, copies(seen, "cudnn.copies"));
  it.confirms(weight::strong, either(mixed(seen), seen.on("libraries.mixed", {"nccl"})));
  it.confirms(weight::good, mapped_twice(seen));
  const Fact packages = two_packages(seen);
  it.confirms(weight::strong, packages);
  it.confirms(weight::good,
              seen.told({"depends on*order of import", "depends on*import", "depends on the order of loading",
                         "order of imports decides", "only if*imported first", "if I import*first"}));
  if (packages || !it.evidence().empty())
    it.confirms(weight::good,
                seen.recovers_by({"order of imports", "import order", "order of import", "imported first",
                                  "import*first", "import*before", "LD_LIBRARY_PATH", "uninstall"}));
  it.confirms(weight::good,
              seen.told({"nccl*linked against*loaded", "compiled with NCCL*but", "linked*libnccl*while",
                         "found two*lib", "loaded twice", "multiple versions of lib"}));
  it.at_most(bound::below_half, mismatch_reported(seen));
  it.at_most(bound::below_half, ranks_differ(seen));
  it.at_most(bound::below_half, both(seen.fails({}), either(copies(seen, "cudnn.copies"), mixed(seen))));
}

/// Selects figures of cuBLAS if any figure names its library, else all: other libraries tell nothing about
/// cuBLAS.
Where of_cublas(const Seen& seen) {
  const auto& all = seen.it().metrics;
  const bool said = std::any_of(all.begin(), all.end(), [](const Metric& metric) {
    return contains(metric.scope.library, "cublas") || metric.scope.library == own_library;
  });
  return said ? Where{.library = "cublas"} : Where{};
}

void examine_cublas_version(const Seen& seen, Argument& it) {
  const Where own = of_cublas(seen);
  const Fact slow = seen.slower({"gemm16", "gemm32", "gemm8", "gemmtf32", "gemm64"}, own);
  if (slow) {
    it.confirms(weight::good, seen.changed({"cublas"}));
    it.confirms(weight::fair, seen.changed({"cuda"}));
    it.confirms(weight::fair, split_types(seen, {"gemm16", "gemm32", "gemm8"}, own));
    it.confirms(weight::hint, seen.slower({}, {.library = "cublas"}));
    if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"gemm16", "gemm8", "gemm32"}, own));
  } else if (seen.slower(application_classes)) {
    it.confirms(weight::fair, seen.changed({"cublas"}));
  }
  it.confirms(weight::strong, seen.undone("cublas", {"recovers"}));
  if (slow) it.confirms(weight::good, seen.undone("cuda", {"recovers"}));
  it.confirms(weight::good, seen.told({"fixed in*cublas", "cublas*regress", "known issue*cublas"}));
  it.rules_out(seen.undone("cublas", {"no_change", "worse"}));
  it.rules_out(seen.same_version("cublas"));
  it.rules_out(own_products_as_slow(seen, {"gemm16", "gemm32", "gemm8", "gemmtf32", "gemm64"}, "cublas"));
  if (!seen.undone("cublas", {"recovers"}) && !seen.undone("cuda", {"recovers"}))
    it.unproven(bound::unconfident, Fact("the old version was not measured again"));
  it.at_most(bound::unnamed, low_clock(seen));
  it.at_most(bound::last_named, only_misaligned(seen));
  it.at_most(bound::unnamed, seen.slower({"hbm", "conv", "l2"}));
  it.at_most(bound::last_named, seen.slower({"gemm16"}, {}, 10));
  it.at_most(bound::last_named, seen.gpu_is({"GTX 16"}));
}

}  // namespace

Signatures library_causes() {
  return {
      {.name = "missing_or_wrong_major_cudnn",
       .title = "The cuDNN that the framework was built for is not there",
       .what = "A framework asks for libcudnn of one major version. Where it is absent, or of another major "
               "or an older "
               "minor version, the framework fails at its first convolution or leaves the GPU alone.",
       .confirms = "the loader cannot open libcudnn; a message names the version it was built with",
       .excludes = "it was found, and two copies of it disagree",
       .confused_with = {{"mixed_library_versions", "is cuDNN absent, or there twice?"},
                         {"ort_cuda_ep_fallback", "is it ONNX Runtime, which then works on the processor?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "gpugauge doctor; ldconfig -p | grep libcudnn: is the major version there that the message asks "
           "for?",
       .reading = {"https://docs.nvidia.com/deeplearning/cudnn/latest/reference/support-matrix.html"},
       .examine = examine_cudnn_missing},
      {.name = "mixed_library_versions",
       .title = "Parts of one library come from different versions",
       .what = "cuDNN and cuBLAS consist of several files that must be of one release. Where the loader "
               "takes some from a "
               "wheel and others from the system, calls fail with a version mismatch or an undefined symbol.",
       .moves = "conv x, gemm32 0",
       .confirms =
           "a version mismatch or undefined symbol is reported; two folders of one library in the process; "
           "LD_LIBRARY_PATH leads to an older CUDA than the packages'",
       .excludes = "there is one copy",
       .confused_with = {{"duplicate_library_versions", "does a call fail, or are there only two copies?"},
                         {"cudnn_version_regression", "does it fail, or is it slower?"},
                         {"missing_or_wrong_major_cudnn", "is the library there at all?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next = "grep -E 'cudnn|cublas' /proc/PID/maps | awk '{print $6}' | sort -u; keep one copy, drop the "
               "other from "
               "LD_LIBRARY_PATH",
       .reading = {"https://docs.nvidia.com/deeplearning/cudnn/latest/api/overview.html"},
       .examine = examine_mixed},
      {.name = "duplicate_library_versions",
       .title = "Two versions of one library are within reach of one process",
       .what = "Two packages bring the same library. Which one is used depends on the order of loading: it "
               "works until an "
               "import is moved, and the version that is measured is not the one that is installed.",
       .confirms = "two copies in the process or on its search path; loaded and installed version differ",
       .excludes = "a call already fails with a mismatch: that is mixed_library_versions",
       .confused_with = {{"mixed_library_versions", "does a call already fail with a mismatch?"}},
       .subject = Subject::software,
       .latent = true,
       .next = "grep -E 'nccl|cudnn|cublas' /proc/PID/maps | awk '{print $6}' | sort -u",
       .reading = {"https://man7.org/linux/man-pages/man8/ld.so.8.html"},
       .examine = examine_duplicate},
      {.name = "cublas_version_regression",
       .title = "This version of cuBLAS is slower at these products",
       .what = "Another cuBLAS picks or brings slower kernels for some types and shapes, while the same GPU "
               "does others as "
               "fast as before: two 16-bit types that the hardware runs at one rate are unequal.",
       .moves = "gemm16 -, hbm 0, conv 0, launch 0",
       .confirms = "some types or shapes only; the version differs and the old one recovers",
       .excludes = "clocks are low, memory or convolutions are slower too; the old version is as slow, or "
                   "cuBLAS is of one version on both sides; products without cuBLAS are as slow",
       .confused_with = {{"tc_not_selected_for_shape", "was the same shape faster with the earlier library?"},
                         {"power_or_clock", "are all compute classes slower alike?"},
                         {"kernel_specific", "does another algorithm or library recover?"}},
       .subject = Subject::software,
       .next =
           "run the earlier cuBLAS through LD_LIBRARY_PATH with the same binary and measure old, new, old",
       .reading = {"https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html#cublas-library"},
       .examine = examine_cublas_version},
  };
}

}  // namespace gpugauge::diagnose
