// SPDX-License-Identifier: Apache-2.0
// Most lines are costs, so take() looks at the first character and parses those at once. A line of
// the form "key=value" changes the current object, file, function or callee, "key: value" is a line
// of a header. Headers of later parts come after the lines of earlier ones.
#include "formats/callgrind/parser.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/escape.h"
#include "base/parse_number.h"
#include "profile/validate.h"
#include "symbolize/demangle.h"

namespace wick::callgrind {
namespace {

constexpr std::string_view kUnknown = "???";
constexpr std::string_view kBadLine = "not in the form of callgrind";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
}

// The number at the start of `text`, decimal or 0x..., which must end at a blank or the end.
bool take_number(std::string_view& text, uint64_t& number) {
  bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const char* end = text.data() + text.size();
  auto [rest, error] =
      std::from_chars(text.data() + (is_hex ? 2 : 0), end, number, is_hex ? 16 : 10);
  if (error != std::errc() || (rest != end && !is_blank(*rest))) {
    return false;
  }
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  skip_blanks(text);
  return true;
}

// A position: a number, or relative to `previous` with +, - or *.
bool take_subposition(std::string_view& text, uint64_t& position) {
  if (text.empty()) {
    return false;
  }
  char sign = text.front();
  if (sign == '*') {
    text.remove_prefix(1);
    if (!text.empty() && !is_blank(text.front())) {
      return false;
    }
    skip_blanks(text);
    return true;
  }
  bool is_relative = sign == '+' || sign == '-';
  text.remove_prefix(is_relative ? 1 : 0);
  uint64_t number = 0;
  if (!take_number(text, number)) {
    return false;
  }
  position = sign == '+' ? position + number : sign == '-' ? position - number : number;
  return true;
}

}  // namespace

Parser::Parser(ProfileBuilder& builder)
    : builder_(builder),
      objects_(builder, false),
      files_(builder, false),
      function_names_(builder, true) {}

StringId Parser::Names::named(std::string_view name) {
  if (are_functions_) {
    return builder_.string(name.starts_with('_') ? demangled(name) : name);
  }
  return name == kUnknown ? StringId{} : builder_.string(name);
}

StringId Parser::Names::resolve(std::string_view text, bool& is_known) {
  constexpr size_t kMostNumbers = size_t{1} << 22;
  is_known = true;
  size_t close = text.starts_with('(') ? text.find(')') : std::string_view::npos;
  std::optional<uint32_t> number;
  if (close != std::string_view::npos) {
    number = parse_number<uint32_t>(text.substr(1, close - 1));
  }
  if (!number || *number >= kMostNumbers) {
    return named(text);
  }
  std::string_view name = text.substr(close + 1);
  skip_blanks(name);
  if (!name.empty()) {
    by_number_.resize(std::max<size_t>(by_number_.size(), *number + 1));
    by_number_[*number] = named(name);
  }
  is_known = *number < by_number_.size() && by_number_[*number];
  return is_known ? *by_number_[*number] : named(kUnknown);
}

StringId Parser::name(Names& names, std::string_view text, const Line& line) {
  bool is_known = true;
  StringId id = names.resolve(text, is_known);
  if (!is_known) {
    builder_.add_loss({.reason = "the file does not define the name",
                       .what = "names",
                       .detail = fmt::format("line {}: {}", line.number, terminal_text(text))});
  }
  return id;
}

Result<> Parser::take(const Line& line) {
  if (line.cut) {
    bad_line(line, "it is longer than 64 MiB");
    return {};
  }
  std::string_view text = line.text;
  if (text.empty() || text.front() == '#') {
    return {};
  }
  char first = text.front();
  if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*') {
    take_cost(line);
    return {};
  }
  size_t end = text.find_first_of("=:");
  if (end == std::string_view::npos) {
    if (!trimmed(text).empty()) {
      bad_line(line, "it has neither '=' nor ':'");
    }
    return {};
  }
  std::string_view value = text.substr(end + 1);
  if (text[end] == ':') {
    return take_header(line, text.substr(0, end), trimmed(value));
  }
  take_assignment(line, text.substr(0, end), value);
  return {};
}

void Parser::take_assignment(const Line& line, std::string_view key, std::string_view value) {
  if (call_pending_) {
    call_pending_ = false;
    bad_line(line, "the cost of the call before it is missing");
  }
  if (key == "fn") {
    function_ = functions_.intern({name(function_names_, value, line), file_, object_});
  } else if (key == "fl" || key == "fi" || key == "fe") {
    file_ = name(files_, value, line);
  } else if (key == "ob") {
    object_ = name(objects_, value, line);
  } else if (key == "cfn") {
    callee_ = functions_.intern({name(function_names_, value, line),
                                 has_callee_file_ ? callee_file_ : file_,
                                 has_callee_object_ ? callee_object_ : object_});
    has_callee_file_ = has_callee_object_ = false;
  } else if (key == "cfi" || key == "cfl") {
    has_callee_file_ = !value.empty();
    callee_file_ = value.empty() ? StringId{} : name(files_, value, line);
  } else if (key == "cob") {
    has_callee_object_ = true;
    callee_object_ = name(objects_, value, line);
  } else if (key == "calls") {
    call_pending_ = callee_ != kNoFunction && function_ != kNoFunction;
    call_line_ = line.number;
    if (!call_pending_) {
      bad_line(line, "the call has no caller or no callee");
    }
  } else if (key == "jfi") {
    name(files_, value, line);  // it may define an abbreviation
  } else if (key == "jfn") {
    name(function_names_, value, line);
  } else if (key != "jump" && key != "jcnd") {
    bad_line(line, "the word before '=' is unknown");
  }
}

