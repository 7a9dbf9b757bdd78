// Rules of cuDNN, NCCL, copies of libraries, and what a process has mapped.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "stack/rules/support.hpp"
#include "unit/stack/rules/cuda_found.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using world::library_findings;
using world::put_library;

/// A whole cuDNN in one folder.
void put_cudnn(Inventory& inventory, int index, const std::string& folder, const std::string& version,
               const std::string& origin) {
  for (const std::string name : {"cudnn", "cudnn_graph", "cudnn_ops", "cudnn_engines_precompiled"})
    put_library(inventory, name, index, fmt::format("{}/lib{}.so.{}", folder, name, version), version,
                fmt::format("lib{}.so.{}", name, version.substr(0, 1)), origin);
}

Inventory with_runtime(Inventory inventory, const char* version) {
  put_library(inventory, "cudart", 0, "/usr/local/cuda/lib64/libcudart.so", version, "libcudart.so.12",
              "loader cache");
  return inventory;
}

TEST(LibraryRules, AWholeSystemIsFine) {
  Inventory inventory = with_runtime(world::new_driver(), "12.8.90");
  put_cudnn(inventory, 0, "/usr/lib", "9.17.0", "loader cache");
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2.27.3", "2.27.3", "libnccl.so.2", "loader cache");
  EXPECT_THAT(said(library_findings(inventory)), IsEmpty());
  EXPECT_THAT(said(library_findings(Inventory{})), IsEmpty());
}

TEST(LibraryRules, CudnnIsAskedForGpuCudaAndDriver) {
  Inventory old_gpu = with_runtime(world::new_driver(), "12.8.90");
  world::put(old_gpu, {{"gpu.0.name", "Tesla P100"}, {"gpu.0.compute_capability", "6.0"}});
  put_cudnn(old_gpu, 0, "/usr/lib", "9.17.0", "loader cache");
  const Findings findings = library_findings(old_gpu);
  EXPECT_THAT(said(findings), ElementsAre("failure cudnn_not_for_gpu"));
  EXPECT_EQ(findings[0].title, "cuDNN 9.17.0 does not support GPU 0");

  Inventory new_cuda = with_runtime(world::new_driver(), "13.0.88");
  put_cudnn(new_cuda, 0, "/usr/lib", "9.5.1", "loader cache");
  EXPECT_THAT(said(library_findings(new_cuda)), Contains("warning cudnn_not_for_cuda"));

  Inventory old_driver = with_runtime(world::old_driver(), "13.0.88");
  put_cudnn(old_driver, 0, "/usr/lib", "9.17.0", "loader cache");
  EXPECT_THAT(said(library_findings(old_driver)), ElementsAre("failure library_newer_than_driver"));
}

TEST(LibraryRules, WhatAPackageIsBuiltForCountsAndNotItsFilesName) {
  Inventory inventory = with_runtime(world::old_driver(), "12.2.140");  // CUDA up to 12.2
  put_cudnn(inventory, 0, "/usr/lib", "9.17.0", "loader cache");
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2.28.9", "2.28.9", "libnccl.so.2", "loader cache");
  EXPECT_THAT(said(library_findings(inventory)), testing::Not(Contains(HasSubstr("failure"))));
  world::put(inventory, {{"library.nccl.0.cuda", "13.0"}, {"library.cudnn.0.cuda", "13"}});
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings),
              testing::UnorderedElementsAre("failure library_newer_than_driver", "warning cudnn_not_for_cuda",
                                            "failure library_newer_than_driver"));
  for (const Finding& finding : findings)
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("it is built for CUDA 13")));
  world::put(inventory, {{"library.nccl.0.cuda", "12.2"}, {"library.cudnn.0.cuda", "12"}});
  EXPECT_THAT(said(library_findings(inventory)), testing::Not(Contains(HasSubstr("failure"))));
}

TEST(LibraryRules, ACudnnThatTheTablesDoNotKnowStillNeedsADriverOfItsCuda) {
  Inventory inventory = world::old_driver();
  put_cudnn(inventory, 0, "/usr/lib", "9.40.0", "loader cache");
  world::put(inventory, {{"library.cudnn.0.cuda", "13"}});
  EXPECT_THAT(said(library_findings(inventory)), Contains("failure library_newer_than_driver"));
}

