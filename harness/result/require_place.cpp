// Whether a file can be written where it was asked for, as far as that is seen before there is anything to
// write.
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::result {
namespace {

namespace fs = std::filesystem;

/// errno of a new file in that folder, 0 where one can be made or only lacks room now. Leaves nothing behind:
/// the file that is tried has no name.
int refusal_of(const fs::path& folder) {
  struct statfs of_folder {};
  if (::statfs(folder.c_str(), &of_folder) == 0 &&
      (of_folder.f_type == PROC_SUPER_MAGIC || of_folder.f_type == SYSFS_MAGIC))
    return EPERM;  // root has the right to write there, and the kernel makes no file
  const Descriptor tried(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  int fault = tried.get() < 0 ? errno : 0;
  // A file system without files that have no name.
  if (fault == EOPNOTSUPP || fault == EISDIR || fault == EINVAL)
    fault = ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
  return fault == EACCES || fault == EPERM || fault == EROFS ? fault : 0;
}

bool too_long(const fs::path& name, std::size_t beside, const fs::path& folder) {
  const long limit = ::pathconf(folder.c_str(), _PC_NAME_MAX);
  return limit > 0 && name.native().size() + beside > static_cast<std::size_t>(limit);
}

}  // namespace

bool is_there(const fs::path& path) {
  std::error_code error;
  const bool there = fs::exists(path, error);
  if (error)
    throw FileError(fmt::format(
        "whether there is a {} cannot be seen: {}; name another place, or run it as a user who may look there",
        path.string(), error.message()));
  return there;
}

void require_place_to_write(const fs::path& given) {
  const fs::path file = place_to_write(given);
  std::error_code error;
  if (fs::is_directory(file, error))
    throw FileError(fmt::format("{} is a directory; give the name of a file", file.string()));
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  fs::path there = folder;
  bool long_name = false;
  while (!fs::exists(there, error) && there.has_relative_path()) {
    long_name = long_name || (error && error == std::errc::filename_too_long);
    there = there.has_parent_path() ? there.parent_path() : fs::path(".");
  }
  const std::string wanted = there == folder
                                 ? fmt::format("{} could not be written", file.string())
                                 : fmt::format("the folder {} could not be made", folder.string());
  const auto refuse = [](const std::string& what, int why) {
    throw FileError(fmt::format("{}: {}; name another place", what, std::strerror(why)));
  };
  if (!fs::is_directory(there, error))
    refuse(fmt::format("the folder {} could not be made", folder.string()), ENOTDIR);
  if (long_name) refuse(wanted, ENAMETOOLONG);
  // What is written is called ".NAME.gpugauge-XXXXXX" until it is whole.
  if (too_long(file.filename(), std::strlen("..gpugauge-XXXXXX"), there))
    refuse(fmt::format("{} could not be written", file.string()), ENAMETOOLONG);
  if (const int why = refusal_of(there); why != 0) refuse(wanted, why);
}

}  // namespace gpugauge::result
