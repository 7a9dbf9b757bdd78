// What the inventory says of this machine's libraries against what the libraries answer when they are called.
// Each is opened in a child process of its own.
#include <functional>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/libraries.hpp"

namespace gpugauge::stack {
namespace {

/// What the child wrote; it opens the library, which may crash or hang (the alarm ends it).
std::string in_child(const std::string& path, const std::function<std::string(void*)>& ask) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return "";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string answer =
        library == nullptr ? std::string("cannot be opened: ") + ::dlerror() : ask(library);
    if (::write(ends[1], answer.data(), answer.size()) < 0) ::_exit(1);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string answer;
  char buffer[512];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return answer;
}

template <typename Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

std::string by_property(void* library, const char* function) {
  // libraryPropertyType: 0 major, 1 minor, 2 patch
  auto* const get = find<int(int, int*)>(library, function);
  if (get == nullptr) return "no such function";
  int numbers[3] = {-1, -1, -1};
  for (int i = 0; i < 3; ++i) {
    if (get(i, &numbers[i]) != 0) return "refused";
  }
  return fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
}

std::string by_number(void* library, const char* function, std::string (*version)(int)) {
  auto* const get = find<int(int*)>(library, function);
  int number = 0;
  if (get == nullptr || get(&number) != 0) return "refused";
  return version(number);
}

std::string cudnn(void* library) {
  auto* const get = find<std::size_t()>(library, "cudnnGetVersion");
  return get == nullptr ? "no such function" : cudnn_version_of(static_cast<int>(get()));
}

/// 130002 is 13.0.2. cuBLAS 10 and 11 used 1000 per major version and let the minor version overflow: 11402 is
/// 11.4.2, and 12103 is 11.11.3.
std::string cublas_version_of(int number) {
  if (number >= 100000) return fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100, number % 100);
  const int major = number < 11000 ? 10 : 11;
  return fmt::format("{}.{}.{}", major, (number - 1000 * major) / 100, number % 100);
}

std::string cublas_lt(void* library) {
  auto* const get = find<std::size_t()>(library, "cublasLtGetVersion");
  return get == nullptr ? "no such function" : cublas_version_of(static_cast<int>(get()));
}

/// CUPTI numbers as cuBLAS does since CUDA 13, and counted up before.
std::string cupti_version(int number) {
  return number < 10000 ? fmt::format("{}", number) : cublas_version_of(number);
}

std::string major_and_minor(void* library, const char* function) {
  auto* const get = find<int(int*, int*)>(library, function);
  int major = 0;
  int minor = 0;
  if (get == nullptr || get(&major, &minor) != 0) return "refused";
  return fmt::format("{}.{}", major, minor);
}

struct Library {
  const char* name;
  std::function<std::string(void*)> ask;
};

void PrintTo(const Library& library, std::ostream* out) {
  *out << library.name;
}

class LiveVersion : public ::testing::TestWithParam<Library> {};

TEST_P(LiveVersion, IsWhatTheLibraryItselfAnswers) {
  static const Inventory inventory = [] {
    Inventory found;
    collect_libraries({Tree("/"), current_environment(), "", std::nullopt, false, 20, {}}, found);
    return found;
  }();
  const std::string key = fmt::format("library.{}", GetParam().name);
  int compared = 0;
  for (const std::string& index : inventory.children(key)) {
    const std::string path = inventory.value(fmt::format("{}.{}.path", key, index));
    const std::string version = inventory.value(fmt::format("{}.{}.version", key, index));
    if (path.empty() || version == "unknown") continue;
    const std::string answer = in_child(path, GetParam().ask);
    const auto said = Version::parse(answer);
    const auto found = Version::parse(version);
    ASSERT_TRUE(said.has_value()) << path << ": " << answer;
    ASSERT_TRUE(found.has_value()) << path << ": " << version;
    EXPECT_TRUE(said->covers(*found))
        << path << " answers " << answer << ", the inventory says " << version << " by "
        << inventory.find(fmt::format("{}.{}.version", key, index))->how;
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no " << GetParam().name << " on this machine";
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, LiveVersion,
    ::testing::Values(
        Library{"cublas", [](void* library) { return by_property(library, "cublasGetProperty"); }},
        Library{"cublasLt", cublas_lt}, Library{"cudnn", cudnn}, Library{"cudnn_graph", cudnn},
        Library{"nccl", [](void* library) { return by_number(library, "ncclGetVersion", nccl_version_of); }},
        Library{"cupti", [](void* library) { return by_number(library, "cuptiGetVersion", cupti_version); }},
        Library{"cudart",
                [](void* library) { return by_number(library, "cudaRuntimeGetVersion", cuda_version_of); }},
        Library{"cufft", [](void* library) { return by_property(library, "cufftGetProperty"); }},
        Library{"curand", [](void* library) { return by_property(library, "curandGetProperty"); }},
        Library{"cusparse", [](void* library) { return by_property(library, "cusparseGetProperty"); }},
        Library{"cusolver", [](void* library) { return by_property(library, "cusolverGetProperty"); }},
        Library{"nvrtc", [](void* library) { return major_and_minor(library, "nvrtcVersion"); }},
        Library{"nvjitlink",
                [](void* library) {
                  auto* const get = find<int(unsigned*, unsigned*)>(library, "nvJitLinkVersion");
                  unsigned major = 0;
                  unsigned minor = 0;
                  if (get == nullptr || get(&major, &minor) != 0) return std::string("refused");
                  return fmt::format("{}.{}", major, minor);
                }}),
    [](const ::testing::TestParamInfo<Library>& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gpugauge::stack