TEST(LibraryRules, TheWheelsCudnnIsAskedToo) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"gpu.0.name", "Tesla P100"},
                         {"gpu.0.compute_capability", "6.0"},
                         {"wheel.nvidia-cudnn-cu12.version", "9.17.0.29"}});
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure cudnn_not_for_gpu"));
  EXPECT_THAT(findings[0].evidence, Contains("nvidia-cudnn wheel 9.17.0.29 (test)"));
}

TEST(LibraryRules, AnUnknownCudnnIsANote) {
  Inventory inventory = with_runtime(world::new_driver(), "12.8.90");
  put_cudnn(inventory, 0, "/usr/lib", "9.30.0", "loader cache");
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("note not_in_tables"));
  EXPECT_EQ(findings[0].evidence.size(), 2U) << "with the GPU, with CUDA";
}

TEST(LibraryRules, NcclIsAskedForCudaAndDriver) {
  Inventory inventory = with_runtime(world::new_driver(), "13.0.88");
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2", "2.26.2", "libnccl.so.2", "loader cache");
  EXPECT_THAT(said(library_findings(inventory)), ElementsAre("warning nccl_not_for_cuda"));
  Inventory package = with_runtime(world::old_driver(), "12.2.140");
  put_library(package, "nccl", 0, "/usr/lib/libnccl.so.2", "2.27.3-1+cuda13.0", "libnccl.so.2",
              "loader cache");
  const Findings findings = library_findings(package);
  EXPECT_THAT(said(findings), ElementsAre("failure library_newer_than_driver"));
  EXPECT_EQ(findings[0].title, "NCCL 2.27.3 is built for CUDA 13.0, which the driver does not run");
  Inventory wheel = with_runtime(world::new_driver(), "13.0.88");
  put_library(wheel, "nccl", 0, "/x/libnccl.so.2", "2.27.3", "libnccl.so.2", "wheel");
  EXPECT_THAT(said(library_findings(wheel)), IsEmpty());
}

TEST(LibraryRules, ReportsAboutAVersionAreANote) {
  Inventory inventory = with_runtime(world::new_driver(), "12.8.90");
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2", "2.20.5", "libnccl.so.2", "loader cache");
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("note library_known_issue"));
  EXPECT_EQ(findings[0].title, "There are reports about NCCL 2.20.5");
  EXPECT_THAT(findings[0].next, ElementsAre("NCCL: fixed in 2.23.4"));
  Inventory without_gpu;
  put_library(without_gpu, "nccl", 0, "/usr/lib/libnccl.so.2", "2.20.5", "libnccl.so.2", "loader cache");
  EXPECT_THAT(said(library_findings(without_gpu)), IsEmpty());
}

struct Reported {
  const char* name;
  const char* gpu;
  const char* capability;
  const char* processor;
  int gpus;
  bool concerned;
};
class KnownIssues : public testing::TestWithParam<Reported> {};

TEST_P(KnownIssues, AreSaidOnlyOfMachinesLikeTheReported) {
  KnownIssue issue{"nccl", {}, "slow", std::nullopt, {"page", true}};
  issue.gpus = {"A100", "H100 NVL"};
  issue.compute_capability = world::between("8.0", "9");
  issue.processor = "AMD";
  issue.gpus_least = 3;
  Inventory machine;
  for (int i = 0; i < GetParam().gpus; ++i) {
    machine.present(fmt::format("gpu.{}.uuid", i), "GPU", "test");
    if (*GetParam().gpu != '\0') machine.present(fmt::format("gpu.{}.name", i), GetParam().gpu, "test");
    if (*GetParam().capability != '\0')
      machine.present(fmt::format("gpu.{}.compute_capability", i), GetParam().capability, "test");
  }
  if (*GetParam().processor != '\0') machine.present("host.cpu_model", GetParam().processor, "test");
  EXPECT_EQ(concerns(machine, issue), GetParam().concerned);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, KnownIssues,
    testing::Values(Reported{"whole", "NVIDIA A100-SXM4-80GB", "8.0", "AMD EPYC 7763", 8, true},
                    Reported{"two_words", "NVIDIA H100 NVL", "9.0", "AMD EPYC 9654", 4, true},
                    Reported{"other_board", "NVIDIA H100 80GB HBM3", "9.0", "AMD EPYC 9654", 4, false},
                    Reported{"longer_name", "NVIDIA A1000", "8.6", "AMD EPYC 9654", 4, false},
                    Reported{"capability", "NVIDIA A100", "10.0", "AMD EPYC 9654", 4, false},
                    Reported{"processor", "NVIDIA A100", "8.0", "Intel(R) Xeon(R)", 4, false},
                    Reported{"too_few", "NVIDIA A100", "8.0", "AMD EPYC 9654", 2, false},
                    Reported{"nothing_known", "", "", "", 4, true},
                    Reported{"no_gpu_seen", "", "", "", 0, true}),
    [](const auto& one) { return one.param.name; });

