// Waits inside vfork(), in a wait that no ordinary signal ends, until SIGKILL.
#include <unistd.h>

int main() {
  const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): this is what is tested
  if (child == 0) {
    for (;;) pause();  // NOLINT(clang-analyzer-unix.Vfork): allowed or not, it never returns
  }
  return 0;
}
