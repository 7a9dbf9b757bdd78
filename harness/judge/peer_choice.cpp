#include "judge/peer_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "judge/peer_faults.hpp"
#include "judge/peer_hosts.hpp"

namespace gpugauge::judge {

ChosenMetrics choose_metrics(const std::vector<PeerRounds>& nodes, const PeerRounds* newcomer,
                             const std::vector<PeerForm>& forms, const PeerRules& rules) {
  const DeviceCount count = count_of(nodes);
  std::vector<int> have(forms.size(), 0);
  std::vector<bool> judged(forms.size(), false);
  Unmeasured unmeasured;
  std::vector<const PeerRounds*> all;
  all.reserve(nodes.size() + 1);
  for (const PeerRounds& node : nodes) all.push_back(&node);
  if (newcomer != nullptr) all.push_back(newcomer);
  std::vector<const PeerRounds*> last(forms.size(), nullptr);
  for (const PeerRounds* node : all) {
    unmeasured.add(*node);
    for (const PeerRound* round : *node) {
      const std::size_t counting = round->values.size() - round->recorded_values;
      for (std::size_t v = 0; v < round->values.size(); ++v) {
        const std::uint32_t form = round->values[v].metric;
        if (std::exchange(last[form], node) != node && node != newcomer) ++have[form];
        if (v < counting && node != newcomer) judged[form] = true;
      }
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < forms.size(); ++f) {
    if (last[f] != nullptr) unmeasured.measured(forms[f].benchmark);
    if (judged[f]) order.push_back(f);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return forms[a].key < forms[b].key; });
  ChosenMetrics out;
  out.unmeasured = unmeasured.sentences(count);
  const auto most = [&](std::size_t f) { return 2 * static_cast<std::size_t>(have[f]) > nodes.size(); };
  const auto enough = [&](std::size_t f) {
    return most(f) && have[f] >= std::min(rules.fewest_values, rules.minimum_nodes);
  };
  for (const std::size_t f : order) {
    if (enough(f))
      out.forms.push_back(f);
    else
      out.not_compared.push_back(
          {f, fmt::format("{}: {} of {} {} measure it", forms[f].key, have[f], nodes.size(), count.many),
           2 * static_cast<std::size_t>(have[f]) >= nodes.size()});
  }
  out.compared = out.forms.size();
  for (const std::size_t f : order)
    if (most(f) && !enough(f)) out.forms.push_back(f);
  out.place.assign(forms.size(), forms.size());
  for (std::size_t e = 0; e < out.forms.size(); ++e) {
    out.place[out.forms[e]] = e;
    out.have.push_back(have[out.forms[e]]);
  }
  return out;
}

std::vector<std::vector<bool>> usual_by_pass(const ChosenMetrics& chosen, const std::vector<PeerForm>& forms,
                                             const std::vector<PeerRounds>& nodes,
                                             const std::vector<std::vector<std::size_t>>& passes) {
  std::vector<std::vector<int>> asked;
  std::vector<std::vector<int>> with;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (std::size_t r = 0; r < nodes[n].size(); ++r) {
      const std::size_t pass = passes[n][r];
      if (pass >= with.size()) {
        asked.resize(pass + 1, std::vector<int>(chosen.forms.size(), 0));
        with.resize(pass + 1, std::vector<int>(chosen.forms.size(), 0));
      }
      const PeerRound& round = *nodes[n][r];
      if (!round.first || !round.complete) continue;
      for (std::size_t e = 0; e < chosen.forms.size(); ++e)
        asked[pass][e] += was_chosen(round, forms[chosen.forms[e]].benchmark) ? 1 : 0;
      for (const auto& [form, by_chance, value] : round.values)
        if (chosen.place[form] < chosen.forms.size()) ++with[pass][chosen.place[form]];
    }
  std::vector<std::vector<bool>> out(with.size(), std::vector<bool>(chosen.forms.size(), false));
  for (std::size_t pass = 0; pass < with.size(); ++pass)
    for (std::size_t e = 0; e < chosen.forms.size(); ++e) out[pass][e] = 2 * with[pass][e] > asked[pass][e];
  return out;
}

}  // namespace gpugauge::judge
