// The history: runs of many nights and nodes in one database, SQLite in a file or PostgreSQL.
// Built where SOCI is installed; elsewhere `open` says how to get it (absent.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "judge/judge_peers.hpp"
#include "result/error.hpp"
#include "store/record.hpp"

namespace gpugauge::store {

/// A device of a node.
struct Device {
  std::int64_t id = 0;   ///< the store's own number
  std::string node;      ///< "" = unnamed
  std::string identity;  ///< UUIDs, or "host"
};

/// A metric that the store knows.
struct Metric {
  std::int64_t id = 0;   ///< the store's own number
  judge::PeerForm form;  ///< `judged`: it counts in some run of the store
};

/// The value of one metric in one run.
struct Point {
  std::string started;           ///< UTC, RFC 3339
  std::string run_id;            ///< result::Run::id
  std::string profile;           ///< Record::profile
  std::int64_t fingerprint = 0;  ///< for Store::fingerprint
  double median = 0;             ///< over the processes, in the metric's unit
};

/// Runs that started in [since, until[; each is a day or an RFC 3339 time in UTC, "" = no bound.
struct Span {
  std::string since;  ///< within the span
  std::string until;  ///< the first time that is not
};

/// One line of an export.
struct Row {
  std::string started,             ///< Record::started
      node,                        ///< Device::node
      device,                      ///< Device::identity
      run_id,                      ///< result::Run::id
      profile,                     ///< Record::profile
      source;                      ///< Record::source
  int round = 1;                   ///< 1, or the number of the repeated round
  const Metric* metric = nullptr;  ///< one of those that each_row was given; never null
  double median = 0;               ///< over the processes, in the metric's unit
  std::string values;              ///< of the processes, a JSON array of numbers
};

/// A night with the nights before it, back to one with half as many devices or more (a retest of a few is no
/// night of a fleet).
struct WiderNight {
  std::string days;  ///< as Store::night takes it: from the earliest of `added`; "" where there is none
  /// A run of each device that was measured there and not in the night; only hosts where the night
  /// has hosts, GPUs where it has GPUs. Without values and facts, and called as the night would call it.
  std::vector<judge::PeerRound> added;
};

/// The newest night of a store.
struct NewestNight {
  std::string days;       ///< as Store::night takes it; "" where the store holds no run
  std::size_t later = 0;  ///< runs that are dated later than any night was asked for, and left out
  std::string source{};   ///< Record::source of the latest of them
  std::string started{};  ///< of that one
};

/// What became of a record.
enum class Outcome {
  stored,
  known,    ///< these bytes are in the store already
  changed,  ///< a run of this id is there with other content: one of the two files was changed
  /// Nobody said which node it is of, and what is there of its folder's name, or of a host without a name, is
  /// of another machine (judge::are_two_machines).
  other_machine,
  refused,  ///< the database takes no such content
};

/// Called with a run, its values left out, and its facts.
using TakeFacts = std::function<void(const judge::PeerRound& round, const result::Fingerprint& facts)>;

/// What may be done with a store: who reads neither makes nor changes one.
enum class Access { reading, writing };

/// An older version of GPUGauge wrote the store, and it may not be brought up to date now.
class OlderStore : public result::UsageError {
  using UsageError::UsageError;
};

class Database;
class Ids;

/// An open history. One thread at a time; several processes may work on one database.
class Store {
 public:
  /// `location`: a file, or "postgresql://user@host/database" (check_location). To write, a store is made
  /// where there is none, and an older schema brought up to date; to read, the right to read is enough.
  /// Throws result::UsageError (no store there to read, a database of something else, a newer schema
  /// than this version knows, an older one to read, not built) or result::FileError, which every question
  /// below throws too where the database refuses or holds what no version writes. No sentence holds a
  /// password.
  static Store open(const std::string& location, Access access);
  Store(Store&&) noexcept;  ///< The other one is empty afterwards and may only be destroyed or assigned to.
  Store& operator=(Store&&) noexcept;  ///< The same; what was open here is closed.
  ~Store();

