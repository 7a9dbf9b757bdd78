#include "result/file_beside.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/stops_held_back.hpp"

namespace gpugauge::result {

FileBeside::FileBeside(const std::filesystem::path& given)
    : target_(ready(given)), descriptor_(-1), temporary_(begun(target_, descriptor_)) {
  if (!admit_as(target_.file, descriptor_.get())) give_up("setting its mode");
}

FileBeside::~FileBeside() {
  if (!gone_) ::unlink(temporary_.file().c_str());
}

FileBeside::Target FileBeside::ready(const std::filesystem::path& given) {
  const std::filesystem::path file = place_to_write(given);
  const std::filesystem::path folder =
      file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw FileError(fmt::format("the folder {} could not be made: {}", folder.string(), error.message()));
  if (std::filesystem::is_directory(file, error))
    throw FileError(fmt::format("{} is a directory; give the name of a file", file.string()));
  return {file, folder};
}

/// Makes the temporary file and returns its name.
std::string FileBeside::begun(const Target& target, Descriptor& descriptor) {
  const std::string name = target.file.filename().string();
  remove_abandoned(target.folder, name);
  std::string temporary;
  descriptor = make_temporary(target.folder, name, temporary);
  if (descriptor.get() < 0)
    throw FileError(fmt::format("{} could not be written: {}", target.file.string(), std::strerror(errno)));
  return temporary;
}

void FileBeside::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) give_up("writing");
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void FileBeside::finish(const Expected& expected) {
  if (::fsync(descriptor_.get()) != 0) give_up("syncing");
  // This duplicate holds the lock beyond the close, until the file has its name.
  const Descriptor lock(::fcntl(descriptor_.get(), F_DUPFD_CLOEXEC, 0));
  if (!descriptor_.close()) give_up("closing");
  if (!give_name(expected)) give_up("renaming");
  gone_ = true;
  // The rename must survive a power cut, too. Ignores a file system that cannot sync a directory (EINVAL).
  const Descriptor directory(::open(target_.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0 && errno != EINVAL)
    throw FileError(fmt::format("{} was written, but its folder could not be synced: {}",
                                target_.file.string(), std::strerror(errno)));
}

/// False and errno if that fails. Throws FileError if the target is not as expected.
bool FileBeside::give_name(const Expected& expected) {
  const char* const temporary = temporary_.file().c_str();
  if (expected && !*expected && ::link(temporary, target_.file.c_str()) == 0) {
    // link() succeeds only if nothing is there, even while an NFS client caches the absence.
    ::unlink(temporary);
    return true;
  }
  if (expected && state_of(target_.file) != *expected)
    throw FileError(fmt::format("{} was written by another process meanwhile, and is left as that wrote it",
                                target_.file.string()));
  return std::rename(temporary, target_.file.c_str()) == 0;
}

void FileBeside::give_up(const char* step) {
  const std::string why = std::strerror(errno);
  ::unlink(temporary_.file().c_str());  // the destructor does not run if a constructor throws
  gone_ = true;
  throw FileError(fmt::format("{} could not be written ({}: {}); what was there before is unchanged",
                              target_.file.string(), step, why));
}

}  // namespace gpugauge::result