TEST(LibraryRules, AReportAboutAnotherGpuIsNotRepeatedHere) {
  Inventory inventory = with_runtime(world::new_driver(), "12.8.90");  // one H100
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2", "2.20.5", "libnccl.so.2", "loader cache");
  Tables tables = world::tables();
  tables.known_issues.at(0).gpus = {"A40"};
  Findings findings;
  check_libraries({inventory, tables, Policy::development, "2026-11-21"}, findings);
  EXPECT_THAT(said(findings), IsEmpty());
}

TEST(LibraryRules, ReportsAboutTwoLibrariesNameBoth) {
  Inventory inventory = world::new_driver();
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2", "2.20.5", "libnccl.so.2", "loader cache");
  put_library(inventory, "cublas", 0, "/usr/lib/libcublas.so.12", "12.8.4", "libcublas.so.12",
              "loader cache");
  Tables tables = world::tables();
  tables.known_issues.push_back(
      {"cublas", world::between("12.8", "12.9"), "slow", world::v("12.9.1"), {"page", true}});
  Findings findings;
  check_libraries({inventory, tables, Policy::development, "2026-11-21"}, findings);
  EXPECT_THAT(said(findings), ElementsAre("note library_known_issue"));
  EXPECT_EQ(findings[0].title, "There are reports about NCCL 2.20.5 and cuBLAS 12.8.4");
  EXPECT_THAT(findings[0].next, ElementsAre("NCCL: fixed in 2.23.4", "cuBLAS: fixed in 12.9.1"));
}

TEST(MixedLibraries, PartsOfAnotherCudnnAreAFailure) {
  Inventory inventory = world::new_driver();
  put_library(inventory, "cudnn", 0, "/usr/lib/libcudnn.so.9.17.0", "9.17.0", "libcudnn.so.9",
              "loader cache");
  put_library(inventory, "cudnn_ops", 0, "/usr/lib/libcudnn_ops.so.9.5.1", "9.5.1", "libcudnn_ops.so.9",
              "loader cache");
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure mixed_library_versions"));
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("cuDNN 9.17.0 (/usr/lib/libcudnn.so.9.17.0, loader cache)",
                          "cuDNN's ops 9.5.1 (/usr/lib/libcudnn_ops.so.9.5.1, loader cache)"));
}

TEST(MixedLibraries, APartThatAWheelLacksComesFromTheSystem) {
  Inventory inventory = world::new_driver();
  put_cudnn(inventory, 0, "/usr/lib", "9.17.0", "loader cache");
  put_library(inventory, "cudnn", 1, "/site/nvidia/cudnn/lib/libcudnn.so.9", "9.20.0", "libcudnn.so.9",
              "wheel");
  put_library(inventory, "cudnn_graph", 1, "/site/nvidia/cudnn/lib/libcudnn_graph.so.9", "9.20.0",
              "libcudnn_graph.so.9", "wheel");
  EXPECT_THAT(said(library_findings(inventory)), Contains("failure mixed_library_versions"));
}

