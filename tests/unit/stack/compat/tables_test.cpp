// Lookups, by the tables of this build.
#include "stack/compat/tables.hpp"

#include <gtest/gtest.h>

namespace gpugauge::stack {
namespace {

Version version(const char* text) {
  return *Version::parse(text);
}

TEST(VersionRange, IncludesItsBoundsAndWhatBeginsWithTheLast) {
  const VersionRange range{version("11.8"), version("12")};
  EXPECT_TRUE(range.contains(version("11.8")));
  EXPECT_TRUE(range.contains(version("12.9.1")));
  EXPECT_FALSE(range.contains(version("11.7.1")));
  EXPECT_FALSE(range.contains(version("13.0")));
  EXPECT_TRUE((VersionRange{std::nullopt, version("9.10.2")}).contains(version("9.10.2.21")));
  EXPECT_FALSE((VersionRange{std::nullopt, version("9.10.2")}).contains(version("9.10.3")));
  EXPECT_TRUE((VersionRange{version("12.8"), std::nullopt}).contains(version("99")));
  EXPECT_TRUE(VersionRange{}.contains(version("1")));
}

TEST(VersionRange, SaysWhatItIs) {
  EXPECT_EQ((VersionRange{version("11.8"), version("12")}).text(), "11.8 to 12");
  EXPECT_EQ((VersionRange{version("12.8"), std::nullopt}).text(), "from 12.8");
  EXPECT_EQ((VersionRange{std::nullopt, version("9.10.2")}).text(), "up to 9.10.2");
  EXPECT_EQ((VersionRange{version("2.16.2"), version("2.16.2")}).text(), "2.16.2");
  EXPECT_EQ(VersionRange{}.text(), "any");
}

TEST(Tables, KnowTheDriverOfAToolkit) {
  EXPECT_EQ(tables().native_driver(version("13.0.2"))->native_driver.text(), "580.95.05");
  EXPECT_EQ(tables().native_driver(version("13.0.2"))->release, "13.0 Update 2");
  EXPECT_EQ(tables().native_driver(version("13.0"))->native_driver.text(), "580.65.06");
  EXPECT_EQ(tables().native_driver(version("13.0.88"))->native_driver.text(),
            "580.65.06");  // nvcc's own number
  EXPECT_EQ(tables().native_driver(version("12.8.0"))->native_driver.text(), "570.26");
  EXPECT_EQ(tables().native_driver(version("11.8"))->native_driver.text(), "520.61.05");
  EXPECT_EQ(tables().native_driver(version("12.7")), nullptr);
  EXPECT_EQ(tables().native_driver(version("99.0")), nullptr);
  EXPECT_EQ(tables().newest_known_cuda().text(), "13.3");
}

TEST(Tables, KnowTheOldestDriverOfAMajorVersion) {
  EXPECT_EQ(tables().minimum_driver(13)->driver.text(), "580");
  EXPECT_EQ(tables().minimum_driver(12)->driver.text(), "525.60.13");
  EXPECT_EQ(tables().minimum_driver(11)->driver.text(), "450.80.02");
  EXPECT_EQ(tables().minimum_driver(14), nullptr);
}

TEST(Tables, KnowArchitectures) {
  const Architecture* const volta = tables().architecture(version("7.0"));
  ASSERT_NE(volta, nullptr);
  EXPECT_EQ(volta->name, "Volta");
  EXPECT_EQ(volta->last_cuda->text(), "12.9");
  EXPECT_EQ(volta->last_driver_branch, 580);
  EXPECT_EQ(tables().architecture(version("3.7"))->last_driver_branch, 470);
  const Architecture* const hopper = tables().architecture(version("9.0"));
  EXPECT_EQ(hopper->first_cuda.text(), "11.8");
  EXPECT_FALSE(hopper->last_cuda.has_value());
  EXPECT_FALSE(hopper->last_driver_branch.has_value());
  EXPECT_EQ(tables().architecture(version("12.0"))->first_driver->text(), "570.26");
  EXPECT_EQ(tables().architecture(version("99.0")), nullptr);
}

TEST(Tables, KnowBranchesOfDrivers) {
  const DriverBranch* const branch = tables().branch(version("580.65.06"));
  ASSERT_NE(branch, nullptr);
  EXPECT_EQ(branch->kind, "long-term support");
  EXPECT_EQ(branch->end_of_life, "2028-06");
  EXPECT_EQ(branch->cuda_max->text(), "13.0");
  EXPECT_TRUE(tables().branch(version("560.35.03"))->ended);
  EXPECT_EQ(tables().branch(version("610"))->end_of_life,
            "2026-08");  // NVIDIA's date, not a year after release
  EXPECT_EQ(tables().branch(version("535.183.01"))->end_of_life, "2026-06");
  EXPECT_TRUE(tables().branch(version("590"))->counted) << "no page of NVIDIA's gives it a date";
  EXPECT_EQ(tables().branch(version("620.70.06"))->end_of_life, "2029-09");
  EXPECT_EQ(tables().branch(version("999.10")), nullptr);
}

TEST(Tables, FindTheClosestReleaseOfAFramework) {
  EXPECT_EQ(tables().framework("torch", version("2.8.0"))->version.text(), "2.8");
  EXPECT_EQ(tables().framework("torch", version("2.10.1"))->version.text(), "2.10");
  EXPECT_EQ(tables().framework("torch", version("2.1"))->version.text(), "2.1");
  EXPECT_EQ(tables().framework("torch", version("3.0")), nullptr);
  EXPECT_EQ(tables().framework("tensorflow", version("2.16.2"))->version.text(), "2.16.1");
  EXPECT_EQ(tables().framework("jax", version("0.4.29"))->cudnn->text(), "8.9");
  EXPECT_EQ(tables().framework("jax", version("0.4.20"))->version.text(), "0.4.24");  // the oldest of 0.4
  EXPECT_EQ(tables().framework("jax", version("0.4.99"))->version.text(), "0.4.38");
  EXPECT_EQ(tables().framework("onnxruntime", version("1.18.1"))->version.text(), "1.18.1");
  EXPECT_EQ(tables().framework("onnxruntime", version("1.18.2"))->version.text(), "1.18.1");
  EXPECT_EQ(tables().framework("onnxruntime", version("1.22.0"))->cudnn->text(), "9");
  EXPECT_EQ(tables().framework("cupy", version("13.6.0"))->version.text(), "13");
  EXPECT_EQ(tables().framework("nothing", version("1.0")), nullptr);
}

TEST(Tables, TellTheWheelsOfAReleaseApart) {
  const FrameworkBuild* const torch = tables().framework("torch", version("2.9.1"));
  ASSERT_NE(torch, nullptr);
  ASSERT_NE(torch->wheel(version("12.8")), nullptr);
  EXPECT_EQ(torch->wheel(version("12.8"))->nccl->text(), "2.27.5");
  EXPECT_EQ(torch->wheel(version("13.0"))->cudnn->text(), "9.13.0.50");
  EXPECT_EQ(torch->wheel(version("13.0"))->compute_capabilities.front().text(), "7.5");
  EXPECT_EQ(torch->wheel(version("11.8")), nullptr);
  EXPECT_EQ(torch->compute_capabilities.front().text(), "5.0");  // of all its wheels together
}

TEST(Tables, KnowTheLimitsOfHostCompilers) {
  EXPECT_EQ(tables().host_compiler("gcc", version("13.0"))->most.text(), "15");
  EXPECT_EQ(tables().host_compiler("gcc", version("12.4.1"))->most.text(), "13");
  EXPECT_EQ(tables().host_compiler("gcc", version("11.4"))->most.text(), "10");
  EXPECT_EQ(tables().host_compiler("gcc", version("11.4.3"))->most.text(), "11.1");
  EXPECT_EQ(tables().host_compiler("clang", version("12.8.1"))->most.text(), "19");
  EXPECT_EQ(tables().host_compiler("clang", version("13.0"))->least->text(), "7");
  EXPECT_EQ(tables().host_compiler("gcc", version("14.0")), nullptr);
  EXPECT_EQ(tables().host_compiler("msvc", version("13.0")), nullptr);
}

TEST(Tables, FindASystemByItsId) {
  ASSERT_NE(tables().system("rhel 9.4"), nullptr);
  EXPECT_EQ(tables().system("rhel 9.4")->distribution, "rhel 9");
  EXPECT_EQ(tables().system("ubuntu 20.04")->cuda.text(), "up to 12.9");
  EXPECT_EQ(tables().system("ubuntu 22.04")->cuda.text(), "any");
  for (const char* const unknown : {"ubuntu 22.10", "ubuntu", "", "arch", "rhel x", "gentoo 2.14"})
    EXPECT_EQ(tables().system(unknown), nullptr) << unknown;
}

TEST(Tables, PairGuestsWithHosts) {
  EXPECT_NE(tables().vgpu_pairing(version("18.4"), version("19.1")), nullptr);
  EXPECT_TRUE(tables().vgpu_pairing(version("19.0"), version("19.1"))->source.read);
  EXPECT_TRUE(tables().vgpu_pairing(version("16.9"), version("19.0"))->source.read);
  EXPECT_FALSE(tables().vgpu_pairing(version("17.1"), version("18.0"))->source.read);
  EXPECT_EQ(tables().vgpu_pairing(version("17.1"), version("19.0")), nullptr);
  EXPECT_EQ(tables().vgpu_pairing(version("19.0"), version("18.0")), nullptr);
}

TEST(Tables, NameErrorCodes) {
  EXPECT_EQ(tables().error("runtime", 35)->name, "cudaErrorInsufficientDriver");
  EXPECT_EQ(tables().error("driver", 802)->name, "CUDA_ERROR_SYSTEM_NOT_READY");
  EXPECT_EQ(tables().error("nvml", 18)->name, "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
  EXPECT_EQ(tables().error("driver", 35), nullptr);  // the driver's interface has no such code
  EXPECT_EQ(tables().error("runtime", 12345), nullptr);
  EXPECT_EQ(tables().error("cudnn", 1), nullptr);
}

}  // namespace
}  // namespace gpugauge::stack
