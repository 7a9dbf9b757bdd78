// A program whose name is a family's, and which does what families do where faults take effect:
//   math-mode MODE   sets cuBLAS's math mode and prints what the handle then has
//   injection        loads what CUDA_INJECTION64_PATH names, as the driver does, and prints what CUPTI then
//   watches nothing          starts and ends
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

extern "C" int cublasSetMathMode(void*, int);
extern "C" int cublasGetMathMode(void*, int*);
extern "C" int fake_cupti_works();

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "math-mode") == 0) {
    int mode = -1;
    if (cublasSetMathMode(nullptr, static_cast<int>(std::strtol(words[2], nullptr, 10))) != 0 ||
        cublasGetMathMode(nullptr, &mode) != 0)
      return 1;
    std::printf("%d\n", mode);
    return 0;
  }
  if (count == 2 && std::strcmp(words[1], "injection") == 0) {
    void* const injected = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    const auto begin =
        injected == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(injected, "InitializeInjection"));
    if (begin == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    std::printf("%d\n", begin());
    std::printf("%s\n", fake_cupti_works() == 1 ? "watched" : "unwatched");
    return 0;
  }
  return count == 2 && std::strcmp(words[1], "nothing") == 0 ? 0 : 2;
}
