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

/// A file of ours that is no run: a baseline's manifest, a report.
bool of_another_schema(std::string_view text);

/// A day from now by this machine's clock, in seconds since 1970. Clocks that are stepped, and those of two
/// machines, differ by less: what began later is dated wrongly.
double a_day_from_now();

/// A sentence on a run, `what`, that began more than a day later than now by this machine's clock, as
/// `started` has it: one of the two clocks is wrong, and "earlier" and "later" mean little. "" for any other.
std::string from_the_future(const std::string& what, const std::string& started);

}  // namespace gpugauge::cli
