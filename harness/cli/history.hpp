// What the subcommands of `gpugauge history` share.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {

/// Which runs of which store.
struct HistoryArguments {
  std::string store;            ///< --store; empty = store::default_location()
  std::string state_directory;  ///< --state-dir; empty = baseline::state_directory()
  std::string node;             ///< pattern of node names; empty = all
  std::string device;           ///< pattern of device identities; empty = all
  std::string metric;           ///< pattern of metric keys; empty = all
  std::string since;            ///< day or RFC 3339 time, UTC; empty = no bound
  std::string until;            ///< likewise; runs that start then are left out
};

/// --store and --state-dir.
void add_store_options(CLI::App& command, HistoryArguments& arguments);
/// --node, --device, --since, --until.
void add_selection_options(CLI::App& command, HistoryArguments& arguments);

/// Where the arguments say. Throws like store::Store::open.
store::Store open_store(const HistoryArguments& arguments, store::Access access);
/// Throws result::UsageError for what is neither a day nor a time.
store::Span span(const HistoryArguments& arguments);
/// Devices whose names match. Throws result::UsageError when there is none, naming some that there are, or
/// when the store holds no run.
std::vector<store::Device> select_devices(store::Store& store, const HistoryArguments& arguments);
/// Metrics whose keys match; all for an empty pattern. Throws result::UsageError when the store holds metrics
/// and none matches, naming some; empty for a store without any.
std::vector<store::Metric> select_metrics(store::Store& store, const std::string& pattern);

void add_history_ingest(CLI::App& history, Action& action);
void add_history_series(CLI::App& history, Action& action);  ///< trend and changes
void add_history_export(CLI::App& history, Action& action);

}  // namespace gpugauge::cli
