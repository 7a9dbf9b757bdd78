#include "run/temporary_directory.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/core.h>
#include <stdlib.h>

#include "result/error.hpp"

namespace gpugauge::run {

TemporaryDirectory::TemporaryDirectory() {
  const char* variable = std::getenv("TMPDIR");
  const std::filesystem::path parent = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  std::string name = (parent / "gpugauge-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw result::FileError(fmt::format(
        "Cannot make a folder for temporary files in {}: {}; set TMPDIR to a folder that can be written to.",
        parent.string(), std::strerror(errno)));
  path_ = std::filesystem::absolute(name);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gpugauge::run
