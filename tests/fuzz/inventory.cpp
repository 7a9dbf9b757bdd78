// Inventories that were saved, of any machine, and locks: with all that is said of them.
#include "stack/inventory/inventory.hpp"

#include "fuzz/support/target.hpp"
#include "stack/inventory/overview.hpp"
#include "stack/plan/lock.hpp"
#include "stack/plan/pins.hpp"
#include "stack/plan/redact.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::fuzz {
namespace {

constexpr const char* today = "2026-01-01";

void say_all_of(const stack::Inventory& inventory) {
  for (const stack::Finding& finding :
       stack::diagnose_stack({inventory, stack::tables(), stack::Policy::production, today})) {
    require(!finding.cause.empty() && !finding.title.empty(), "a finding without cause or title");
  }
  require(!stack::overview(inventory).empty(), "an overview without layers");
  stack::pip_constraints(inventory);
  stack::advice_before(inventory, {});
  const stack::Lock lock = stack::make_lock(inventory, "2026-01-01T00:00:00Z");
  require(stack::verify(lock, inventory).drifts.empty(), "a machine drifted from its own lock");
  stack::Redactor redactor({{"node7"}, {"someone"}, {"/data/someone"}});
  const stack::Inventory redacted = redactor.inventory(inventory);
  require(redacted.items().size() == inventory.items().size(), "redacting lost a fact");
}

void read(std::string_view bytes) {
  const std::string text(bytes);
  comes_back(
      bytes, [](const std::string& from) { return stack::lock_from_json(from, "stack.lock"); },
      [](const stack::Lock& one) { return stack::to_json(one); });
  comes_back(bytes, stack::inventory_from_json, stack::to_json_line);
  stack::Inventory inventory;
  if (accepted([&] { inventory = stack::inventory_from_json(text); })) say_all_of(inventory);
}

const Target target("inventory", read);

}  // namespace
}  // namespace gpugauge::fuzz
