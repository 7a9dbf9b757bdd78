// Run files as a user names them: files and folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpugauge::cli {

/// A file that may be a run.
struct FoundFile {
  std::filesystem::path file;  ///< as it can be opened from here
  std::string label;           ///< without extension; below the folder it was found in
  bool in_a_folder = false;    ///< found in a folder, not named
};

/// The files, and all *.json below the folders in the order of their names. A file that is not there is among
/// them: reading it says so. Throws result::UsageError for a folder without any, result::FileError for one
/// that cannot be searched.
std::vector<FoundFile> find_files(const std::vector<std::string>& paths);

/// For commands that read thousands of files: memory that was freed stays with the process for the next file,
/// and is not taken from the kernel anew, page by page.
void keep_freed_memory();

/// Asks the kernel to fetch a file that will be read soon. Nothing happens where that fails.
void fetch_soon(const std::filesystem::path& file);

/// A file of ours that is no run: a baseline's manifest, a report. Only its beginning is looked at.
bool of_another_schema(const std::string& text);

}  // namespace gpugauge::cli
