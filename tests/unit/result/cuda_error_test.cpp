#include "result/cuda_error.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

// Numbers and names as driver_types.h of CUDA 13.0 has them.
const std::map<int, std::string> documented{{2, "cudaErrorMemoryAllocation"},
                                            {3, "cudaErrorInitializationError"},
                                            {34, "cudaErrorStubLibrary"},
                                            {35, "cudaErrorInsufficientDriver"},
                                            {36, "cudaErrorCallRequiresNewerDriver"},
                                            {46, "cudaErrorDevicesUnavailable"},
                                            {98, "cudaErrorInvalidDeviceFunction"},
                                            {100, "cudaErrorNoDevice"},
                                            {101, "cudaErrorInvalidDevice"},
                                            {200, "cudaErrorInvalidKernelImage"},
                                            {209, "cudaErrorNoKernelImageForDevice"},
                                            {218, "cudaErrorInvalidPtx"},
                                            {221, "cudaErrorJitCompilerNotFound"},
                                            {222, "cudaErrorUnsupportedPtxVersion"},
                                            {304, "cudaErrorOperatingSystem"},
                                            {700, "cudaErrorIllegalAddress"},
                                            {702, "cudaErrorLaunchTimeout"},
                                            {719, "cudaErrorLaunchFailure"},
                                            {802, "cudaErrorSystemNotReady"},
                                            {803, "cudaErrorSystemDriverMismatch"},
                                            {804, "cudaErrorCompatNotSupportedOnDevice"},
                                            {999, "cudaErrorUnknown"}};

TEST(CudaError, NamesTheCodesThatUsersMeet) {
  for (const auto& [code, name] : documented) {
    const auto info = explain_cuda_error(code);
    ASSERT_TRUE(info.has_value()) << code;
    EXPECT_EQ(info->code, code);
    EXPECT_EQ(info->name, name);
  }
}

TEST(CudaError, EachTextIsOneSentence) {
  int known = 0;
  for (int code = -10; code < 2000; ++code) {
    const auto info = explain_cuda_error(code);
    if (!info) continue;
    ++known;
    for (const std::string_view text : {info->meaning, info->next}) {
      EXPECT_GE(text.size(), 30U) << code;
      EXPECT_TRUE(text.front() >= 'A' && text.front() <= 'Z') << text;
      EXPECT_EQ(text.back(), '.') << text;
      EXPECT_EQ(text.find(". "), std::string_view::npos) << text;
      EXPECT_EQ(text.find("  "), std::string_view::npos) << text;
    }
  }
  EXPECT_GE(known, static_cast<int>(documented.size()));
}

TEST(CudaError, MostMisreadCodesNameTheirCause) {
  const auto meaning = [](int code) { return std::string(explain_cuda_error(code).value().meaning); };
  EXPECT_NE(meaning(802).find("fabric manager"), std::string::npos);
  EXPECT_NE(meaning(803).find("different versions"), std::string::npos);
  EXPECT_NE(meaning(804).find("cuda-compat"), std::string::npos);
  EXPECT_NE(meaning(999).find("nvidia_uvm"), std::string::npos);
  // The runtime answers 35 also where there is no driver library at all.
  EXPECT_NE(meaning(35).find("no driver library at all"), std::string::npos);
}

TEST(CudaError, SaysNothingAboutCodesItDoesNotKnow) {
  EXPECT_FALSE(explain_cuda_error(0).has_value());
  EXPECT_FALSE(explain_cuda_error(-1).has_value());
  EXPECT_FALSE(explain_cuda_error(998).has_value());
  EXPECT_FALSE(explain_cuda_error(1000).has_value());
}

}  // namespace
}  // namespace gpugauge::result
