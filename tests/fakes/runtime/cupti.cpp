// A CUPTI made for tests, opened by the families that name the kernels they launch. GPUGAUGE_FAKE_CUPTI says
// how it goes: "crash" ends the process by SIGKILL while it is attached, "refuse" answers that another has
// it, nothing names one kernel.
#include <csignal>
#include <cstdlib>
#include <string>

#include <cupti.h>

namespace {

CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;

bool asked_to(const char* word) {
  const char* const plan = std::getenv("GPUGAUGE_FAKE_CUPTI");
  return plan != nullptr && std::string(plan) == word;
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give,
                                           CUpti_BuffersCallbackCompleteFunc take) {
  request = give;
  complete = take;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind) {
  if (asked_to("crash")) raise(SIGKILL);
  return asked_to("refuse") ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind) {
  return CUPTI_SUCCESS;
}

/// Hands over one buffer with one record.
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0;
  std::size_t most = 0;
  request(&buffer, &bytes, &most);
  complete(nullptr, 0, buffer, bytes, 1);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t*, std::size_t, CUpti_Activity** record) {
#if CUPTI_API_VERSION >= 130000
  static CUpti_ActivityKernel10 kernel{};
#else
  static CUpti_ActivityKernel8 kernel{};
#endif
  if (*record != nullptr) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "_Z20ncclDevKernel_testedv";
  *record = reinterpret_cast<CUpti_Activity*>(&kernel);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult, const char** words) {
  *words = "an error of the fake CUPTI";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize() {
  return CUPTI_SUCCESS;
}

}  // extern "C"
