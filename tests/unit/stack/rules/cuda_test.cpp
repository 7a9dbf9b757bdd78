// Rules of the toolkit, the runtime and forward compatibility.
#include <gmock/gmock.h>

#include "unit/stack/rules/cuda_found.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using world::cuda_findings;

TEST(CudaRules, AToolkitOfTheDriversCudaIsFine) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0.88");
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
}

TEST(CudaRules, NothingIsSaidWithoutDriverOrToolkit) {
  EXPECT_THAT(said(cuda_findings(Inventory{})), IsEmpty());
  EXPECT_THAT(said(cuda_findings(world::new_driver())), IsEmpty());
  Inventory only_toolkit;
  world::put_toolkit(only_toolkit, "13.0");
  EXPECT_THAT(said(cuda_findings(only_toolkit)), IsEmpty());
}

TEST(CudaRules, AToolkitOfANewerMajorVersionDoesNotRun) {
  Inventory inventory = world::old_driver();
  world::put_toolkit(inventory, "13.0.88");
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure toolkit_newer_than_driver"));
  EXPECT_EQ(findings[0].title, "The selected toolkit (13.0) is newer than the driver allows");
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("toolkit 13.0.88 (/usr/local/cuda-13.0.88/version.json), selected by CUDA_HOME",
                          "driver 535.104.05 (CUDA up to 12.2)"));
  EXPECT_THAT(findings[0].next, ElementsAre("Install driver 580.65.06 or newer.",
                                            "or select a toolkit that the driver supports, up to CUDA 12.2"));
}

TEST(CudaRules, ANewerMinorVersionRunsWithoutPtx) {
  Inventory inventory = world::old_driver();
  world::put_toolkit(inventory, "12.8.93");
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("note toolkit_minor_newer_than_driver"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("error 222"));
}

TEST(CudaRules, MinorVersionCompatibilityHasAnOldestDriver) {
  Inventory inventory = world::holding({{"driver.version", "450.51.06"}, {"driver.cuda_max", "11.0"}});
  world::put_toolkit(inventory, "11.4.100");
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure toolkit_newer_than_driver"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("450.80.02"));
  world::put(inventory, {{"driver.version", "450.80.02"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("note toolkit_minor_newer_than_driver"));
}

TEST(CudaRules, WithoutTheDriversWordItsVersionDecides) {
  Inventory inventory = world::holding({{"driver.version", "535.104.05"}});
  world::put_toolkit(inventory, "12.8.93");
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("note toolkit_minor_newer_than_driver"));
  Inventory wsl = world::holding({{"driver.version", "581.15"}, {"driver.libcuda_kind", "wsl"}});
  world::put_toolkit(wsl, "13.0.88");
  EXPECT_THAT(said(cuda_findings(wsl)), IsEmpty()) << "Windows' numbers are of another series";
}

TEST(CudaRules, ARuntimeThatTheLoaderPicksCountsToo) {
  Inventory inventory = world::old_driver();
  world::put_toolkit(inventory, "12.2.140");
  world::put_library(inventory, "cudart", 0, "/usr/lib/libcudart.so.13.0.88", "13.0.88", "libcudart.so.13",
                     "loader cache");
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure toolkit_newer_than_driver"));
  EXPECT_EQ(findings[0].title,
            "The CUDA runtime that the loader picks (13.0) is newer than the driver allows");
  Inventory wheel = world::old_driver();
  world::put_library(wheel, "cudart", 0, "/x/libcudart.so.13", "13.0.88", "libcudart.so.13", "wheel");
  EXPECT_THAT(said(cuda_findings(wheel)), IsEmpty()) << "a wheel's runtime is its framework's affair";
}

TEST(CudaRules, AToolkitKnowsFirstAndLastGpus) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0.88");
  world::put(inventory, {{"gpu.1.name", "Tesla V100-SXM2-16GB"}, {"gpu.1.compute_capability", "7.0"}});
  const Findings dropped = cuda_findings(inventory);
  EXPECT_THAT(said(dropped), ElementsAre("failure gpu_dropped_by_toolkit"));
  EXPECT_EQ(dropped[0].title, "Toolkit 13.0 no longer supports GPU 1");
  EXPECT_THAT(dropped[0].evidence, Contains("GPU 1 (Tesla V100-SXM2-16GB, compute capability 7.0)"));

  Inventory blackwell = world::new_driver();
  world::put_toolkit(blackwell, "12.4.131");
  world::put(blackwell, {{"gpu.0.name", "NVIDIA B200"}, {"gpu.0.compute_capability", "10.0"}});
  EXPECT_THAT(said(cuda_findings(blackwell)), ElementsAre("warning old_toolkit_codegen"));
}

