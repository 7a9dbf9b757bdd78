// gpugauge history, in a build without a database library: says how to get it.
#include "cli/command.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {

void add_history(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("history", "Not in this build; `gpugauge history` says how to get it");
  command->allow_extras();
  command->callback([&action] {
    action = [] {
      store::Store::open("", store::Access::reading);
      return 0;
    };
  });
}

TakeTrends trends_from(const std::string& location, const judge::Policy&) {
  store::Store::open(location, store::Access::reading);
  return {};
}

}  // namespace gpugauge::cli
