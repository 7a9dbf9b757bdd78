#include "result/room.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "result/temporary_file.hpp"

namespace gpugauge::result {
namespace {

bool is_lack(int error) {
  return error == ENOSPC || error == EDQUOT;
}

}  // namespace

int lack_of_room(const std::filesystem::path& folder, std::uint64_t bytes) {
  const Descriptor tried(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (tried.get() < 0 && is_lack(errno)) return errno;
  if (tried.get() >= 0) {
    if (::fallocate(tried.get(), 0, 0, static_cast<off_t>(bytes)) == 0) return 0;
    if (is_lack(errno)) return errno;
  }
  // One that has no files without a name, or sets no room aside: NFS, ZFS.
  struct statvfs figures {};
  if (::statvfs(folder.c_str(), &figures) != 0) return 0;
  return is_too_full(figures, bytes, ::geteuid() == 0) ? ENOSPC : 0;
}

bool is_too_full(const struct statvfs& figures, std::uint64_t bytes, bool root) {
  const std::uint64_t block = figures.f_frsize > 0 ? figures.f_frsize : figures.f_bsize;
  if (figures.f_blocks == 0 || block == 0) return false;
  // Not multiplied: a file system without an end has more bytes than 64 bits count.
  return (root ? figures.f_bfree : figures.f_bavail) < (bytes + block - 1) / block;
}

}  // namespace gpugauge::result
