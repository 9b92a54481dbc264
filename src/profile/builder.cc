// SPDX-License-Identifier: Apache-2.0
#include "profile/builder.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"

namespace wick {
namespace {

// Whether two start times are at most `precision_ns` apart, or one is unknown.
bool agrees(int64_t a, int64_t b, int64_t precision_ns) {
  int64_t apart = 0;
  bool overflows = __builtin_sub_overflow(std::max(a, b), std::min(a, b), &apart);
  return a == kNoTime || b == kNoTime || (!overflows && apart <= precision_ns);
}

// Copies the columns that `known` lacks from `row`. A row must not refer to a later row of the same
// table, and the parent in `row` may be a later row. So columns of type `Self` are not copied.
template <typename Self, typename Row>
void fill_unknown(Row& known, const Row& row) {
  for_each_column<Row>([&](const auto& column) {
    auto& value = column.of(known);
    if constexpr (!std::is_same_v<decltype(value), Self&>) {
      value = to_word(value) == initial_word<Row>(column) ? column.of(row) : value;
    }
  });
}

}  // namespace

uint64_t hash_of(const Source& source) {
  uint64_t machine = hash_mix(source.host.value, source.boot_id.value);
  return hash_mix(hash_mix(machine, source.run.value),
                  hash_mix(source.guest_of.value, to_word(source.clock)));
}

uint64_t hash_of(const Module& module) {
  return hash_mix(module.path.value, module.build_id.value);
}

uint64_t hash_of(const Function& function) {
  uint64_t names = hash_mix(function.name.value, function.linkage_name.value);
  uint64_t declaration = hash_mix(function.file.value, function.line);
  return hash_mix(hash_mix(names, declaration), hash_mix(function.module.value, function.address));
}

uint64_t hash_of(const Frame& frame) {
  uint64_t details = static_cast<uint64_t>(frame.line) << 24 |
                     static_cast<uint64_t>(frame.mode) << 16 |
                     static_cast<uint64_t>(frame.origin) << 8 | frame.flags;
  uint64_t source = uint64_t{frame.file.value} << 32 | frame.column;
  uint64_t where = hash_mix(frame.function.value, frame.module.value);
  return hash_mix(hash_mix(where, frame.address ^ source), details);
}

uint64_t hash_of(const Process& process) {
  uint64_t who = hash_mix(static_cast<uint64_t>(process.pid), process.name.value);
  return hash_mix(who, process.source.value);
}

uint64_t hash_of(const Thread& thread) {
  uint64_t who = hash_mix(static_cast<uint64_t>(thread.tid), thread.process.value);
  return hash_mix(who, thread.name.value);
}

uint64_t hash_of(const Event& event) {
  return hash_mix(hash_mix(event.name.value, event.unit.value), event.scale);
}

uint64_t hash_of(const Label& label) {
  uint64_t value = hash_mix(label.text.value, static_cast<uint64_t>(label.number));
  return hash_mix(hash_mix(label.key.value, label.unit.value), value);
}

uint64_t hash_of(const BranchEdge& edge) {
  return hash_mix(edge.from.value, edge.to.value);
}

uint64_t hash_of(const CodeBlock& block) {
  return hash_mix(block.begin.value, block.end.value);
}

uint64_t hash_of(const CounterSeries& series) {
  uint64_t scope = hash_mix(series.thread.value, series.process.value);
  return hash_mix(hash_mix(series.name.value, series.unit.value),
                  hash_mix(scope, uint64_t{series.source.value} << 16 | series.cpu));
}

bool is_same(const Source& known, const Source& source) {
  return known.host == source.host && known.boot_id == source.boot_id && known.run == source.run &&
         known.guest_of == source.guest_of && known.clock == source.clock;
}

bool is_same(const Process& known, const Process& process, int64_t precision_ns) {
  return known.pid == process.pid && known.name == process.name && known.source == process.source &&
         agrees(known.begin_ns, process.begin_ns, precision_ns);
}

bool is_same(const Thread& known, const Thread& thread, int64_t precision_ns) {
  return known.tid == thread.tid && known.process == thread.process && known.name == thread.name &&
         agrees(known.begin_ns, thread.begin_ns, precision_ns);
}

bool is_same(const Event& known, const Event& event) {
  return known.name == event.name && known.unit == event.unit && known.scale == event.scale;
}

bool is_same(const CodeBlock& known, const CodeBlock& block) {
  return known.begin == block.begin && known.end == block.end;
}

void absorb(Source& known, const Source& source) {
  fill_unknown<SourceId>(known, source);
}

void absorb(Process& known, const Process& process) {
  fill_unknown<ProcessId>(known, process);
  known.end_ns = std::max(known.end_ns, process.end_ns);
}

void absorb(Thread& known, const Thread& thread) {
  fill_unknown<ThreadId>(known, thread);
  known.end_ns = std::max(known.end_ns, thread.end_ns);
}

// If two recordings disagree, for example about the period, the value becomes unknown.
void absorb(Event& known, const Event& event) {
  Quantity kind = known.kind == Quantity::kUnknown ? event.kind : known.kind;
  for_each_column<Event>([&](const auto& column) {
    Event initial;
    if (to_word(column.of(known)) != to_word(column.of(event))) {
      column.of(known) = column.of(initial);
    }
  });
  known.kind = kind;
}

void absorb(CodeBlock& known, const CodeBlock& block) {
  known = known.path == BlockPath::kUnknown ? block : known;
}

LabelSetId ProfileBuilder::label_set(std::span<const LabelId> labels) {
  std::vector<LabelId> ordered(labels.begin(), labels.end());
  std::ranges::sort(ordered, [&](LabelId a, LabelId b) { return comes_before(a, b); });
  LabelSetId set = kNoLabels;
  LabelId last;
  for (LabelId label : ordered) {
    set = label == last ? set : label_sets_.intern(set, label);
    last = label;
  }
  return set;
}

// Compares texts, not ids, so the order is the same in every profile.
bool ProfileBuilder::comes_before(LabelId a, LabelId b) const {
  auto key = [&](LabelId id) {
    const Label& label = labels_.rows()[id];
    return std::tuple(text(label.key), text(label.text), label.number, text(label.unit));
  };
  return key(a) < key(b);
}

BranchSetId ProfileBuilder::branch_set(std::span<const Branch> branches) {
  CHECK(profile_.branches.size() + branches.size() <= UINT32_MAX);
  BranchSet set{static_cast<uint32_t>(profile_.branches.size()),
                static_cast<uint32_t>(branches.size())};
  for (const Branch& branch : branches) {
    profile_.branches.push_back(branch);
  }
  return profile_.branch_sets.push_back(set);
}

SpanId ProfileBuilder::add_span(const Span& span) {
  profile_.spans.push_back(span);
  return SpanId::from_index(profile_.spans.size() - 1);
}

void ProfileBuilder::add_fact(std::string_view key, std::string_view value) {
  Fact fact{string(key), string(value)};
  if (std::ranges::find(profile_.facts, fact) == profile_.facts.end()) {
    profile_.facts.push_back(fact);
  }
}

LossId ProfileBuilder::add_loss(const LossReport& loss) {
  StringId reason = string(loss.reason);
  StringId what = string(loss.what);
  for (size_t row = 0; row < profile_.losses.size(); ++row) {
    Loss& known = profile_.losses[row];
    // An unknown number plus five is not five, so the two losses remain two rows.
    bool same_kind = (known.count == 0) == (loss.count == 0) && known.severity == loss.severity;
    if (known.reason == reason && known.what == what && same_kind) {
      known.count += loss.count;
      return LossId::from_index(row);
    }
  }
  profile_.losses.push_back({.reason = reason,
                             .what = what,
                             .detail = string(loss.detail),
                             .count = loss.count,
                             .severity = loss.severity});
  return LossId::from_index(profile_.losses.size() - 1);
}

void ProfileBuilder::multiply_weights(int64_t factor) {
  profile_.samples.weight.transform([=](int64_t weight) { return weight * factor; });
}

void ProfileBuilder::swap_tables() {
  stacks_.swap_tree(profile_.stacks);
  label_sets_.swap_tree(profile_.label_sets);
  strings_.swap_table(profile_.strings);
  sources_.swap_rows(profile_.sources);
  modules_.swap_rows(profile_.modules);
  functions_.swap_rows(profile_.functions);
  frames_.swap_rows(profile_.frames);
  processes_.swap_rows(profile_.processes);
  threads_.swap_rows(profile_.threads);
  events_.swap_rows(profile_.events);
  labels_.swap_rows(profile_.labels);
  edges_.swap_rows(profile_.edges);
  code_blocks_.swap_rows(profile_.code_blocks);
  series_.swap_rows(profile_.series);
}

Profile ProfileBuilder::finish() {
  profile_.stacks = stacks_.release();
  profile_.label_sets = label_sets_.release();
  profile_.strings = strings_.release();
  profile_.sources = sources_.release();
  profile_.modules = modules_.release();
  profile_.functions = functions_.release();
  profile_.frames = frames_.release();
  profile_.processes = processes_.release();
  profile_.threads = threads_.release();
  profile_.events = events_.release();
  profile_.labels = labels_.release();
  profile_.edges = edges_.release();
  profile_.code_blocks = code_blocks_.release();
  profile_.series = series_.release();
  return std::move(profile_);
}

}  // namespace wick
