// Stores run files: every core reads, one thread writes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace gpugauge::store {

/// A run file and the node it is of.
struct NodeFile {
  std::string file;              ///< as the user named it
  std::string node;              ///< "" = unnamed
  std::string host;              ///< the same for a run of a host
  bool named_by_folder = false;  ///< Record::named_by_folder
  bool in_a_folder = false;      ///< found in a folder and not named: another file of ours is passed over
};

/// What became of the files.
struct Ingested {
  std::size_t stored = 0;    ///< files
  std::size_t values = 0;    ///< judged metrics of the stored files
  std::size_t known = 0;     ///< files that the store holds already
  std::size_t refused = 0;   ///< unreadable ones, and those that the store does not take
  std::size_t left_out = 0;  ///< files of a folder that hold no run
};

/// What is told while files are stored, each in the calling thread.
struct IngestWatch {
  std::function<void(const std::string&)> remark;      ///< of a run that is stored all the same; a sentence
  std::function<void(const std::string&)> unreadable;  ///< why a file is no run, a sentence with its name
  /// A run that the store does not take: changed, other_machine or refused, this with the database's words.
  std::function<void(const Record&, Outcome, const std::string&)> not_taken;
  /// How many files are done, and the last of them.
  std::function<void(std::size_t, const std::string&)> progress;
};

/// Stores the files in their order, up to 64 in one transaction, and then has the store count its rows. Every
/// function of `watch` must be set. Throws like Store::ingest().
Ingested ingest_files(Store& store, const std::vector<NodeFile>& files, const IngestWatch& watch);

}  // namespace gpugauge::store
