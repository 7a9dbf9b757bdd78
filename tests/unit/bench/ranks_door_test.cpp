// Who comes to rank 0's door: ranks, strangers, and ranks of another build or job.
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ranks_fixture.hpp"
#include "support/family.hpp"
#include "support/ranks/channel.hpp"
#include "support/ranks/place.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Ranks, a_rank_of_another_build_and_another_job_disturbs_nobody) {
  std::thread other([&] {
    Wire wire = at_the_door();
    EXPECT_TRUE(wire.send({Kind::hello, {"gpugauge.ranks/1", "another", "2", "1", "node9", "77"}},
                          steady_seconds() + 5));
    Message answer;
    EXPECT_EQ(wire.receive(answer, steady_seconds() + 5), Line::ended);
  });
  std::vector<std::string> ends(2, "not run");
  std::vector<std::thread> threads;
  for (const std::size_t rank : {0U, 1U})
    threads.emplace_back([&, rank] {
      if (rank == 1) other.join();
      try {
        Channel channel(launch(static_cast<int>(rank), 2, 10));
        ends[rank] = channel.exchange("step", std::to_string(rank), 10)[1];
      } catch (const Parted& parted) {
        ends[rank] = parted.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ends, ElementsAre("1", "1"));
}

// What forwards a port takes connections before anybody listens behind it.
TEST_F(Ranks, a_rank_that_is_let_go_before_it_is_let_in_comes_again) {
  const int stranger = ::socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(stranger, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(stranger, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(stranger, 1), 0);
  std::vector<std::string> ends(2, "not run");
  const auto take_part = [&](std::size_t rank) {
    try {
      Channel channel(launch(static_cast<int>(rank), 2));
      ends[rank] = channel.exchange("step", std::to_string(rank), 10)[1];
    } catch (const Parted& parted) {
      ends[rank] = parted.what();
    }
  };
  std::thread one([&] { take_part(1); });
  close(accept(stranger, nullptr, nullptr));
  close(stranger);
  take_part(0);
  one.join();
  EXPECT_THAT(ends, ElementsAre("1", "1"));
}

TEST_F(Ranks, a_rank_that_nobody_lets_in_says_so_in_time) {
  const int stranger = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(stranger, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(stranger, 8), 0);
  std::atomic<bool> over{false};
  std::thread door([&] {
    while (!over) close(accept(stranger, nullptr, nullptr));
  });
  const double start = steady_seconds();
  const auto ends = run(2, [](Channel&) {}, 1, {0});
  EXPECT_LT(steady_seconds() - start, 5);
  EXPECT_THAT(ends[1], HasSubstr("rank 1 of 2 was not let in by what listens at 127.0.0.1:"));
  over = true;
  shutdown(stranger, SHUT_RDWR);
  door.join();
  close(stranger);
}

TEST_F(Ranks, a_stranger_on_the_port_disturbs_nobody) {
  std::thread stranger([&] {
    const double deadline = steady_seconds() + 5;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (steady_seconds() < deadline) {
      const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
      if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        EXPECT_GT(write(socket, "GET / HTTP/1.1\r\n\r\n", 18), 0);
        close(socket);
        return;
      }
      close(socket);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "rank 0 never listened";
  });
  std::vector<std::thread> threads;
  std::vector<std::string> ends(2, "not run");
  for (const std::size_t rank : {0U, 1U})
    threads.emplace_back([&, rank] {
      if (rank == 1) {
        stranger.join();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      try {
        Channel channel(launch(static_cast<int>(rank), 2, 10));
        ends[rank] = channel.exchange("step", std::to_string(rank), 10)[1];
      } catch (const Parted& parted) {
        ends[rank] = parted.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ends, ElementsAre("1", "1"));
}

// More than the ranks' patience, were they waited for one after another.
TEST_F(Ranks, strangers_that_say_nothing_or_half_a_message_wait_all_at_once) {
  std::vector<std::string> ends(2, "not run");
  std::vector<std::thread> threads;
  const auto start = [&](std::size_t rank) {
    threads.emplace_back([&, rank] {
      try {
        Channel channel(launch(static_cast<int>(rank), 2, 10));
        ends[rank] = channel.exchange("step", std::to_string(rank), 10)[1];
      } catch (const Parted& parted) {
        ends[rank] = parted.what();
      }
    });
  };
  start(0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const double deadline = steady_seconds() + 5;
  std::vector<int> strangers;
  while (strangers.size() < 300 && steady_seconds() < deadline) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close(socket);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    if (strangers.size() % 2 == 1) {
      EXPECT_EQ(write(socket, "H\0\0\0\x20half", 9), 9);
    }
    strangers.push_back(socket);
  }
  EXPECT_EQ(strangers.size(), 300U);
  start(1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ends, ElementsAre("1", "1"));
  for (const int socket : strangers) close(socket);
}

TEST(SamplesPath, holds_the_rank) {
  EXPECT_EQ(samples_path("/tmp/a/samples.json", ""), "/tmp/a/samples.json");
  EXPECT_EQ(samples_path("/tmp/a/samples.json", "rank3"), "/tmp/a/samples.rank3.json");
  EXPECT_EQ(samples_path("plain", "rank0"), "plain.rank0");
}

TEST(SamplesPath, of_a_rank_that_was_given_none_holds_its_job) {
  const std::string job = job_word("node 7", 1'769'860'800, 4711);
  EXPECT_EQ(job, "node_7.20260131T120000Z-4711");
  EXPECT_EQ(samples_path("nccl", job, "rank3"), "nccl.node_7.20260131T120000Z-4711.rank3.json");
  EXPECT_EQ(samples_path("nccl", job, ""), std::nullopt) << "a process alone writes what it is asked for";
}

}  // namespace
}  // namespace gpugauge::bench::ranks
