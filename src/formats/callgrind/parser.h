// SPDX-License-Identifier: Apache-2.0
// Callgrind's text to call graphs, line by line. Bad lines are counted, and the rest is read.
//
// Invariants: the self costs of all lines and events together stay below kMaxTotalWeight / 2, and
// so do the costs of all calls. A line that would exceed this is a bad line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lines.h"
#include "base/result.h"
#include "formats/callgrind/graph.h"
#include "profile/builder.h"

namespace wick::callgrind {

class Parser {
 public:
  explicit Parser(ProfileBuilder& builder);

  // An error only for a version that cannot be read.
  Result<> take(const Line& line);
  // After the last line: merges functions.
  void finish();
  // What the lines lack of the totals in the file, by event.
  std::vector<int64_t> missing() const;

  // Names of the `events:` line, with units.
  const std::vector<std::string>& events() const { return events_; }
  const FunctionTable& functions() const { return functions_; }
  std::vector<CallGraph>& graphs() { return graphs_; }
  const std::string& command() const { return command_; }
  bool has_costs() const { return has_costs_; }
  // The first line that was not read, as "line 7: ..."; empty if all were.
  const std::string& first_problem() const { return first_problem_; }

 private:
  static constexpr size_t kMostEvents = 256;
  static constexpr size_t kMostCosts = size_t{1} << 28;

  // Names of one kind (objects, files or functions) by their abbreviation.
  class Names {
   public:
    Names(ProfileBuilder& builder, bool are_functions)
        : builder_(builder), are_functions_(are_functions) {}
    // The name that `text` writes or abbreviates. `is_known` becomes false if nothing defines it.
    StringId resolve(std::string_view text, bool& is_known);

   private:
    StringId named(std::string_view name);

    ProfileBuilder& builder_;
    bool are_functions_;  // mangled names become readable, "???" stays; else it means unknown
    std::vector<std::optional<StringId>> by_number_;
  };

  void take_assignment(const Line& line, std::string_view key, std::string_view value);
  Result<> take_header(const Line& line, std::string_view key, std::string_view value);
  void take_positions(std::string_view value);
  void take_events(const Line& line, std::string_view value);
  void take_totals(std::string_view value, std::vector<int64_t>& totals);
  void take_cost(const Line& line);
  bool take_position(std::string_view& rest);
  bool take_costs(const Line& line, std::string_view rest);
  bool fits();
  void add_item();
  CallGraph& graph();
  StringId name(Names& names, std::string_view text, const Line& line);
  void bad_line(const Line& line, std::string_view problem);
  void end_part();
  void merge_undefined_callees();

  ProfileBuilder& builder_;
  Names objects_;
  Names files_;
  Names function_names_;
  FunctionTable functions_;
  std::vector<CallGraph> graphs_;
  std::map<std::pair<int64_t, int64_t>, size_t> graph_of_;  // by pid and thread
  size_t graph_ = 0;                                        // the current one
  int64_t pid_ = -1;
  int64_t thread_ = -1;
  bool thread_changed_ = true;

  std::vector<std::string> events_;
  std::vector<size_t> columns_;  // by column of the current part: the event
  bool has_address_ = false;
  bool has_line_ = true;

  StringId object_;
  StringId file_;
  uint32_t function_ = kNoFunction;
  StringId callee_object_;
  StringId callee_file_;
  uint32_t callee_ = kNoFunction;
  bool has_callee_object_ = false;
  bool has_callee_file_ = false;
  bool call_pending_ = false;
  uint64_t call_line_ = 0;  // the number of the line of that call
  uint64_t address_ = 0;
  int64_t line_ = 0;
  std::vector<int64_t> costs_;  // of the current line, by event

  uint64_t self_sum_ = 0;
  uint64_t call_sum_ = 0;
  std::vector<int64_t> sums_;      // of self costs, by event
  std::vector<int64_t> declared_;  // what the parts say, by event
  std::vector<int64_t> summary_;   // of the current part
  std::vector<int64_t> totals_;
  size_t parts_with_sums_ = 0;
  bool part_has_costs_ = false;
  bool has_costs_ = false;
  std::string command_;
  std::string first_problem_;
};

}  // namespace wick::callgrind
