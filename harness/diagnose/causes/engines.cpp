// Files that a library wrote for itself: a plan of TensorRT is for one version of it, and for one kind of GPU.
#include <string>

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

void examine_engine(const Seen& seen, Argument& it) {
  const Fact version = seen.told({"engine plan file is not compatible with this version of TensorRT",
                                  "Version tag does not match", "expected size of serialized engine"});
  const Fact device = seen.told({"engine plan file is generated on an incompatible device",
                                 "expecting compute * got compute", "Platform specific tag mismatch"});
  it.confirms(weight::proof, version);
  it.confirms(weight::proof, device);
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.at_most(
      bound::below_half,
      in_words("it is built anew", seen.told({"rebuilding", "Building engine", "Building a new engine"})));
  it.confirms(weight::strong,
              seen.recovers_by({"rebuild", "trtexec", "tensorrt=", "TensorRT=", "engine=", "plan="}));
  it.confirms(weight::hint, either(seen.changed({"tensorrt"}),
                                   seen.told({"deserialize_cuda_engine", "deserializeCudaEngine"})));
}

}  // namespace

Signatures engine_causes() {
  return {
      {.name = "engine_of_another_stack",
       .title = "The saved TensorRT engine is of another TensorRT, or of another kind of GPU",
       .what =
           "A serialized engine holds kernels that one TensorRT chose on one GPU. Unless it was built to be version or "
           "hardware compatible, TensorRT refuses it where either is another one. A driver of another version changes "
           "nothing.",
       .confirms = "TensorRT names both versions, or both compute capabilities, when it reads the engine",
       .excludes = "the engine was built by the same TensorRT on the same kind of GPU",
       .confused_with = {{"arch_not_in_binary", "does reading the engine fail, or a kernel's first launch?"},
                         {"missing_cuda_libraries", "is TensorRT loaded at all?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "python3 -c 'import tensorrt; print(tensorrt.__version__)'; build the engine anew on this GPU with this "
           "TensorRT, or pin the version that built it; for several: trtexec --versionCompatible, "
           "--hardwareCompatibilityLevel=ampere+",
       .reading = {"https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/advanced.html"},
       .examine = examine_engine},
  };
}

}  // namespace gpugauge::diagnose
