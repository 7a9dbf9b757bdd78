// Ranks whose messages have unlike formats: each rank ends with one sentence that says which.
#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "ranks_fixture.hpp"
#include "support/ranks/channel.hpp"
#include "support/ranks/introduction.hpp"
#include "support/ranks/place.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Message hello(Texts texts) {
  return {Kind::hello, std::move(texts)};
}

class Formats : public Ranks {
 protected:
  /// What a process hears that says this to a rank 0 of three of this build, and what rank 0 ends with.
  std::pair<Message, std::string> said_to_rank_0(const Texts& texts) {
    port_ = free_port();
    Message answer;
    std::thread other([&] {
      Wire wire = at_the_door();
      ASSERT_TRUE(wire.send(hello(texts), steady_seconds() + 5));
      EXPECT_EQ(wire.receive(answer, steady_seconds() + 5), Line::open);
    });
    const auto ends = run(3, [](Channel&) {}, 20, {1, 2});
    other.join();
    return {answer, ends[0]};
  }

  /// What each rank ends with where rank `other` speaks another format.
  std::vector<std::string> ends_with(int other, const Speech& speech, double patience) {
    port_ = free_port();
    std::vector<std::string> ends(3, "measured");
    std::vector<std::thread> threads;
    for (const int rank : {0, 1, 2})
      threads.emplace_back([&, rank] {
        try {
          Channel channel(launch(rank, 3, patience), rank == other ? speech : own_speech());
        } catch (const Parted& parted) {
          ends[static_cast<std::size_t>(rank)] = parted.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
    return ends;
  }
};

// The places of the first messages in every version to come: a change here is a change that no older build reads.
TEST(Introduction, has_places_that_never_change) {
  Launch launch;
  launch.rank = 2;
  launch.size = 3;
  launch.job = "job";
  const Message own = hello_of(launch, {4, "9.9.9"});
  EXPECT_EQ(own.kind, Kind::hello);
  ASSERT_THAT(own.texts, SizeIs(7));
  EXPECT_EQ(own.texts[0], "gpugauge.ranks/4");
  EXPECT_EQ(own.texts[1], "job");
  EXPECT_EQ(own.texts[2], "3");
  EXPECT_EQ(own.texts[3], "2");
  EXPECT_EQ(own.texts[6], "9.9.9");
  EXPECT_THAT(answer_of({4, "9.9.9"}).texts, ElementsAre("gpugauge.ranks/4", "9.9.9"));
  EXPECT_EQ(encode({"ab"}), std::string("\0\0\0\2ab", 6));
  EXPECT_EQ(static_cast<char>(Kind::hello), 'H');
  EXPECT_EQ(static_cast<char>(Kind::fault), 'F');
  EXPECT_GT(own_speech().format, last_silent_format);
  EXPECT_NE(own_speech().suite, "");
}

TEST(Introduction, is_read_as_far_as_it_goes) {
  const auto first = introduction_in(hello({"gpugauge.ranks/1", "job", "3", "2", "node9", "77"}));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->speech.format, 1);
  EXPECT_EQ(to_text(first->speech), "message format 1 (an older GPUGauge)");
  const auto later =
      introduction_in(hello({"gpugauge.ranks/12", "job", "3", "2", "n", "77", "9.9.9", "more"}));
  ASSERT_TRUE(later);
  EXPECT_EQ(to_text(later->speech), "message format 12 (GPUGauge 9.9.9)");
  EXPECT_TRUE(introduction_in(hello({"gpugauge.ranks/3", "job"})));
  for (const Texts& strange : {Texts{}, Texts{"gpugauge.ranks/3"}, Texts{"gpugauge.ranks/x", "job"},
                               Texts{"gpugauge.ranks/0", "job"}, Texts{"gpugauge", "job"}})
    EXPECT_FALSE(introduction_in(hello(strange)));
  EXPECT_FALSE(introduction_in({Kind::give, {"gpugauge.ranks/3", "job"}}));
}

TEST_F(Formats, a_rank_of_another_format_is_told_at_once_what_both_speak) {
  const double start = steady_seconds();
  const std::string own = to_text(own_speech());
  const std::string own_format = hello_of(launch(1, 3), own_speech()).texts[0];
  for (const auto& [texts, said] :
       {std::pair{Texts{"gpugauge.ranks/1", "job", "3", "2", "node9", "77"},
                  "rank 2 on node9 is of another build of GPUGauge than rank 0 on "},
        std::pair{Texts{"gpugauge.ranks/99", "job"}, "a process is of another build of GPUGauge than "},
        std::pair{Texts{own_format, "job"}, "a process is of another build of GPUGauge than "},
        std::pair{Texts{own_format, "job", "", "2", "node9", "77", "9.9.9"},
                  "rank 2 on node9 is of another build of GPUGauge than rank 0 on "}}) {
    const auto [answer, end] = said_to_rank_0(texts);
    EXPECT_EQ(answer.kind, Kind::fault);
    ASSERT_THAT(answer.texts, SizeIs(1));
    EXPECT_EQ(end, answer.texts[0]);
    EXPECT_THAT(end, AllOf(HasSubstr(said), HasSubstr("it speaks message format"),
                           HasSubstr(", rank 0 " + own + ". Start the same build everywhere.")));
  }
  EXPECT_LT(steady_seconds() - start, 20);
}

TEST_F(Formats, a_newer_rank_and_an_older_rank_0_end_with_one_sentence_on_each_rank) {
  const Speech newer{own_speech().format + 1, "9.9.9"};
  const Speech older{own_speech().format, "0.0.9"};
  for (const auto& [other, speech] : {std::pair{2, newer}, std::pair{0, newer}}) {
    const auto ends = ends_with(other, speech, 10);
    const std::string named =
        other == 0 ? ", rank 0 " + to_text(newer) + "." : "it speaks " + to_text(newer) + ", rank 0 ";
    EXPECT_THAT(ends[0], HasSubstr(named));
    EXPECT_THAT(ends[0], HasSubstr(to_text(own_speech())));
    EXPECT_THAT(ends, Each(ends[0])) << "also a rank that comes when two have parted";
  }
  // Versions that speak alike meet; agreement.hpp says then that they are unlike.
  EXPECT_THAT(ends_with(1, older, 10), Each("measured"));
}

/// A rank 0 as formats 1 and 2 first had it: it lets in those of its own format alone, ends others without a word, and
/// answers only in format 2. It tells what a rank says that gives up, and returns it.
std::string old_rank_0(int format, const Launch& launch) {
  const Wire door = listening(launch);
  const double deadline = steady_seconds() + 8;
  while (steady_seconds() < deadline) {
    Wire wire(accept(door.socket(), nullptr, nullptr));
    Message message;
    if (wire.receive(message, steady_seconds() + 2) != Line::open || message.kind != Kind::hello ||
        message.texts.size() != 6 || message.texts[0] != "gpugauge.ranks/" + std::to_string(format))
      continue;
    const std::string name =
        "rank " + message.texts[3] + " (" + message.texts[4] + ", process " + message.texts[5] + ")";
    if (format == 2) {
      wire.send({Kind::hello, {}}, deadline);
      wire.send({Kind::welcome, {}}, deadline);  // it was the last
    }
    if (wire.receive(message, deadline) != Line::open || message.kind != Kind::fault) continue;
    std::string sentence = name + " gave up: " + message.texts.at(0);
    wire.send({Kind::fault, {sentence}}, deadline);
    return sentence;
  }
  return "nobody gave up";
}

TEST_F(Formats, a_rank_0_that_ends_unlike_ranks_without_a_word_is_told_why_and_tells_all) {
  for (const int format : {1, 2}) {
    std::string told;
    std::thread rank_0([&] { told = old_rank_0(format, launch(0, 2)); });
    const double start = steady_seconds();
    const auto ends = run(2, [](Channel&) {}, 8, {0});
    rank_0.join();
    EXPECT_LT(steady_seconds() - start, 8) << "not only when the time is over";
    EXPECT_EQ(ends[1], told);
    EXPECT_THAT(told,
                AllOf(HasSubstr("rank 1 ("),
                      HasSubstr("gave up: it speaks " + to_text(own_speech()) + ", rank 0 message format " +
                                std::to_string(format) + " (an older GPUGauge).")));
  }
}

// It answers as a rank 0 of format 2 lets a rank in, and then goes on and on.
TEST_F(Formats, a_stranger_in_rank_0s_place_that_never_ends_its_answer_holds_no_rank) {
  for (const Kind kind : {Kind::hello, Kind::welcome}) {
    port_ = free_port();
    std::atomic<bool> over{false};
    std::thread stranger([&] {
      const Wire door = listening(launch(0, 2));
      const double deadline = steady_seconds() + 15;
      while (!over && steady_seconds() < deadline) {
        pollfd entry{door.socket(), POLLIN, 0};
        if (poll(&entry, 1, 100) <= 0) continue;
        Wire wire(accept(door.socket(), nullptr, nullptr));
        Message message;
        if (wire.receive(message, steady_seconds() + 2) != Line::open || message.texts.size() != 6) continue;
        wire.send({Kind::hello, {}}, deadline);
        while (steady_seconds() < deadline && wire.send({kind, {}}, deadline))
          std::this_thread::sleep_for(std::chrono::milliseconds(300));
      }
    });
    const double start = steady_seconds();
    const auto ends = run(2, [](Channel&) {}, 1, {0});
    EXPECT_LT(steady_seconds() - start, 8);
    EXPECT_THAT(ends[1], HasSubstr("rank 1 of 2 was not let in by what listens at 127.0.0.1:"));
    over = true;
    stranger.join();
  }
}

TEST_F(Formats, who_asks_for_an_older_rank_0_disturbs_none_of_this_build) {
  std::vector<std::string> ends(2, "not run");
  std::vector<std::thread> threads;
  for (const std::size_t rank : {0U, 1U})
    threads.emplace_back([&, rank] {
      try {
        if (rank == 1) {
          Wire wire = at_the_door();
          EXPECT_TRUE(wire.send(knock_of(launch(1, 2), own_speech(), 2), steady_seconds() + 5));
          Message answer;
          EXPECT_EQ(wire.receive(answer, steady_seconds() + 5), Line::ended);
        }
        Channel channel(launch(static_cast<int>(rank), 2));
        ends[rank] = channel.exchange("step", std::to_string(rank), 10)[1];
      } catch (const Parted& parted) {
        ends[rank] = parted.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ends, ElementsAre("1", "1"));
}

}  // namespace
}  // namespace gpugauge::bench::ranks
