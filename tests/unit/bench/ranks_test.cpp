// Ranks that meet over a socket: each in a thread of its own here; as processes in tests/cli/ranks.bats.
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

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Ranks, exchange_gives_everybody_everything_by_rank) {
  std::atomic<int> right{0};
  const auto ends = run(4, [&](Channel& channel) {
    for (int step = 0; step < 3; ++step) {
      const Texts all = channel.exchange(std::to_string(step), "from " + std::to_string(channel.rank()), 10);
      if (all == Texts{"from 0", "from 1", "from 2", "from 3"}) ++right;
    }
    if (channel.hosts().size() == 1 && channel.name_of(0).find(channel.hosts().front()) != std::string::npos)
      ++right;
  });
  EXPECT_THAT(ends, Each(""));
  EXPECT_EQ(right, 12 + 4) << "three steps, and the one machine, on each rank";
}

TEST_F(Ranks, what_rank_0_makes_of_all_texts_is_everybodys) {
  std::atomic<int> right{0};
  std::atomic<int> made{0};
  const auto ends = run(4, [&](Channel& channel) {
    const auto joined = [&](const Texts& all) {
      ++made;
      return all[0] + all[1] + all[2] + all[3];
    };
    for (int step = 0; step < 3; ++step)
      right += channel.exchange(std::to_string(step), std::to_string(channel.rank()), joined, 10) == "0123";
  });
  EXPECT_THAT(ends, Each(""));
  EXPECT_EQ(right, 12);
  EXPECT_EQ(made, 3) << "by rank 0 alone";
}

TEST_F(Ranks, what_rank_0_cannot_make_of_it_ends_all_with_one_sentence) {
  const auto ends = run(3, [&](Channel& channel) {
    channel.exchange(
        "times", "x", [](const Texts&) -> std::string { throw std::runtime_error("no such text"); }, 10);
  });
  EXPECT_THAT(ends, Each(HasSubstr("no such text")));
}

TEST_F(Ranks, a_rank_that_never_comes_is_named_on_every_rank_in_time) {
  const double start = steady_seconds();
  const auto ends = run(4, [](Channel&) {}, 1, {2});
  EXPECT_LT(steady_seconds() - start, 5);
  for (const int rank : {0, 1, 3})
    EXPECT_THAT(ends[static_cast<std::size_t>(rank)], HasSubstr("rank 2 of 4 did not come within 1 s"))
        << rank;
}

TEST_F(Ranks, without_rank_0_every_rank_says_so) {
  const auto ends = run(3, [](Channel&) {}, 1, {0});
  for (const std::size_t rank : {1U, 2U})
    EXPECT_THAT(ends[rank], HasSubstr("could not reach rank 0 at 127.0.0.1:"));
}

TEST_F(Ranks, a_rank_that_ends_in_a_step_is_named_on_every_rank) {
  const auto ends = run(4, [](Channel& channel) {
    channel.exchange("first", "", 10);
    if (channel.rank() == 2) return;
    channel.exchange("second", "", 10);
  });
  for (const std::size_t rank : {0U, 1U, 3U}) {
    EXPECT_THAT(ends[rank], HasSubstr("rank 2 (")) << rank;
    EXPECT_THAT(ends[rank], HasSubstr("ended")) << rank;
  }
}

TEST_F(Ranks, the_end_of_rank_0_is_noticed) {
  const auto ends = run(3, [](Channel& channel) {
    if (channel.rank() == 0) return;
    channel.exchange("step", "", 10);
  });
  EXPECT_THAT(ends[1], HasSubstr("rank 0 ("));
  EXPECT_THAT(ends[2], HasSubstr("ended in the step \"step\""));
}

TEST_F(Ranks, check_hears_of_an_end_outside_of_a_step) {
  const auto ends = run(3, [](Channel& channel) {
    if (channel.rank() == 1) return;
    const double deadline = steady_seconds() + 10;
    while (steady_seconds() < deadline) {
      channel.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  EXPECT_THAT(ends[0], HasSubstr("rank 1 ("));
  EXPECT_THAT(ends[2], HasSubstr("rank 1 ("));
}

TEST_F(Ranks, who_gives_up_says_why) {
  const auto ends = run(3, [](Channel& channel) {
    if (channel.rank() == 2) {
      channel.fail("the GPU fell off the bus");
      return;
    }
    channel.exchange("step", "", 10);
  });
  for (const std::size_t rank : {0U, 1U}) {
    EXPECT_THAT(ends[rank], HasSubstr("rank 2 ("));
    EXPECT_THAT(ends[rank], HasSubstr("gave up: the GPU fell off the bus"));
  }
}

TEST_F(Ranks, a_rank_that_is_late_in_a_step_is_named) {
  const double start = steady_seconds();
  const auto ends = run(3, [](Channel& channel) {
    if (channel.rank() == 1) {
      const double until = steady_seconds() + 3;
      while (steady_seconds() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return;
    }
    channel.exchange("step", "", 0.5);
  });
  EXPECT_LT(steady_seconds() - start, 10);
  EXPECT_THAT(ends[0], HasSubstr("did not come to the step \"step\" within 0.5 s"));
  EXPECT_EQ(ends[0], ends[2]);
}

TEST_F(Ranks, ranks_at_different_steps_are_told) {
  const auto ends =
      run(2, [](Channel& channel) { channel.exchange(channel.rank() == 0 ? "left" : "right", "", 10); });
  EXPECT_THAT(ends, Each(HasSubstr("the ranks are at different steps: rank 0 at \"left\"")));
}

TEST_F(Ranks, one_rank_started_twice_is_refused) {
  std::vector<std::string> ends(3);
  std::vector<std::thread> threads;
  for (const std::size_t thread : {0U, 1U, 2U})
    threads.emplace_back([&, thread] {
      try {
        const Channel channel(launch(thread == 0 ? 0 : 1, 3, 3));
      } catch (const Parted& parted) {
        ends[thread] = parted.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ends[0], HasSubstr("says that it is rank 1 of 3, but that rank is there already"));
  EXPECT_THAT(ends, Each(testing::Not("")));
}

TEST_F(Ranks, each_knows_its_number_on_its_machine) {
  std::atomic<int> right{0};
  const auto ends = run(3, [&](Channel& channel) { right += channel.local_rank() == channel.rank(); });
  EXPECT_THAT(ends, Each(""));
  EXPECT_EQ(right, 3);
}

TEST_F(Ranks, meet_at_names_and_at_addresses_of_ipv6) {
  const int ipv6 = ::socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool has_ipv6 =
      ipv6 >= 0 && bind(ipv6, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(ipv6);
  std::vector<std::string> places{"localhost", "127.0.0.1", "127.0.0.2"};
  if (has_ipv6) places.emplace_back("::1");
  for (const std::string& place : places) {
    std::vector<std::string> ends(2, "not run");
    std::vector<std::thread> threads;
    for (const std::size_t rank : {0U, 1U})
      threads.emplace_back([&, rank] {
        Launch own = launch(static_cast<int>(rank), 2);
        own.host = place;
        try {
          Channel channel(own);
          ends[rank] = channel.exchange("step", std::to_string(rank), 10)[1];
        } catch (const Parted& parted) {
          ends[rank] = parted.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(ends, ElementsAre("1", "1")) << place;
  }
}

}  // namespace
}  // namespace gpugauge::bench::ranks