  /// The records in one transaction: all or none, and a new store goes when it never held one. With
  /// `refusals`, which takes what the database said by record, each in its own where it does not take one of
  /// them. What became of each, in their order. Several processes may do so at once. Throws
  /// result::FileError.
  std::vector<Outcome> ingest(const std::vector<Record>& records,
                              std::map<std::size_t, std::string>* refusals = nullptr);

  /// To be called when `values` metric values were stored, after the last of them. PostgreSQL reads all
  /// values for one night as long as it has not counted what a table holds, which it does by itself only
  /// minutes later: here it counts where they are a tenth of all or more, and this role may ask for it.
  /// Throws result::FileError; what was stored stays.
  void count_rows(std::size_t values);

  /// Of every run that is stored: what need not be read again.
  std::set<std::string> content_hashes();

  std::vector<Device> devices();  ///< by node, then identity
  std::vector<Metric> metrics();  ///< by key
  /// First rounds only, oldest first: a check repeats only what is in doubt, which would bend a series.
  std::vector<Point> series(const Device& device, const Metric& metric, const Span& span);
  /// The same for every metric of a device, by the metric's id.
  std::map<std::int64_t, std::vector<Point>> all_series(const Device& device, const Span& span);
  /// How many metrics a device has in them: what a monitor's limit depends on. 1 or more.
  int watched(const Device& device, const Span& span);
  /// Throws result::FileError for an id that there is not: the store is damaged.
  const result::Fingerprint& fingerprint(std::int64_t id);
  /// Every round of these devices and metrics, one device after the other, by time; of none, nothing. Rows
  /// arrive one at a time; a row's metric is one of `metrics`, which must live as long.
  void each_row(const std::vector<Device>& devices, const std::vector<Metric>& metrics, const Span& span,
                const std::function<void(const Row&)>& take);

  /// What the comparison of nodes needs of a night: every run that started in it, repeated rounds too.
  /// `days`: a UTC day, "2026-01-31", or the first and the last one, "2026-01-31..2026-02-01", the first also
  /// as a time of RFC 3339. `facts`, if given, is called with each run, in any order. Throws
  /// result::UsageError for what is no such night.
  judge::PeersInput night(const std::string& days, const TakeFacts& facts = {});
  /// It has the newest first round and what ran before it, back to a pause of 6 hours or to 24 hours, and
  /// what came later: its repeated rounds. What started at `before` (RFC 3339, UTC) or later is left out,
  /// unless all did: one clock that was wrong hides no later night. "" = no bound.
  NewestNight newest_night(const std::string& before = {});
  /// What was measured before a night and not in it. Throws like night().
  WiderNight with_night_before(const std::string& days);

  /// Where it lies, without a password.
  const std::string& name() const;

 private:
  explicit Store(std::unique_ptr<Database> database);
  std::vector<Outcome> ingest_together(const std::vector<Record>& records);
  std::unique_ptr<Database> database_;
  std::unique_ptr<Ids> ids_;             ///< known to this process
  void require_metric(std::int64_t id);  ///< Throws std::out_of_range for one that is not there.
  std::set<std::int64_t> known_metrics_;
  std::map<std::int64_t, result::Fingerprint> fingerprints_;
};

/// --store, else $GPUGAUGE_STORE, else history.sqlite in the state directory. Throws result::UsageError.
std::string default_location(const std::string& given);

/// `location` as it may be printed. Of a URL only the scheme, user, hosts with their ports, database, and the
/// parameters host, port, dbname, user and sslmode are left; where a password cannot be told from the rest,
/// less. "withheld" for connection text that may hold one.
std::string without_password(const std::string& location);

/// A text of the database or of the command line without what without_password leaves out of `location`, raw
/// or decoded: "withheld" stands in its place. Text that is quoted in it is kept only where it is no part of
/// the location, or is printed with it anyway. As it is where `location` hides nothing.
std::string without_secrets_of(const std::string& location, std::string text);

/// "host=h password=p", or a PostgreSQL URL without its "//": no store, and as a file's name it would write a
/// password to disk.
bool is_connection_text(const std::string& location);

/// Throws result::UsageError for such text, and does not repeat it.
void check_location(const std::string& location);

}  // namespace gpugauge::store