Result<> Parser::take_header(const Line& line, std::string_view key, std::string_view value) {
  if (key == "version") {
    std::optional<uint32_t> version = parse_number<uint32_t>(value);
    if (version && *version > 1) {
      return fail("version {} of the callgrind format is newer than wick, which reads version 1",
                  *version);
    }
  } else if (key == "events") {
    end_part();
    take_events(line, value);
  } else if (key == "positions") {
    take_positions(value);
  } else if (key == "pid" || key == "thread") {
    end_part();
    std::optional<int64_t> number = parse_number<int64_t>(value);
    (key == "pid" ? pid_ : thread_) = number && *number >= 0 ? *number : -1;
    thread_changed_ = true;
  } else if (key == "cmd") {
    command_ = command_.empty() ? value : command_;
  } else if (key == "summary") {
    take_totals(value, summary_);
  } else if (key == "totals") {
    take_totals(value, totals_);
  } else if (key == "creator" || key == "desc") {
    builder_.add_fact(key, value);
  } else if (key != "part" && key != "event") {
    bad_line(line, "the word before ':' is unknown");
  }
  return {};
}

void Parser::take_positions(std::string_view value) {
  has_address_ =
      value.find("instr") != std::string_view::npos || value.find("addr") != std::string_view::npos;
  has_line_ = value.find("line") != std::string_view::npos || !has_address_;
}

void Parser::take_events(const Line& line, std::string_view value) {
  bool is_first = events_.empty();
  columns_.clear();
  while (!value.empty()) {
    size_t end = std::min(value.find_first_of(" \t"), value.size());
    std::string name(value.substr(0, end));
    value.remove_prefix(end);
    skip_blanks(value);
    size_t event = static_cast<size_t>(std::ranges::find(events_, name) - events_.begin());
    if (event == events_.size() && is_first && event < kMostEvents) {
      events_.push_back(name);
    }
    if (event >= events_.size()) {
      bad_line(line, "it has an event that the first part does not have, or too many");
    }
    columns_.push_back(event);  // events_.size(): skipped
  }
  costs_.assign(events_.size(), 0);
  sums_.resize(events_.size());
  declared_.resize(events_.size());
}

void Parser::take_totals(std::string_view value, std::vector<int64_t>& totals) {
  totals.assign(events_.size(), 0);
  for (size_t column = 0; column < columns_.size() && !value.empty(); ++column) {
    uint64_t number = 0;
    if (!take_number(value, number) || number >= kMaxTotalWeight) {
      totals.clear();
      return;
    }
    if (columns_[column] < totals.size()) {
      totals[columns_[column]] = static_cast<int64_t>(number);
    }
  }
}

bool Parser::take_position(std::string_view& rest) {
  if (has_address_ && !take_subposition(rest, address_)) {
    return false;
  }
  if (has_line_) {
    auto line = static_cast<uint64_t>(line_);
    if (!take_subposition(rest, line)) {
      return false;
    }
    line_ = static_cast<int64_t>(line);
  }
  return true;
}

// Some tools write negative numbers, valgrind those below 0 as numbers near 2^64: memory that a call
// has freed, clocks that a fork has set back. The costs of the other events on the line are good.
bool Parser::take_costs(const Line& line, std::string_view rest) {
  std::ranges::fill(costs_, 0);
  bool has_good = rest.empty();
  bool has_bad = false;
  for (size_t column = 0; !rest.empty(); ++column) {
    uint64_t number = 0;
    bool is_negative = rest.front() == '-';
    rest.remove_prefix(is_negative ? 1 : 0);
    if (rest.starts_with('.') && (rest.size() == 1 || is_blank(rest[1]))) {
      rest.remove_prefix(1);  // cachegrind: this line has no such events
      skip_blanks(rest);
    } else if (!take_number(rest, number)) {
      return false;
    }
    if (column >= columns_.size()) {
      return false;
    }
    bool is_good = !is_negative && number < kMaxTotalWeight;
    has_good = has_good || is_good;
    has_bad = has_bad || !is_good;
    if (is_good && columns_[column] < costs_.size()) {
      costs_[columns_[column]] = static_cast<int64_t>(number);
    }
  }
  if (has_bad && has_good) {
    builder_.add_loss({.reason = "with a cost that is negative or too large: it counts as 0",
                       .what = "lines",
                       .detail = fmt::format("line {}", line.number)});
  }
  return has_good;
}