TEST(CudaRules, AToolkitWhoseOlderCodeRunsHereIsANote) {
  Inventory ada = world::new_driver();
  world::put_toolkit(ada, "11.4.4");
  world::put(ada, {{"gpu.0.name", "NVIDIA L40S"}, {"gpu.0.compute_capability", "8.9"}});
  const Findings findings = cuda_findings(ada);
  EXPECT_THAT(said(findings), testing::Contains("note old_toolkit_codegen"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("for compute capability 8.0 runs there as machine code"));
}

TEST(CudaRules, VersionsThatTheTablesDoNotKnowAreANote) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0.88");
  world::put(inventory, {{"gpu.0.compute_capability", "11.0"}});
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("note not_in_tables"));
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("CUDA 13.0 with compute capability 11.0: The tables have no row for "
                          "this compute capability."));
}

TEST(ForwardCompatibility, IsNotForGeforce) {
  Inventory inventory =
      world::holding({{"driver.version", "535.104.05"},
                      {"driver.kernel_module_version", "535.104.05"},
                      {"driver.libcuda_path", "/usr/local/cuda-12.8/compat/libcuda.so.570.26"},
                      {"driver.libcuda_version", "570.26"},
                      {"forward_compat.in_use", "yes"},
                      {"cuda.init.code", "804"},
                      {"gpu.0.name", "NVIDIA GeForce RTX 4090"},
                      {"gpu.0.compute_capability", "8.9"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("failure forward_compat_on_geforce"));
  world::put(inventory, {{"cuda.init.code", "0"}, {"cuda.devices", "1"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty()) << "it works: the versions are the same";
  world::put(inventory, {{"cuda.init.code", "804"}, {"forward_compat.in_use", "no"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
}

TEST(ForwardCompatibility, OnADataCentreGpuRaisesWhatRuns) {
  Inventory inventory = world::holding({{"driver.version", "535.104.05"},
                                        {"driver.kernel_module_version", "535.104.05"},
                                        {"driver.libcuda_version", "580.65.06"},
                                        {"driver.cuda_max", "13.0"},
                                        {"forward_compat.in_use", "yes"},
                                        {"gpu.0.name", "NVIDIA H100 80GB HBM3"},
                                        {"gpu.0.compute_capability", "9.0"}});
  world::put_toolkit(inventory, "13.0.88");
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
}

TEST(ForwardCompatibility, OlderThanTheDriverIsAStepBack) {
  Inventory inventory = world::new_driver();
  world::put(inventory, {{"driver.libcuda_version", "550.54.15"}, {"forward_compat.in_use", "yes"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("warning forward_compat_older_than_driver"));
}

TEST(ForwardCompatibility, OnAWorkstationCardIsANoteUntilItWorks) {
  Inventory inventory = world::holding({{"driver.kernel_module_version", "535.104.05"},
                                        {"driver.libcuda_version", "570.26"},
                                        {"forward_compat.in_use", "yes"},
                                        {"gpu.0.name", "NVIDIA RTX A6000"},
                                        {"gpu.0.brand", "NVIDIA RTX"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("note forward_compat_unsupported"));
}

TEST(ToolkitEnvironment, DifferentToolkitsConflict) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "12.8.93", 1);
  world::put_toolkit(inventory, "13.0.88", 0);
  world::put(inventory, {{"toolkit.by.CUDA_HOME", "/usr/local/cuda-13.0.88"},
                         {"toolkit.by.PATH", "/usr/local/cuda-12.8.93"},
                         {"toolkit.by./usr/local/cuda", "/usr/local/cuda-13.0.88"}});
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning toolkit_environment_conflict"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("CUDA_HOME leads to /usr/local/cuda-13.0.88 (CUDA 13.0)",
                                                "PATH leads to /usr/local/cuda-12.8.93 (CUDA 12.8)",
                                                "selected: /usr/local/cuda-13.0.88, by CUDA_HOME"));
}

TEST(ToolkitEnvironment, OneToolkitByTwoNamesIsNoConflict) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0.88", 0);
  world::put(inventory, {{"toolkit.1.path", "/opt/cuda"},
                         {"toolkit.1.version", "13.0.48"},
                         {"toolkit.by.CUDA_HOME", "/usr/local/cuda-13.0.88"},
                         {"toolkit.by.PATH", "/opt/cuda"},
                         {"toolkit.by./usr/local/cuda", "/usr/local/cuda-12.8"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty())
      << "the same release twice; and no variable says 12.8";
}

TEST(ToolkitEnvironment, AVariableThatLeadsNowhereIsNamed) {
  Inventory inventory = world::new_driver();
  inventory.absent("toolkit.by.CUDA_HOME", "environment", "/opt/gone is no toolkit");
  inventory.absent("toolkit.by.CUDA_PATH", "environment", "not set");
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning toolkit_variable_dangling"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("CUDA_HOME: /opt/gone is no toolkit"));
}

TEST(HostCompiler, TheToolkitsOwnHeaderIsTheBetterWitness) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "12.8.93");
  world::put(inventory, {{"host_compiler.gcc", "15.1.0"}});
  Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning host_compiler_too_new")) << "by the table: 14";
  EXPECT_EQ(findings[0].title, "gcc 15.1 is newer than nvcc 12.8 accepts");
  world::put(inventory, {{"toolkit.0.host_compiler_most", "15"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
  world::put(inventory, {{"host_compiler.gcc", "16.0"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("warning host_compiler_too_new"));
}

TEST(HostCompiler, ClangIsJudgedByItsOwnLimit) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "12.8.93");
  world::put(inventory, {{"host_compiler.clang", "20.1.2"}, {"toolkit.0.host_clang_most", "20"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
  world::put(inventory, {{"host_compiler.clang", "21.0"}});
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning host_compiler_too_new"));
  EXPECT_EQ(findings[0].title, "clang 21.0 is newer than nvcc 12.8 accepts");
  EXPECT_THAT(findings[0].next, Contains(HasSubstr("clang++-20")));
  world::put(inventory, {{"host_compiler.gcc", "13.3"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("note host_compiler_too_new"))
      << "nvcc takes gcc unless it is told otherwise";
}

TEST(ExtensionBuilds, NvccBesideAnotherCudaIsNoAlarm) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0.88");
  world::put(inventory, {{"framework.torch.version", "2.8.0"}, {"framework.torch.cuda", "12.8"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty()) << "nothing can be built here";
  world::put(inventory, {{"host_compiler.gcc", "14.2"}});
  const Findings findings = cuda_findings(inventory);
  EXPECT_THAT(said(findings), ElementsAre("note extension_build_mismatch"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("running it is not affected"));
  world::put(inventory, {{"framework.torch.cuda", "13.0"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
}

TEST(ExtensionBuilds, AnNvccThatLacksAnArchitectureOfTheFrameworkIsANote) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "12.4.1");
  world::put(inventory, {{"framework.torch.version", "2.8.0"},
                         {"framework.torch.cuda", "12.8"},
                         {"framework.torch.arch_list", "sm_75 sm_80 sm_90a sm_100 compute_120 nonsense_ sm_"},
                         {"host_compiler.gcc", "13.2"}});
  const Findings findings = cuda_findings(inventory);
  ASSERT_THAT(said(findings), ElementsAre("note extension_build_mismatch"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("stop at sm_100")) << "the row of 12.0 was not read";
  world::put_toolkit(inventory, "12.8.1");
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
}

TEST(ToolkitSystem, OnlyAListedSystemIsJudged) {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "13.0.88");
  world::put(inventory, {{"host.distribution_id", "debian 11"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("warning toolkit_system_unsupported"));
  world::put(inventory, {{"host.distribution_id", "ubuntu 24.04"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty());
  world::put(inventory, {{"host.distribution_id", "slackware 15"}});
  EXPECT_THAT(said(cuda_findings(inventory)), IsEmpty()) << "unknown to the table";
  world::put(inventory, {{"host.distribution_id", "arch 1"}});
  EXPECT_THAT(said(cuda_findings(inventory)), ElementsAre("note toolkit_system_unsupported"))
      << "nobody read that row";
}

}  // namespace
}  // namespace gpugauge::stack
