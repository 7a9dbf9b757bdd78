// How ranks introduce themselves. These first messages keep their places in every version to come, so that ranks of
// unlike builds can say what they are: kind, length and texts as wire.hpp has them, and in them
//   a rank's hello   0 "gpugauge.ranks/FORMAT", 1 job, 2 number of ranks, 3 rank, 4 host, 5 process,
//                    6 version of GPUGauge (from format 3 on); a later format adds texts behind these
//   rank 0's answer  a hello of 0 "gpugauge.ranks/FORMAT", 1 version of GPUGauge, or a fault of one sentence
// Whoever changes any other message between ranks raises the format.
#pragma once

#include <optional>
#include <string>

#include "support/ranks/launch.hpp"
#include "support/ranks/wire.hpp"

namespace gpugauge::bench::ranks {

/// What one side speaks once it is introduced.
struct Speech {
  int format = 0;     ///< of the messages, from 1 on
  std::string suite;  ///< version of GPUGauge; "" = not told (formats 1 and 2)
};

/// The name of this machine; "unknown host" where the system does not tell it.
std::string this_host();

/// This build's.
const Speech& own_speech();

/// The newest format whose rank 0 may end a connection of another format without a word.
inline constexpr int last_silent_format = 2;

/// What a hello says of its sender. Texts that it lacks are "".
struct Introduction {
  Speech speech;        ///< what the sender speaks
  std::string job;      ///< as Launch::job
  std::string size;     ///< number of ranks
  std::string rank;     ///< number of the sender
  std::string host;     ///< name of its machine
  std::string process;  ///< process id there
};

/// The hello of this process.
Message hello_of(const Launch& launch, const Speech& speech);
/// nullopt for a message that no rank of any format begins with.
std::optional<Introduction> introduction_in(const Message& message);

/// Rank 0's answer to a rank that it lets in.
Message answer_of(const Speech& speech);
/// What rank 0 speaks, from its answer; nullopt for another message.
std::optional<Speech> speech_in(const Message& message);

/// A hello of a silent format (1 to last_silent_format) by a rank that speaks another. It asks for nothing but to be
/// let in and to say so to all: `speech` stands beside the process.
Message knock_of(const Launch& launch, const Speech& speech, int format);
/// True for what knock_of() makes. A rank 0 that answers every format leaves it alone.
bool is_knock(const Introduction& introduction);

/// "message format 3 (GPUGauge 0.1.0)".
std::string to_text(const Speech& speech);

}  // namespace gpugauge::bench::ranks