void Parser::take_cost(const Line& line) {
  std::string_view rest = line.text;
  if (!take_position(rest) || !take_costs(line, rest)) {
    call_pending_ = false;
    bad_line(line, events_.empty() ? "no events: line is before it" : "its numbers are wrong");
    return;
  }
  if (function_ == kNoFunction) {
    bad_line(line, "no fn= line is before it");
    return;
  }
  if (!fits()) {
    call_pending_ = false;
    bad_line(line, "the costs add up to more than 61 bits can hold");
    return;
  }
  add_item();
  call_pending_ = false;
}

// Whether the sums stay in range with the current line; adds it to them if they do.
bool Parser::fits() {
  uint64_t& sum = call_pending_ ? call_sum_ : self_sum_;
  uint64_t with_line = sum;
  for (int64_t cost : costs_) {
    with_line += static_cast<uint64_t>(cost);
    if (with_line >= kMaxTotalWeight / 2) {
      return false;
    }
  }
  sum = with_line;
  return true;
}

void Parser::add_item() {
  if (std::ranges::all_of(costs_, [](int64_t cost) { return cost == 0; })) {
    return;  // the position of a jump
  }
  has_costs_ = part_has_costs_ = true;
  CallGraph& graph = this->graph();
  GraphItem item = {.function = function_,
                    .callee = call_pending_ ? callee_ : kNoFunction,
                    .file = file_,
                    .line = line_ > 0 && line_ <= UINT32_MAX ? static_cast<uint32_t>(line_) : 0,
                    .address = address_};
  if (!call_pending_) {
    for (size_t event = 0; event < costs_.size(); ++event) {
      sums_[event] += costs_[event];
    }
  }
  if (graph.costs.size() + costs_.size() > kMostCosts) {
    builder_.add_loss({.reason = "the file has more lines than wick can hold", .what = "lines"});
    return;
  }
  graph.has_calls = graph.has_calls || call_pending_;
  graph.items.push_back(item);
  graph.costs.insert(graph.costs.end(), costs_.begin(), costs_.end());
}

CallGraph& Parser::graph() {
  if (thread_changed_) {
    graph_ = graph_of_.try_emplace({pid_, thread_}, graphs_.size()).first->second;
    if (graph_ == graphs_.size()) {
      graphs_.push_back({.pid = pid_, .thread = thread_});
    }
    thread_changed_ = false;
  }
  return graphs_[graph_];
}

void Parser::bad_line(const Line& line, std::string_view problem) {
  std::string detail = fmt::format("line {}: {}", line.number, problem);
  if (first_problem_.empty()) {
    first_problem_ = detail;
  }
  builder_.add_loss({.reason = kBadLine, .what = "lines", .detail = detail});
}

// Adds up what the part says about its costs: its totals, which are exact, else its summary.
void Parser::end_part() {
  const std::vector<int64_t>& said = totals_.empty() ? summary_ : totals_;
  if (part_has_costs_ && !said.empty()) {
    ++parts_with_sums_;
    for (size_t event = 0; event < said.size(); ++event) {
      declared_[event] = std::min(declared_[event], INT64_MAX - said[event]) + said[event];
    }
  }
  if (part_has_costs_) {
    summary_.clear();
    totals_.clear();
    part_has_costs_ = false;
  }
}

std::vector<int64_t> Parser::missing() const {
  std::vector<int64_t> missing(events_.size());
  for (size_t event = 0; event < events_.size() && parts_with_sums_ > 0; ++event) {
    missing[event] = std::max<int64_t>(declared_[event] - sums_[event], 0);
  }
  return missing;
}

// A call may name its callee with another file than the callee itself (or without its object). Such
// a callee has no lines of its own. It becomes the function of that name, if there is only one.
void Parser::merge_undefined_callees() {
  std::vector<bool> defined(functions_.size());
  for (const CallGraph& graph : graphs_) {
    for (const GraphItem& item : graph.items) {
      defined[item.function] = true;
    }
  }
  std::vector<uint32_t> sorted;
  for (uint32_t row = 0; row < functions_.size(); ++row) {
    if (defined[row]) {
      sorted.push_back(row);
    }
  }
  auto name_of = [&](uint32_t row) { return functions_[row].name; };
  auto key_of = [&](uint32_t row) { return std::tuple(name_of(row), functions_[row].object); };
  std::ranges::sort(sorted, {}, key_of);
  auto target_of = [&](uint32_t row) {
    if (auto same = std::ranges::equal_range(sorted, key_of(row), {}, key_of); same.size() == 1) {
      return same.front();
    }
    auto same = std::ranges::equal_range(sorted, name_of(row), {}, name_of);
    return same.size() == 1 ? same.front() : row;
  };
  for (CallGraph& graph : graphs_) {
    for (GraphItem& item : graph.items) {
      if (item.callee != kNoFunction && !defined[item.callee]) {
        item.callee = target_of(item.callee);
      }
    }
  }
}

void Parser::finish() {
  if (call_pending_) {
    bad_line({.number = call_line_}, "the file ends before the cost of this call");
  }
  end_part();
  merge_undefined_callees();
}

}  // namespace wick::callgrind
