// What a conclusion says where no library could be opened, or only a part of the machine can be seen.
#include "stack/conclude.hpp"

#include <gmock/gmock.h>

namespace gpugauge::stack {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Evidence with_driver_but_no_library() {
  Evidence evidence;
  evidence.hardware.pci_listed = true;
  evidence.hardware.pci = {{"0000:01:00.0", "0x2330", "nvidia"}};
  evidence.hardware.module_loaded = true;
  evidence.hardware.module_version = "580.65.06";
  evidence.hardware.control_node = true;
  evidence.hardware.nodes = {"/dev/nvidia0"};
  evidence.cuda = ask_cuda("libcuda-that-nobody-has.so.1");
  evidence.build_cuda = "13.0.88";
  evidence.minimum_driver = "580.65.06";
  return evidence;
}

TEST(Conclude, AMissingLibraryIsToldApartFromABrokenOne) {
  const OpenedLibrary missing = ask_cuda("libcuda-that-nobody-has.so.1").library;
  EXPECT_FALSE(missing.opened);
  EXPECT_TRUE(missing.missing);
  const OpenedLibrary foreign = ask_cuda("libm.so.6").library;
  EXPECT_FALSE(foreign.opened);
  EXPECT_FALSE(foreign.missing);
  EXPECT_THAT(foreign.error, HasSubstr("has no cuInit"));
}

TEST(Conclude, NoLibraryOnAHostAsksForTheUserSpacePackage) {
  const GpuReport report = conclude(with_driver_but_no_library());
  EXPECT_EQ(report.state, GpuState::no_library);
  EXPECT_THAT(report.explanation, HasSubstr("finds no libcuda.so.1"));
  EXPECT_THAT(report.explanation, HasSubstr("same version as the kernel module, 580.65.06"));
  EXPECT_THAT(report.explanation, Not(HasSubstr("container")));
}

TEST(Conclude, NoLibraryInAContainerAsksForTheToolkit) {
  Evidence evidence = with_driver_but_no_library();
  evidence.container = "docker";
  const GpuReport report = conclude(evidence);
  EXPECT_EQ(report.state, GpuState::no_library);
  EXPECT_THAT(report.explanation, HasSubstr("NVIDIA Container Toolkit"));
  EXPECT_THAT(report.explanation, HasSubstr("NVIDIA_DRIVER_CAPABILITIES"));
}

TEST(Conclude, NoLibraryInWslNamesTheWindowsDriver) {
  Evidence evidence;
  evidence.hardware.wsl = true;
  evidence.cuda = ask_cuda("libcuda-that-nobody-has.so.1");
  const GpuReport report = conclude(evidence);
  EXPECT_EQ(report.state, GpuState::no_library);
  EXPECT_THAT(report.explanation, HasSubstr("Windows driver"));
}

TEST(Conclude, NothingAtAllSaysThatTheUsualMessageMisleads) {
  Evidence evidence;
  evidence.hardware.pci_listed = true;
  evidence.cuda = ask_cuda("libcuda-that-nobody-has.so.1");
  const GpuReport report = conclude(evidence);
  EXPECT_EQ(report.state, GpuState::no_hardware);
  EXPECT_FALSE(report.nvidia_hardware);
  EXPECT_THAT(report.explanation, HasSubstr("No driver library is installed either"));
  EXPECT_THAT(report.explanation, HasSubstr("misleading"));
}

TEST(Conclude, ABusThatCannotBeSeenIsNotCalledEmpty) {
  Evidence evidence;
  const GpuReport report = conclude(evidence);
  EXPECT_THAT(report.explanation, HasSubstr("no PCI bus to look at"));
}

TEST(Conclude, AVariableIsBlamedBeforeTheContainerOnlyWhereItIsCertain) {
  Evidence evidence;
  evidence.hardware.pci_listed = true;
  evidence.hardware.module_loaded = true;
  evidence.hardware.control_node = true;
  evidence.cuda.library.opened = true;
  evidence.cuda.code = 100;
  evidence.visible_devices = "0";
  const auto said = [&] { return conclude(evidence).explanation; };
  EXPECT_EQ(conclude(evidence).state, GpuState::no_device);
  EXPECT_THAT(said(), AllOf(HasSubstr("no /dev/nvidia0"), Not(HasSubstr("CUDA_VISIBLE_DEVICES"))));
  evidence.container_devices = "void";
  EXPECT_THAT(said(), HasSubstr("NVIDIA_VISIBLE_DEVICES is \"void\""));
  evidence.container_devices.reset();
  evidence.hardware.nodes = {"/dev/nvidia0"};
  EXPECT_THAT(said(), HasSubstr("CUDA_VISIBLE_DEVICES is set to \"0\", and CUDA shows only"));
  evidence.container_devices = "void";
  EXPECT_THAT(said(), Not(HasSubstr("void"))) << "CDI sets it in every container";
  evidence.hardware.nodes.clear();
  evidence.visible_devices = "-1";
  EXPECT_THAT(said(), HasSubstr("set to \"-1\", which names no GPU of this machine"));
}

TEST(Conclude, ADriverIsNotTooOldForABuildWithoutCuda) {
  Evidence evidence = with_driver_but_no_library();
  evidence.cuda = {};
  evidence.cuda.library.opened = true;
  evidence.cuda.version = 11040;
  evidence.cuda.gpus = {Gpu{}};
  EXPECT_EQ(conclude(evidence).state, GpuState::driver_too_old);
  evidence.build_cuda = "";
  EXPECT_EQ(conclude(evidence).state, GpuState::usable);
}

TEST(Conclude, TheVersionOfADriverThatHidesItsModuleComesFromNvml) {
  Evidence evidence;
  evidence.nvml.driver_version = "580.65.06";
  evidence.nvml.devices = 1;
  evidence.cuda.code = 999;
  evidence.cuda.call = "cuInit";
  evidence.cuda.library.opened = true;
  const GpuReport report = conclude(evidence);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_EQ(report.driver_version, "580.65.06");
  EXPECT_TRUE(report.nvidia_hardware);
}

TEST(Conclude, AChildThatCannotBeKilledIsSaidToBeLeftBehind) {
  ChildResult child;
  child.timed_out = true;
  child.unkillable = true;
  const GpuReport report = conclude_without_answer(with_driver_but_no_library().hardware, child, 20);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_THAT(report.explanation, HasSubstr("within 20 s"));
  EXPECT_THAT(report.explanation, HasSubstr("could not be killed"));
}

TEST(Conclude, WordsOfACrashAreMadePrintable) {
  ChildResult child;
  child.signal = 11;
  child.err = "first\nlast \x1b[31mword\x07\n\n";
  const GpuReport report = conclude_without_answer({}, child, 20);
  EXPECT_THAT(report.explanation, HasSubstr("\"last ?[31mword?\""));
}

TEST(Conclude, VersionsReadAsPeopleWriteThem) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12080), "12.8");
  EXPECT_EQ(cuda_version_text(11020), "11.2");
  EXPECT_EQ(cuda_version_text(0), "");
}

}  // namespace
}  // namespace gpugauge::stack
