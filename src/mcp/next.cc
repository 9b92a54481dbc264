// SPDX-License-Identifier: Apache-2.0
// One rule for each kind of answer: an overview leads to its hottest function, a function to its
// code and its callees, a list to its first row. A rule uses roles of columns, so it fits analyses
// that do not exist yet.
#include "mcp/next.h"

#include <algorithm>

#include "base/escape.h"
#include "profile/filter.h"
#include "views/numbers.h"

namespace wick::mcp {
namespace {

constexpr size_t kMostQuestions = 3;
constexpr uint64_t kMoreRows = 5;  // times as many

const Table* first_named_table(const Report& report) {
  for (const Section& section : report.sections) {
    const auto* table = std::get_if<Table>(&section.body);
    if (table != nullptr && table->rows() > 0 && table->find(ColumnRole::kName) != nullptr) {
      return table;
    }
  }
  return nullptr;
}

// Placeholders such as [unknown] are not functions, and an escaped name would not be found.
bool can_be_asked_for(const std::string& name) {
  return !name.empty() && !name.starts_with('[') && terminal_text(name) == name;
}

// The row that costs most by itself, else the first. Rows of callers and callees do not count: the
// report is about another function.
std::string hottest_name(const Report& report) {
  const Table* table = first_named_table(report);
  if (table == nullptr) {
    return {};
  }
  const ReportColumn& names = *table->find(ColumnRole::kName);
  const ReportColumn* self = table->find(ColumnRole::kSelf, ColumnKind::kWeight);
  self = self != nullptr ? self : table->find(ColumnRole::kTotal, ColumnKind::kWeight);
  std::string best;
  double most = -1;
  for (size_t row = 0; row < table->rows(); ++row) {
    double cost = self == nullptr ? 0 : self->numbers[row];
    bool is_deeper = most == 0 && cost == 0;  // of the outer frames of a tree, the last says most
    if ((cost > most || is_deeper) && can_be_asked_for(names.text[row])) {
      best = names.text[row];
      most = cost;
    }
  }
  return best;
}

// The function that a sandwich is about: the client may have written a part of its name.
std::string subject_of(const Report& report) {
  const Table* table = first_named_table(report);
  const ReportColumn* relation = table == nullptr ? nullptr : table->find(ColumnRole::kRelation);
  for (size_t row = 0; relation != nullptr && row < table->rows(); ++row) {
    const std::string& name = table->find(ColumnRole::kName)->text[row];
    if (relation->text[row] == kFunctionRelation && can_be_asked_for(name)) {
      return name;
    }
  }
  return {};
}

// wick calls code without a symbol "module+0x1234".
bool is_unnamed(const std::string& name) {
  size_t plus = name.rfind("+0x");
  return plus != std::string::npos &&
         name.find_first_not_of("0123456789abcdef", plus + 3) == std::string::npos;
}

size_t left_out(const Report& report) {
  size_t most = 0;
  for (const Section& section : report.sections) {
    most = std::max(most, section.left_out);
  }
  return most;
}

NextQuestion about(std::string_view tool, const std::string& function, std::string why) {
  return {.tool = tool, .arguments = {{"function", function}}, .why = std::move(why)};
}

bool is_by_function(const Arguments& arguments) {
  return !arguments.flags.is_declared("by") || arguments.flags.text("by") == "function";
}

// A pattern that only this name matches.
std::string pattern_of(const std::string& name) {
  return fmt::format("^\\Q{}\\E$", name);
}

// Filters see the whole path of a module.
std::string module_pattern_of(const std::string& name) {
  return fmt::format("\\Q{}\\E$", name);
}

// "worker 1234" -> "1234"
std::string thread_of(const std::string& name) {
  return name.substr(name.rfind(' ') + 1);
}

// The hot functions of a part of the profile.
NextQuestion part_of(std::string filter, std::string value, std::string why) {
  return {
      .tool = "hot", .arguments = {{std::move(filter), std::move(value)}}, .why = std::move(why)};
}

NextQuestion callers_of(const std::string& function) {
  return about("sandwich", function, "which callers this function works for, and what it calls");
}

NextQuestion code_of(const std::string& function) {
  return about("annotate", function, "which of its lines and instructions cost the time");
}

void ask_about_overview(const AnswerTraits& traits,
                        const std::string& function,
                        bool is_by_thread,
                        std::vector<NextQuestion>& questions) {
  if (is_unnamed(function)) {
    questions.push_back(
        {.tool = "quality", .why = "which files have no names, why, and what would name them"});
  } else if (!function.empty()) {
    questions.push_back(callers_of(function));
    if (traits.has_code) {
      questions.push_back(code_of(function));
    }
  }
  if (traits.threads > 1 && !is_by_thread) {
    questions.push_back({.tool = "report",
                         .arguments = {{"by", "thread"}},
                         .why = fmt::format("how the {} threads share the time", traits.threads)});
  }
}

}  // namespace

std::vector<NextQuestion> next_questions(const Tool& tool,
                                         const Arguments& arguments,
                                         const Report& report,
                                         const AnswerTraits& traits) {
  std::vector<NextQuestion> questions;
  std::string function = is_by_function(arguments) ? hottest_name(report) : "";
  if (tool.name == "profiles" || tool.name == "info" || tool.name == "quality") {
    questions.push_back(
        {.tool = "hot", .why = "the few functions that account for most of the time"});
    if (traits.profile.size() > 1) {
      questions.push_back(
          {.tool = "diff",
           .arguments = {{"before", traits.profile[1]}, {"after", traits.profile[0]}},
           .why = "what changed between the two newest profiles"});
    }
  } else if (std::string subject = subject_of(report); tool.name == "sandwich") {
    if (traits.has_code && !subject.empty()) {
      questions.push_back(code_of(subject));
    }
    if (!subject.empty()) {
      questions.push_back({.tool = "tree",
                           .arguments = {{"from", pattern_of(subject)}},
                           .why = "where the time below it goes"});
    }
  } else if (tool.name == "annotate") {
    if (!arguments.function.empty()) {
      questions.push_back(callers_of(arguments.function));
    }
  } else {
    std::string by = arguments.flags.is_declared("by") ? arguments.flags.text("by") : "";
    if (std::string name = hottest_name(report); !name.empty() && by == "thread") {
      questions.push_back(part_of("thread", thread_of(name), "what the busiest thread does"));
    } else if (!name.empty() && by == "module") {
      questions.push_back(part_of("focus", module_pattern_of(name), "what this module does"));
    }
    ask_about_overview(traits, function, by == "thread", questions);
  }
  if (left_out(report) > 0) {
    questions.resize(std::min(questions.size(), kMostQuestions - 1));
    questions.push_back({.tool = tool.name,
                         .arguments = {{"limit", "", arguments.limit * kMoreRows}},
                         .why = fmt::format("{} more rows", left_out(report))});
  }
  questions.resize(std::min(questions.size(), kMostQuestions));
  return questions;
}

namespace {

// Writes JSON that a client sent: values of arguments, which are texts, numbers or flat lists.
void write_value(const Json& value, JsonWriter& json) {
  switch (value.kind) {
    case Json::Kind::kText:
      return json.value(std::string_view(value.text));
    case Json::Kind::kNumber:
      return json.raw(plain_number(value.number));
    case Json::Kind::kBoolean:
      return json.value(value.truth);
    default:
      json.begin_array();
      for (const Json& item : value.items) {
        json.value(std::string_view(item.text));
      }
      json.end_array();
  }
}

bool is_filter(std::string_view name) {
  return std::ranges::find(filter_flags(), name, &Flag::name) != filter_flags().end();
}

// The profile and the filters of the answered question; with the same tool all its arguments.
void repeat_arguments(const NextQuestion& question,
                      const AnswerTraits& traits,
                      const Json& given,
                      bool is_same_tool,
                      JsonWriter& json) {
  bool takes_profile = find_tool(question.tool)->subject == Subject::kProfile;
  if (takes_profile && !traits.profile.empty()) {
    json.field("profile", std::string_view(traits.profile[0]));
  }
  for (size_t i = 0; i < given.keys.size(); ++i) {
    std::string name = given.keys[i];
    std::ranges::replace(name, '_', '-');
    bool is_new = std::ranges::find(question.arguments, name, &NextArgument::name) !=
                  question.arguments.end();
    if (!is_new && name != "profile" && name != "limit" && (is_same_tool || is_filter(name))) {
      json.key(name);
      write_value(given.items[i], json);
    }
  }
}

}  // namespace

void write_next(const std::vector<NextQuestion>& questions,
                const Tool& asked,
                const AnswerTraits& traits,
                const Json& given,
                JsonWriter& json) {
  json.begin_array();
  for (const NextQuestion& question : questions) {
    json.begin_object();
    json.field("tool", question.tool);
    json.key("arguments");
    json.begin_object();
    repeat_arguments(question, traits, given, question.tool == asked.name, json);
    for (const NextArgument& argument : question.arguments) {
      json.key(argument.name);
      argument.number ? json.value(*argument.number) : json.value(std::string_view(argument.text));
    }
    json.end_object();
    json.field("why", std::string_view(question.why));
    json.end_object();
  }
  json.end_array();
}

}  // namespace wick::mcp
