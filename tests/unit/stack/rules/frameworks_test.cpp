// Rules of frameworks: builds, architectures, and what they miss.
#include <gmock/gmock.h>

#include "unit/stack/rules/cuda_found.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using world::framework_findings;

Inventory torch(Inventory inventory, const char* cuda = "12.8",
                const char* architectures = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 compute_120") {
  world::put(inventory, {{"python.path", "/usr/bin/python3"},
                         {"framework.torch.version", "2.8.0"},
                         {"framework.torch.build", "cuda"},
                         {"framework.torch.cuda", cuda},
                         {"framework.torch.arch_list", architectures}});
  return inventory;
}

TEST(FrameworkRules, AFittingWheelIsFine) {
  EXPECT_THAT(said(framework_findings(torch(world::new_driver()))), IsEmpty());
  EXPECT_THAT(said(framework_findings(torch(world::old_driver()))), IsEmpty())
      << "machine code runs by minor-version compatibility";
  EXPECT_THAT(said(framework_findings(Inventory{})), IsEmpty());
}

TEST(FrameworkRules, ACpuOnlyWheelBesideAWorkingDriver) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"framework.torch.version", "2.8.0+cpu"}, {"framework.torch.build", "cpu"}});
  const Findings findings = framework_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning cpu_only_wheel"));
  EXPECT_EQ(findings[0].title, "PyTorch 2.8.0+cpu is a build without CUDA");
  EXPECT_THAT(findings[0].evidence, Contains("PyTorch 2.8.0+cpu (test)"));
  world::put(inventory, {{"cuda.init.code", "803"}});
  EXPECT_THAT(said(framework_findings(inventory)), IsEmpty()) << "the driver does not work";
}

TEST(FrameworkRules, AWheelNewerThanTheDriver) {
  const Findings findings = framework_findings(torch(world::old_driver(), "13.0"));
  EXPECT_THAT(said(findings), ElementsAre("failure framework_newer_than_driver"));
  EXPECT_EQ(findings[0].title, "PyTorch 2.8.0 carries CUDA 13.0, which the driver does not run");
  EXPECT_THAT(findings[0].next, ElementsAre("Install driver 580.65.06 or newer.",
                                            "or install a build of PyTorch for an older CUDA, up to 12.2"));
  Inventory major_only = torch(world::old_driver(), "13");
  EXPECT_THAT(said(framework_findings(major_only)), ElementsAre("failure framework_newer_than_driver"));
}

Inventory with_gpu(Inventory inventory, const char* capability) {
  world::put(inventory, {{"gpu.0.name", "a GPU"}, {"gpu.0.compute_capability", capability}});
  return inventory;
}

TEST(Architectures, MachineCodePtxOrNothing) {
  EXPECT_THAT(said(framework_findings(torch(with_gpu(world::new_driver(), "8.9")))), IsEmpty())
      << "8.6 runs on 8.9";
  EXPECT_THAT(said(framework_findings(torch(with_gpu(world::new_driver(), "7.0")))),
              ElementsAre("failure arch_not_in_binary"));
  EXPECT_THAT(said(framework_findings(torch(with_gpu(world::new_driver(), "13.0")))),
              ElementsAre("warning ptx_jit_startup"));
  EXPECT_THAT(said(framework_findings(torch(with_gpu(world::old_driver(), "13.0")))),
              ElementsAre("failure ptx_newer_than_driver"))
      << "its PTX is of a newer CUDA than the driver";
}

TEST(Architectures, VariantsAreForTheirOwnGpus) {
  const auto judged = [](const char* list, const char* capability) {
    return said(framework_findings(torch(with_gpu(world::new_driver(), capability), "12.8", list)));
  };
  EXPECT_THAT(judged("sm_90a", "9.0"), IsEmpty());
  EXPECT_THAT(judged("sm_100a", "10.3"), ElementsAre("failure arch_not_in_binary"));
  EXPECT_THAT(judged("sm_100f", "10.3"), IsEmpty());
  EXPECT_THAT(judged("sm_100", "10.3"), IsEmpty());
  EXPECT_THAT(judged("sm_103", "10.0"), ElementsAre("failure arch_not_in_binary"));
  EXPECT_THAT(judged("compute_90a", "10.0"), ElementsAre("failure arch_not_in_binary"));
  EXPECT_THAT(judged("compute_80", "9.0"), ElementsAre("warning ptx_jit_startup"));
  for (const char* unreadable : {"", "sm_", "sm_x", "sm_9", "sm_99999999999", "rubbish compute"})
    EXPECT_THAT(judged(unreadable, "9.0"), IsEmpty()) << unreadable;
}

