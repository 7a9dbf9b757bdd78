// The C library answering as on a bad day, for the command it is preloaded into and nobody that it starts.
// GPUGAUGE_SHIM is a list with commas of
//   rename=E fsync=E write=E close=E mkdir=E flock=E fchmod=E fork=E
//                     that call (rename: linking, too) fails with the error number E on files whose path
//                     holds "out" (out.json and what is written beside it, folders of that name); fork on
//                     every start
//   rename=kill       SIGKILL in that moment: what is written has no name yet
//   write=kill        SIGKILL when half of it is written
//   threads=N         the first N threads can be started, and no more
//   clock=SECONDS     the wall clock steps by so many seconds once half a second has passed
//   folder=stop       SIGTERM in the moment in which a folder for temporary files is made
//   nokill            SIGKILL reaches nobody, as in a process that is stuck in the kernel
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// The value of a word in the list; nullptr when it is not there.
const char* word(const char* name) {
  static const std::string list = [] {
    const char* given = std::getenv("GPUGAUGE_SHIM");
    unsetenv("LD_PRELOAD");  // nobody that it starts
    return std::string(",") + (given != nullptr ? given : "");
  }();
  const auto found = list.find(std::string(",") + name);
  return found == std::string::npos ? nullptr : list.c_str() + found + 1 + std::strlen(name);
}

/// The error that a call is to answer, 0 for none.
int error_of(const char* call) {
  const char* value = word(call);
  return value != nullptr && *value == '=' ? std::atoi(value + 1) : 0;  // NOLINT(cert-err34-c): our own rows
}

bool chosen(const char* path) {
  return path != nullptr && std::strstr(path, "out") != nullptr;
}

/// The error that renaming or linking to that name is to answer, 0 for none.
int error_of_naming(const char* to) {
  if (!chosen(to)) return 0;
  if (word("rename=kill") != nullptr) std::raise(SIGKILL);
  return error_of("rename");
}

bool chosen(int descriptor) {
  char link[64];
  char path[4096] = "";
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  return readlink(link, path, sizeof path - 1) > 0 && std::strstr(path, "/.out") != nullptr;
}

struct Loaded {
  Loaded() { word(""); }
} loaded;

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
  if (const int error = error_of_naming(to); error != 0) return errno = error, -1;
  return real<int(const char*, const char*)>("rename")(from, to);
}

int link(const char* from, const char* to) noexcept {
  if (const int error = error_of_naming(to); error != 0) return errno = error, -1;
  return real<int(const char*, const char*)>("link")(from, to);
}

int flock(int descriptor, int operation) noexcept {
  if (const int error = error_of("flock"); error != 0 && chosen(descriptor)) return errno = error, -1;
  return real<int(int, int)>("flock")(descriptor, operation);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (const int error = error_of("mkdir"); error != 0 && chosen(path)) return errno = error, -1;
  return real<int(const char*, mode_t)>("mkdir")(path, mode);
}

char* mkdtemp(char* name) noexcept {
  char* const made = real<char*(char*)>("mkdtemp")(name);
  if (word("folder=stop") != nullptr) std::raise(SIGTERM);
  return made;
}

int fsync(int descriptor) {
  if (const int error = error_of("fsync"); error != 0 && chosen(descriptor)) return errno = error, -1;
  return real<int(int)>("fsync")(descriptor);
}

int close(int descriptor) {
  const int error = error_of("close");
  const bool fails = error != 0 && chosen(descriptor);
  const int result = real<int(int)>("close")(descriptor);
  return fails ? (errno = error, -1) : result;
}

int fchmod(int descriptor, mode_t mode) noexcept {
  if (const int error = error_of("fchmod"); error != 0 && chosen(descriptor)) return errno = error, -1;
  return real<int(int, mode_t)>("fchmod")(descriptor, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (word("write=kill") != nullptr && chosen(descriptor)) {
    real<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, count / 2);
    std::raise(SIGKILL);
  }
  if (const int error = error_of("write"); error != 0 && chosen(descriptor)) return errno = error, -1;
  return real<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, count);
}

pid_t fork() noexcept {
  if (const int error = error_of("fork"); error != 0) return errno = error, -1;
  return real<pid_t()>("fork")();
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  static std::atomic<long> started = 0;
  if (const char* most = word("threads");
      most != nullptr && started++ >= std::atol(most + 1))  // NOLINT(cert-err34-c)
    return EAGAIN;
  return real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(
      thread, attributes, start, argument);
}

int kill(pid_t process, int signal) noexcept {
  if (signal == SIGKILL && word("nokill") != nullptr) return 0;
  return real<int(pid_t, int)>("kill")(process, signal);
}

int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  static const auto asked = real<int(clockid_t, struct timespec*)>("clock_gettime");
  const int result = asked(clock, time);
  const char* step = word("clock");
  if (clock != CLOCK_REALTIME || result != 0 || step == nullptr) return result;
  static const timespec first = *time;
  const double passed = static_cast<double>(time->tv_sec - first.tv_sec) +
                        static_cast<double>(time->tv_nsec - first.tv_nsec) / 1e9;
  if (passed > .5) time->tv_sec += std::atol(step + 1);  // NOLINT(cert-err34-c): our own rows
  return result;
}

}  // extern "C"
