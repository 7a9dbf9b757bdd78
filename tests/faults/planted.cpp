// A library that somebody planted: whoever loads it leaves a file behind, and says so.
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace {

struct Planted {
  Planted() {
    const int file = open("owned", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    std::fputs("PLANTED\n", stderr);
  }
} planted;

}  // namespace