TEST(Architectures, EachKindOfGpuIsNamed) {
  Inventory inventory = torch(world::new_driver());
  world::put(inventory, {{"gpu.1.name", "Tesla V100"}, {"gpu.1.compute_capability", "7.0"}});
  const Findings findings = framework_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure arch_not_in_binary"));
  EXPECT_EQ(findings[0].title, "PyTorch holds no code for GPU 1");
  EXPECT_THAT(findings[0].next, ElementsAre("install a build of PyTorch that lists sm_70"));
}

Inventory needing(const std::string& name, const char* cuda, const char* cudnn) {
  Inventory inventory = world::new_driver();
  const std::string key = "framework." + name;
  inventory.present(key + ".version", "1.0", "test");
  inventory.present(key + ".build", "cuda", "test");
  inventory.present(key + ".cuda", cuda, "test");
  inventory.present(key + ".cudnn", cudnn, "test");
  inventory.absent("library.cudart.picked", "loader");
  inventory.absent("library.cudnn.picked", "loader");
  return inventory;
}

TEST(Needs, AreMetByTheSystemOrByWheels) {
  Inventory system = needing("tensorflow", "12.5", "9.3");
  world::put_library(system, "cudart", 0, "/usr/lib/libcudart.so.12", "12.8.90", "libcudart.so.12",
                     "loader cache");
  world::put_library(system, "cudnn", 0, "/usr/lib/libcudnn.so.9", "9.10.2", "libcudnn.so.9", "loader cache");
  EXPECT_THAT(said(framework_findings(system)), IsEmpty());
  Inventory wheels = needing("tensorflow", "12.5", "9.3");
  world::put(wheels, {{"wheel.nvidia-cuda-runtime-cu12.version", "12.5.82"},
                      {"wheel.nvidia-cudnn-cu12.version", "9.3.0.75"}});
  EXPECT_THAT(said(framework_findings(wheels)), IsEmpty());
}

TEST(Needs, WhatIsMissingIsNamed) {
  const Findings findings = framework_findings(needing("tensorflow", "12.5", "9.3"));
  EXPECT_THAT(said(findings),
              ElementsAre("failure missing_cuda_libraries", "failure missing_or_wrong_major_cudnn"));
  EXPECT_EQ(findings[0].title, "TensorFlow needs CUDA 12, which is not there");
  EXPECT_EQ(findings[1].title, "TensorFlow needs cuDNN 9.3, which is not there");
  EXPECT_THAT(said(framework_findings(needing("onnxruntime", "12", "9"))),
              ElementsAre("failure ort_cuda_ep_fallback", "failure ort_cuda_ep_fallback"));
}

TEST(Needs, AWrongMajorOrOlderMinorVersionDoesNotMeetThem) {
  Inventory inventory = needing("tensorflow", "12.5", "9.3");
  world::put_library(inventory, "cudart", 0, "/usr/lib/libcudart.so.12", "12.8.90", "libcudart.so.12",
                     "loader cache");
  world::put_library(inventory, "cudnn", 0, "/usr/lib/libcudnn.so.8", "8.9.7", "libcudnn.so.8",
                     "loader cache");
  const Findings findings = framework_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure missing_or_wrong_major_cudnn"));
  EXPECT_EQ(findings[0].title, "TensorFlow needs cuDNN 9.3, which is there in other versions only");
  EXPECT_THAT(findings[0].evidence, Contains("cuDNN 8.9.7 (/usr/lib/libcudnn.so.8, loader cache)"));
  world::put_library(inventory, "cudnn", 0, "/usr/lib/libcudnn.so.9", "9.1.0", "libcudnn.so.9",
                     "loader cache");
  EXPECT_THAT(said(framework_findings(inventory)), ElementsAre("failure missing_or_wrong_major_cudnn"));
  world::put_library(inventory, "cudnn", 0, "/usr/lib/libcudnn.so.9", "unknown", "libcudnn.so.9",
                     "loader cache");
  EXPECT_THAT(said(framework_findings(inventory)), IsEmpty()) << "it may be the right one";
}

TEST(Needs, AFigureWithoutAMinorPartIsThatOfTheTable) {
  const auto judged = [](const char* built, const char* there, const char* version = "2.20.0") {
    Inventory inventory = needing("tensorflow", "12.5.1", built);
    world::put(inventory, {{"framework.tensorflow.version", version},
                           {"wheel.nvidia-cuda-runtime-cu12.version", "12.5.82"},
                           {"wheel.nvidia-cudnn-cu12.version", there}});
    return framework_findings(inventory);
  };
  const Findings findings = judged("9", "9.1.0.70");
  EXPECT_THAT(said(findings), ElementsAre("failure missing_or_wrong_major_cudnn"));
  EXPECT_EQ(findings[0].title, "TensorFlow needs cuDNN 9.3, which is there in other versions only");
  EXPECT_THAT(findings[0].sources, ElementsAre("vendor's page"));
  EXPECT_THAT(said(judged("9", "9.3.0.75")), IsEmpty());
  EXPECT_THAT(said(judged("9.1", "9.1.0.70")), IsEmpty()) << "its own figure";
  EXPECT_THAT(said(judged("8", "8.1.0.70")), IsEmpty()) << "another build than that of the table";
  EXPECT_THAT(said(judged("9", "9.1.0.70", "1.0")), IsEmpty()) << "not in the table";
  EXPECT_THAT(said(judged("9", "9")), IsEmpty()) << "it may be the right one";
}