TEST(MixedLibraries, APartThatOnlyANewerReleaseHasIsNotMissing) {
  Inventory inventory = world::new_driver();
  put_cudnn(inventory, 0, "/usr/lib", "9.17.0", "loader cache");
  put_library(inventory, "cudnn_engines_tensor_ir", 0, "/usr/lib/libcudnn_engines_tensor_ir.so.9", "9.17.0",
              "libcudnn_engines_tensor_ir.so.9", "loader cache");
  put_cudnn(inventory, 1, "/site/nvidia/cudnn/lib", "9.5.1", "wheel");
  EXPECT_THAT(said(library_findings(inventory)), ElementsAre("note duplicate_library_versions"));
  put_library(inventory, "cudnn", 2, "/new/libcudnn.so.9", "9.20.0", "libcudnn.so.9", "wheel");
  for (const std::string name : {"cudnn_graph", "cudnn_ops", "cudnn_engines_precompiled"})
    put_library(inventory, name, 2, "/new/lib" + name + ".so.9", "9.20.0", "lib" + name + ".so.9", "wheel");
  EXPECT_THAT(said(library_findings(inventory)), Contains("failure mixed_library_versions"))
      << "a newer release that lacks it would load the older part";
}

TEST(MixedLibraries, WholeCopiesSideBySideAreNormal) {
  Inventory inventory = world::new_driver();
  put_cudnn(inventory, 0, "/usr/lib", "9.17.0", "loader cache");
  put_cudnn(inventory, 1, "/site/nvidia/cudnn/lib", "9.5.1", "wheel");
  put_library(inventory, "cudnn", 2, "/usr/lib/libcudnn.so.8.9.6", "8.9.6", "libcudnn.so.8", "loader cache");
  put_library(inventory, "cudnn_ops_infer", 0, "/usr/lib/libcudnn_ops_infer.so.8.9.6", "8.9.6",
              "libcudnn_ops_infer.so.8", "loader cache");
  EXPECT_THAT(said(library_findings(inventory)), ElementsAre("note duplicate_library_versions"))
      << "a wheel's copy and two major versions in one folder";
}

TEST(MixedLibraries, CublasAndItsLightPartBelongTogether) {
  Inventory inventory = world::new_driver();
  put_library(inventory, "cublas", 0, "/a/libcublas.so.12", "12.8.4", "libcublas.so.12", "LD_LIBRARY_PATH");
  put_library(inventory, "cublasLt", 0, "/b/libcublasLt.so.12", "12.4.5", "libcublasLt.so.12",
              "loader cache");
  EXPECT_THAT(said(library_findings(inventory)), ElementsAre("warning mixed_library_versions"));
  put_library(inventory, "cublasLt", 0, "/b/libcublasLt.so.13", "13.0.2", "libcublasLt.so.13",
              "loader cache");
  EXPECT_THAT(said(library_findings(inventory)), IsEmpty()) << "another major version is another library";
}

TEST(DuplicateLibraries, TwoVersionsInTheLoadersReach) {
  Inventory inventory = world::new_driver();
  put_library(inventory, "nccl", 0, "/opt/lib/libnccl.so.2", "2.26.2", "libnccl.so.2", "LD_LIBRARY_PATH");
  put_library(inventory, "nccl", 1, "/usr/lib/libnccl.so.2", "2.27.3", "libnccl.so.2", "loader cache");
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings), Contains("warning duplicate_library_versions"));
  EXPECT_THAT(findings.back().evidence,
              ElementsAre("NCCL 2.26.2 (/opt/lib/libnccl.so.2, LD_LIBRARY_PATH): the loader's pick",
                          "NCCL 2.27.3 (/usr/lib/libnccl.so.2, loader cache)"));
}

TEST(DuplicateLibraries, BesideAWheelOnlyTheSearchPathAlarms) {
  Inventory inventory = world::new_driver();
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2", "2.26.2", "libnccl.so.2", "loader cache");
  put_library(inventory, "nccl", 1, "/site/libnccl.so.2", "2.27.3", "libnccl.so.2", "wheel");
  EXPECT_THAT(said(library_findings(inventory)), ElementsAre("note duplicate_library_versions"));
  put_library(inventory, "nccl", 0, "/usr/lib/libnccl.so.2", "2.26.2", "libnccl.so.2", "LD_LIBRARY_PATH");
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning duplicate_library_versions"));
  EXPECT_THAT(findings[0].title, HasSubstr("LD_LIBRARY_PATH"));
  put_library(inventory, "nccl", 1, "/site/libnccl.so.2", "2.26.2", "libnccl.so.2", "wheel");
  EXPECT_THAT(said(library_findings(inventory)), IsEmpty()) << "the same version twice";
}

