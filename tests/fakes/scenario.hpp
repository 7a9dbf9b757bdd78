// What the fake driver libraries answer: lines "key=value" of the file that GPUGAUGE_FAKE_SCENARIO names.
// Read at every question, so that a test may change it under a running process. Lines that begin with # are
// remarks.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <unistd.h>

namespace fake {

inline std::string text(const std::string& key, const std::string& otherwise) {
  const char* const file = std::getenv("GPUGAUGE_FAKE_SCENARIO");
  if (file == nullptr) return otherwise;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(key + "=", 0) == 0) return line.substr(key.size() + 1);
  }
  return otherwise;
}

inline int number(const std::string& key, int otherwise) {
  return std::atoi(text(key, std::to_string(otherwise)).c_str());  // NOLINT(cert-err34-c): our own test files
}

/// Copies like the real libraries do: cut to the buffer, always ended.
inline void copy(const std::string& from, char* to, std::size_t size) {
  if (size == 0) return;
  std::strncpy(to, from.c_str(), size - 1);
  to[size - 1] = '\0';
}

/// "hang=cuInit", "crash=cuInit", "exit=cuInit", "noise=cuInit": what a broken driver does in that call.
inline void misbehave(const char* call) {
  if (text("noise", "") == call) {
    std::puts("a driver that prints to standard output");
    std::fflush(stdout);
  }
  if (text("exit", "") == call) std::_Exit(7);
  if (text("crash", "") == call) {
    std::fputs("fatal: the fake driver was told to crash\n", stderr);
    std::abort();
  }
  while (text("hang", "") == call) ::sleep(1);
}

}  // namespace fake