TEST(Needs, WhatNobodyLookedForIsNotMissing) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"framework.tensorflow.version", "2.20.0"}, {"framework.tensorflow.build", "cuda"}});
  EXPECT_THAT(said(framework_findings(inventory)), IsEmpty());
}

TEST(Needs, PyTorchIsIncompleteOnlyWhereItRequiresWheels) {
  Inventory inventory = needing("torch", "11.8", "8.7.0");
  EXPECT_THAT(said(framework_findings(inventory)), IsEmpty()) << "inside its own folder";
  world::put(inventory, {{"wheel.nvidia-cuda-runtime-cu12.version", "12.8.90"},
                         {"wheel.nvidia-cudnn-cu12.version", "9.10.2.21"}});
  EXPECT_THAT(said(framework_findings(inventory)), IsEmpty()) << "the wheels are another framework's";
  inventory = needing("torch", "12.8", "9.10.2.21");
  inventory.present("framework.torch.cudnn", "9.10.2.21", "METADATA", "Requires-Dist of nvidia-cudnn-cu12");
  world::put(inventory, {{"wheel.nvidia-cuda-runtime-cu12.version", "12.8.90"}});
  EXPECT_THAT(said(framework_findings(inventory)), ElementsAre("failure missing_or_wrong_major_cudnn"));
}

TEST(Pins, TheWheelsAreThoseOfTheMetadata) {
  Inventory inventory = torch(world::new_driver());
  inventory.present("framework.torch.cudnn", "9.10.2.21", "METADATA", "Requires-Dist of nvidia-cudnn-cu12");
  world::put(inventory, {{"wheel.nvidia-cudnn-cu12.version", "9.10.2.21"}});
  EXPECT_THAT(said(framework_findings(inventory)), IsEmpty());
  world::put(inventory, {{"wheel.nvidia-cudnn-cu12.version", "9.5.1.17"}});
  const Findings findings = framework_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning wheel_not_as_pinned"));
  EXPECT_EQ(findings[0].title, "PyTorch requires cuDNN 9.10.2.21, and 9.5.1.17 is installed");
  EXPECT_THAT(findings[0].next, Contains("python -m pip install 'nvidia-cudnn-cu12==9.10.2.21'"));
}

TEST(FrameworkRules, AnImportFailsOrSeesNoGpu) {
  Inventory inventory = torch(world::new_driver());
  world::put(inventory,
             {{"framework.torch.import.outcome", "ok"}, {"framework.torch.import.cuda_available", "yes"}});
  EXPECT_THAT(said(framework_findings(inventory)), IsEmpty());
  world::put(inventory, {{"framework.torch.import.cuda_available", "no"}});
  EXPECT_THAT(said(framework_findings(inventory)), ElementsAre("failure framework_sees_no_gpu"));
  world::put(inventory,
             {{"framework.torch.import.outcome", "OSError: libcudnn.so.9: cannot open shared object file"}});
  const Findings findings = framework_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure framework_import_fails"));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("libcudnn.so.9: cannot open")));
  world::put(inventory, {{"framework.torch.import.outcome", "no answer within 120 s"}});
  const Findings slow = framework_findings(inventory);
  EXPECT_THAT(said(slow), ElementsAre("warning framework_import_fails"));
  EXPECT_THAT(slow[0].title, HasSubstr("is not told"));
}

TEST(Installed, TwiceIsNamed) {
  Inventory inventory = torch(world::new_driver());
  world::put(inventory, {{"framework.torch.installed", "torch 2.8.0, torch 2.6.0"}});
  const Findings findings = framework_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning framework_installed_twice"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("torch: torch 2.8.0, torch 2.6.0 (test)"));
}

TEST(Reports, AboutARelease) {
  Inventory inventory = torch(world::new_driver());
  world::put(inventory, {{"framework.torch.version", "2.12.1+cu130"}});
  EXPECT_THAT(said(framework_findings(inventory)), ElementsAre("note library_known_issue"));
}

}  // namespace
}  // namespace gpugauge::stack
