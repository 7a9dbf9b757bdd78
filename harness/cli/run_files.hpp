// Run files as a user names them: files and folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::cli {

/// A file that may be a run.
struct FoundFile {
  std::filesystem::path file;    ///< as it can be opened from here
  std::string label;             ///< without extension; below the folder it was found in
  bool in_a_folder = false;      ///< found in a folder, not named
  std::filesystem::path root{};  ///< the folder that was given; empty for a file that was named
};

/// The files, and all *.json below the folders in the order of their names. A *.json that is not there is
/// among them, a node without an answer: reading it says so. Throws result::UsageError for a folder without
/// any and for any other path that is not there, result::FileError for a folder that cannot be searched.
/// Links to folders are followed. `without` takes the folders directly below a given one that hold no *.json
/// where others hold some, and links that lead nowhere: whose runs those would be was not measured.
std::vector<FoundFile> find_files(const std::vector<std::string>& paths,
                                  std::vector<FoundFile>* without = nullptr);

/// Patterns of the shell, in quotes, become the files that they stand for; every other path stays. Throws
/// result::UsageError for a pattern that stands for none, result::FileError where a folder that may hold such
/// files cannot be searched.
std::vector<std::string> expanded(const std::vector<std::string>& paths);

/// For commands that read thousands of files: memory that was freed stays with the process for the next file,
/// and is not taken from the kernel anew, page by page.
void keep_freed_memory();

}  // namespace gpugauge::cli
