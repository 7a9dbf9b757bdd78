#include "stack/plan/plan_gpu_models.hpp"

#include <set>

#include <gtest/gtest.h>

namespace gpugauge::stack {
namespace {

std::string capability(std::string_view text) {
  const auto model = gpu_model(text);
  return model ? model->compute_capability.text() : "none";
}

TEST(GpuModels, AreFoundByTheNamesThatPeopleType) {
  EXPECT_EQ(capability("h100"), "9.0");
  EXPECT_EQ(capability("NVIDIA H100 80GB HBM3"), "9.0");
  EXPECT_EQ(capability("NVIDIA H100 PCIe"), "9.0");
  EXPECT_EQ(capability("H200"), "9.0");
  EXPECT_EQ(capability("NVIDIA A100-SXM4-80GB"), "8.0");
  EXPECT_EQ(capability("A10"), "8.6");
  EXPECT_EQ(capability("Tesla V100-SXM2-16GB"), "7.0");
  EXPECT_EQ(capability("Tesla T4"), "7.5");
  EXPECT_EQ(capability("NVIDIA T4 16GB"), "7.5");
  EXPECT_EQ(capability("rtx-4090"), "8.9");
  EXPECT_EQ(capability("NVIDIA GeForce RTX 4070 SUPER"), "8.9");
  EXPECT_EQ(capability("NVIDIA RTX 6000 Ada Generation"), "8.9");
  EXPECT_EQ(capability("Quadro RTX 6000"), "7.5");
  EXPECT_EQ(capability("NVIDIA RTX PRO 6000 Blackwell Server Edition"), "12.0");
  EXPECT_EQ(capability("b200"), "10.0");
  EXPECT_EQ(capability("B300"), "10.3");
  EXPECT_EQ(capability("l40s"), "8.9");
}

TEST(GpuModels, AComputeCapabilityIsOneToo) {
  EXPECT_EQ(capability("9.0"), "9.0");
  EXPECT_EQ(capability("12.1"), "12.1");
  EXPECT_EQ(capability("sm_90"), "9.0");
  EXPECT_EQ(capability("sm_120"), "12.0");
  EXPECT_EQ(gpu_model("9.0")->name, "compute capability 9.0");
  EXPECT_EQ(gpu_model("9.0")->market, Market::unknown);
}

TEST(GpuModels, AnotherNumberIsAnotherModel) {
  for (const char* text : {"",
                           "h1000",
                           "h",
                           "a1",
                           "b2000",
                           "rtx409",
                           "rtx40900",
                           "9",
                           "90",
                           "sm_9",
                           "sm_",
                           "9.",
                           "9..0",
                           "1.2.3",
                           "radeon",
                           "gpu",
                           "NVIDIA T400 4GB",
                           "Quadro P400 2GB",
                           "NVIDIA A400 4GB",
                           "Quadro M4000 8GB"})
    EXPECT_EQ(capability(text), "none") << text;
  EXPECT_EQ(capability(std::string(100000, 'h')), "none");
}

TEST(GpuModels, ABlackwellIsNoOlderGpuOfItsNumber) {
  EXPECT_EQ(capability("RTX 6000 Blackwell"), "none");
  EXPECT_EQ(capability("NVIDIA RTX 5000 80GB Blackwell Generation"), "none");
  EXPECT_EQ(capability("RTX PRO 5000 Blackwell"), "12.0");
  EXPECT_EQ(capability("B200 Blackwell"), "10.0");
}

TEST(GpuModels, AreEachListedOnce) {
  const auto names = gpu_model_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) EXPECT_NE(capability(name), "none") << name;
}

TEST(Market, ComesFromNameAndBrand) {
  EXPECT_EQ(market_of("NVIDIA GeForce RTX 4090", "GeForce"), Market::geforce);
  EXPECT_EQ(market_of("NVIDIA GeForce RTX 9999", ""), Market::geforce) << "a model that the table lacks";
  EXPECT_EQ(market_of("NVIDIA TITAN RTX", "Titan RTX"), Market::geforce);
  EXPECT_EQ(market_of("NVIDIA RTX A6000", "NVIDIA RTX"), Market::workstation);
  EXPECT_EQ(market_of("Tesla T4", "Tesla"), Market::data_centre);
  EXPECT_EQ(market_of("NVIDIA H100 80GB HBM3", "NVIDIA"), Market::data_centre);
  EXPECT_EQ(market_of("NVIDIA X1", ""), Market::unknown);
}

}  // namespace
}  // namespace gpugauge::stack
