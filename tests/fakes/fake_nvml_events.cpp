// The errors (Xid) that the fake NVML reports; their key is in scenario.hpp.
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fake_nvml.hpp"

namespace {

using namespace fake::nvml;

/// nvmlEventData_t.
struct Event {
  Device device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

/// Of each GPU that is listened to, how many of its errors have been told; -1 of the others.
std::array<int, gpus_most>& told_errors() {
  static std::array<int, gpus_most> told = [] {
    std::array<int, gpus_most> none{};
    none.fill(-1);
    return none;
  }();
  return told;
}

std::vector<unsigned long long> errors_of(int gpu) {
  std::vector<unsigned long long> found;
  std::istringstream words(fake::text_of(gpu, "xids", ""));
  for (unsigned long long number = 0; words >> number;) found.push_back(number);
  return found;
}

}  // namespace

extern "C" {

int nvmlEventSetCreate(void** events) {
  *events = &told_errors();
  return fake::number("code.nvmlEventSetCreate", 0);
}
int nvmlEventSetFree(void*) {
  return 0;
}
int nvmlDeviceRegisterEvents(Device device, unsigned long long types, void*) {
  constexpr unsigned long long xid = 8;
  if (const int code = refusal(device, "nvmlDeviceRegisterEvents"); code != 0) return code;
  if (types != xid) return invalid_argument;
  const int gpu = index_of(device);
  told_errors().at(static_cast<std::size_t>(gpu)) = static_cast<int>(errors_of(gpu).size());
  return 0;
}
int nvmlEventSetWait_v2(void*, Event* event, unsigned milliseconds) {
  constexpr int timeout = 10;
  if (milliseconds != 0) return invalid_argument;
  if (const std::string mark = fake::text("listened", ""); !mark.empty()) std::ofstream(mark).put('\n');
  for (int gpu = 0; gpu < std::min(devices(), gpus_most); ++gpu) {
    const auto place = static_cast<std::size_t>(gpu);
    int& told = told_errors().at(place);
    const auto errors = errors_of(gpu);
    if (told < 0 || static_cast<std::size_t>(told) >= errors.size()) continue;
    *event = {&handles.at(place), 8, errors[static_cast<std::size_t>(told++)], ~0U, ~0U};
    return 0;
  }
  return timeout;
}

}  // extern "C"