TEST(DuplicateLibraries, ToolkitsSideBySideAreNormal) {
  Inventory inventory = world::new_driver();
  put_library(inventory, "cufft", 0, "/usr/local/cuda-12.8/lib64/libcufft.so.11", "11.3.3", "libcufft.so.11",
              "loader cache");
  put_library(inventory, "cufft", 1, "/usr/local/cuda-12.4/lib64/libcufft.so.11", "11.2.1", "libcufft.so.11",
              "toolkit");
  put_library(inventory, "cufft", 2, "/usr/local/cuda-13.0/lib64/libcufft.so.12", "12.0.0", "libcufft.so.12",
              "loader cache");
  put_library(inventory, "cufft", 3, "/usr/lib/libcufft.so.11", "unknown", "libcufft.so.11",
              "standard folder");
  EXPECT_THAT(said(library_findings(inventory)), IsEmpty());
}

TEST(DuplicateLibraries, OneNameInTwoToolkitsIsNoCopyToRemove) {
  Inventory inventory = world::new_driver();
  put_library(inventory, "curand", 0, "/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcurand.so.10",
              "10.4.0", "libcurand.so.10", "loader cache");
  put_library(inventory, "curand", 1, "/usr/local/cuda-12.9/targets/x86_64-linux/lib/libcurand.so.10",
              "10.3.10", "libcurand.so.10", "loader cache");
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("note duplicate_library_versions"));
  EXPECT_THAT(findings[0].next, Not(Contains(HasSubstr("remove"))));
  put_library(inventory, "curand", 1, "/usr/lib/libcurand.so.10", "10.3.10", "libcurand.so.10",
              "loader cache");
  EXPECT_THAT(said(library_findings(inventory)), ElementsAre("warning duplicate_library_versions"));
}

void put_mapped(Inventory& inventory, int index, const std::string& path, const std::string& version,
                bool deleted = false) {
  const std::string key = "process.library." + std::to_string(index);
  inventory.present(key + ".path", path, "/proc/7/maps");
  inventory.present(key + ".version", version, path);
  inventory.present(key + ".deleted", deleted ? "yes" : "no", "/proc/7/maps");
}

TEST(Process, OneVersionOfEachIsFine) {
  Inventory inventory = world::holding({{"process.pid", "7"}, {"process.name", "python3"}});
  put_mapped(inventory, 0, "/a/libcudnn.so.9.17.0", "9.17.0");
  put_mapped(inventory, 1, "/b/libcudnn_ops.so.9.17.0", "9.17.0");
  put_mapped(inventory, 2, "/b/libcufft.so.11", "unknown");
  EXPECT_THAT(said(library_findings(inventory)), IsEmpty());
}

TEST(Process, MixedAndReplacedLibrariesAreNamed) {
  Inventory inventory = world::holding({{"process.pid", "7"}, {"process.name", "python3"}});
  put_mapped(inventory, 0, "/a/libcudnn.so.9.17.0", "9.17.0");
  put_mapped(inventory, 1, "/b/libcudnn_ops.so.9.5.1", "9.5.1");
  put_mapped(inventory, 2, "/b/libnccl.so.2", "2.26.2");
  put_mapped(inventory, 3, "/c/libnccl.so.2", "2.27.3", true);
  const Findings findings = library_findings(inventory);
  EXPECT_THAT(said(findings),
              ElementsAre("warning process_maps_replaced_library", "failure mixed_library_versions",
                          "warning duplicate_library_versions"));
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("process 7 python3", "NCCL 2.27.3 (/c/libnccl.so.2, deleted on disk)"));
  EXPECT_EQ(findings[1].title, "The process has mapped two versions of cuDNN");
}

}  // namespace
}  // namespace gpugauge::stack
