// What transactions of several processes see of each other, and what is told when one fails.
#include <atomic>
#include <barrier>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "unit/store/histories.hpp"
#include "unit/store/on_databases.hpp"

namespace gpugauge::store {
namespace {

using test::record;
using test::StoreTest;
using ::testing::ThrowsMessage;

/// A run of a node that only its folder names.
Record of_folder(const std::string& node, int day, const std::string& boot) {
  Record out = record(day, {1}, node);
  out.named_by_folder = true;
  out.boot_id = boot;
  out.wall_seconds = 60;
  out.peer.id = fmt::format("{}-{}-{}", node, day, boot);
  out.content_hash = baseline::sha256(out.peer.id);
  return out;
}

TEST_P(StoreTest, TwoMachinesThatAreStoredAtOnceAreNotMadeOne) {
  constexpr int nodes = 100;
  const auto node = [](int number) { return fmt::format("node-{}", number); };
  // Both know the devices before they begin, so that they meet where the runs are stored.
  std::vector<Record> known;
  known.reserve(nodes);
  for (int i = 0; i < nodes; ++i) known.push_back(of_folder(node(i), 20, "earlier"));
  std::atomic<int> stored = 0;
  std::barrier together(2);
  {
    std::vector<std::jthread> writers;
    for (const char* boot : {"boot-a", "boot-b"})
      writers.emplace_back([&, boot] {
        try {
          Store store = open();
          store.ingest(known);
          for (int i = 0; i < nodes; ++i) {
            together.arrive_and_wait();
            for (const Outcome outcome : store.ingest({of_folder(node(i), 2, boot)}))
              stored += outcome == Outcome::stored ? 1 : 0;
          }
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
          together.arrive_and_drop();
        }
      });
  }
  EXPECT_EQ(stored, nodes);
  EXPECT_EQ(count("run"), 2 * nodes);
}

TEST_P(StoreTest, TheFirstErrorOfATransactionIsTheOneThatIsTold) {
  open();
  for (const auto mode : {Transaction::Mode::writing, Transaction::Mode::reading}) {
    const auto fail = [&] {
      Database database(location_, Access::writing);
      const Transaction transaction(database, mode);
      database.sql() << "ROLLBACK";  // as a database does by itself that has no room left
      throw std::runtime_error("the first error");
    };
    EXPECT_THAT(fail, ThrowsMessage<std::runtime_error>("the first error"));
  }
}

TEST_P(StoreTest, AReadingTransactionSeesOneStateAndKeepsNobodyFromWriting) {
  Store store = open();
  store.ingest({record(1, {1})});
  Database database(location_, Access::reading);
  if (database.postgresql()) database.sql() << "SET search_path = gpugauge";
  const auto runs = [&] {
    int rows = 0;
    database.sql() << "SELECT count(*) FROM run", soci::into(rows);
    return rows;
  };
  Transaction transaction(database, Transaction::Mode::reading);
  EXPECT_EQ(runs(), 1);
  store.ingest({record(2, {1})});
  EXPECT_EQ(runs(), 1);
  transaction.commit();
  EXPECT_EQ(runs(), 2);
}

}  // namespace
}  // namespace gpugauge::store
