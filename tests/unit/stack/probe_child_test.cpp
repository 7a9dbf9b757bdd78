// What the child process of a probe may do: hang, crash, exit, talk nonsense.
#include <string>

#include <gmock/gmock.h>

#include "fake_tree.hpp"
#include "probe_fakes.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::stack {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProbeChild, AHangingDriverIsEndedAndNamed) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "hang=cuInit\n", {}, 0.5);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_TRUE(report.nvidia_hardware);
  EXPECT_EQ(report.driver_version, "580.65.06");
  EXPECT_THAT(report.explanation, HasSubstr("did not answer within 0.5 s"));
  EXPECT_THAT(report.explanation, HasSubstr("NVRM|Xid"));
}

TEST(ProbeChild, EveryFurtherGpuMayTakeAQuarterLonger) {
  FakeTree tree;
  tree.healthy(5);
  EXPECT_THAT(probe(tree, "hang=cuInit\n", {}, 0.2).explanation, HasSubstr("did not answer within 0.4 s"));
}

TEST(ProbeChild, ACrashingDriverCostsOnlyTheChild) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "crash=cuInit\n", {});
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_THAT(report.explanation, HasSubstr("crashes"));
  EXPECT_THAT(report.explanation, HasSubstr("signal 6"));
  EXPECT_THAT(report.explanation, HasSubstr("told to crash"));
}

TEST(ProbeChild, ADriverThatExitsIsNoReport) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "exit=cuInit\n", {});
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_THAT(report.explanation, HasSubstr("exit code 7"));
}

TEST(ProbeChild, GarbageIsNoReport) {
  FakeTree tree;
  ProbeOptions options;
  options.root = tree.root();
  options.command = {"/bin/echo", "{\"state\":\"usable\"}"};
  const GpuReport report = probe_gpus(options);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_FALSE(report.nvidia_hardware);
  EXPECT_THAT(report.explanation, HasSubstr("no readable report"));
}

TEST(ProbeChild, AMissingExecutableIsToldWithTheReason) {
  FakeTree tree;
  ProbeOptions options;
  options.root = tree.root();
  options.command = {"/nowhere/gpugauge"};
  const GpuReport report = probe_gpus(options);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_THAT(report.explanation, HasSubstr("No such file or directory"));
}

TEST(ProbeChild, ABrokenLibraryIsNotCalledMissing) {
  FakeTree tree;
  tree.healthy();
  tree.file("/lib/broken/libcuda.so.1",
            "not a library, but long enough to be read as the header of one, and that is all of it");
  const GpuReport report = probe(tree, "", {}, 30, tree.at("/lib/broken").string());
  EXPECT_EQ(report.state, GpuState::no_library);
  EXPECT_THAT(report.explanation, HasSubstr("cannot be used"));
  EXPECT_THAT(report.explanation, Not(HasSubstr("finds no libcuda")));
}

TEST(ProbeChild, TheToolkitsStubIsCalledAStub) {
  const std::filesystem::path stub = GPUGAUGE_CUDA_STUB;
  if (stub.empty() || !std::filesystem::exists(stub)) GTEST_SKIP() << "no toolkit with a libcuda stub here";
  FakeTree tree;
  tree.healthy();
  std::filesystem::create_directories(tree.at("/stubs"));
  std::filesystem::copy_file(stub, tree.at("/stubs/libcuda.so.1"));
  const GpuReport report = probe(tree, "", {}, 30, tree.at("/stubs").string());
  EXPECT_EQ(report.state, GpuState::no_library);
  EXPECT_EQ(report.code, 34);
  EXPECT_THAT(report.explanation, HasSubstr("stub"));
}

TEST(ProbeChild, DescribesEachGpu) {
  FakeTree tree;
  tree.healthy(2);
  const GpuReport report =
      probe(tree,
            "devices=2\nname=NVIDIA H200\nname.1=NVIDIA L4\ncapability=89\npci.1=0000:A1:00.0\n"
            "persistence=1\necc=1\necc_pending=0\nmig=0\ncompute_mode=0\npower_limit_mw=600000\n"
            "power_limit_default_mw=700000\nsm_clock_application_mhz=1590\n"
            "sm_clock_application_default_mhz=1980\nmemory_clock_application_mhz=3201\n",
            {});
  ASSERT_EQ(report.state, GpuState::usable) << report.explanation;
  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_EQ(report.gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(report.gpus[0].uuid, "GPU-aa010203-0405-0607-0809-0a0b0c0d0e00");
  EXPECT_EQ(report.gpus[0].compute_capability, "8.9");
  EXPECT_EQ(report.gpus[1].index, 1);
  EXPECT_EQ(report.gpus[1].name, "NVIDIA L4");
  EXPECT_EQ(report.gpus[1].pci_bus_id, "0000:a1:00.0");
  const result::Facts settings{{"compute_mode", "0"},
                               {"ecc", "on (off after reset)"},
                               {"mig", "off"},
                               {"persistence", "on"},
                               {"power_limit_watt", "600"},
                               {"power_limit_default_watt", "700"},
                               {"sm_clock_application_mhz", "1590"},
                               {"sm_clock_application_default_mhz", "1980"},
                               {"memory_clock_application_mhz", "3201"}};
  EXPECT_EQ(report.gpus[0].settings, settings);
  EXPECT_EQ(report.driver_cuda_version, "13.0");
  EXPECT_EQ(report.libcuda_version, "580.65.06");
  EXPECT_EQ(report.kernel_module_kind, "open");
}

TEST(ProbeChild, WhatADiagnosisAsksOfNvmlComesAlong) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report =
      probe(tree,
            "devices=1\nname=GRID A100-10C\ncapability=80\nbrand=9\ngsp=580.65.06\nfabric_state=2\n"
            "remapped=3 1 0 0\nvirtualization=2\nlicence=0\ncc_feature=1\n",
            {});
  ASSERT_EQ(report.state, GpuState::usable) << report.explanation;
  const result::Facts told{{"brand", "vCS"},
                           {"fabric_state", "in_progress"},
                           {"gsp", "580.65.06"},
                           {"remapped_correctable", "3"},
                           {"remapped_uncorrectable", "1"}};
  EXPECT_EQ(report.gpus[0].told, told);
  EXPECT_EQ(report.gpus[0].settings.at("vgpu_licence"), "unlicensed");
  EXPECT_EQ(report.gpus[0].settings.at("confidential_computing"), "on");
}

TEST(ProbeChild, AMigInstanceHasItsOwnName) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "mig=1\n", {});
  ASSERT_EQ(report.gpus.size(), 1U);
  EXPECT_EQ(report.gpus[0].uuid, "MIG-bb010203-0405-0607-0809-0a0b0c0d0e00");
}

}  // namespace
}  // namespace gpugauge::stack
