// SPDX-License-Identifier: Apache-2.0
#include "mcp/questions.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "base/check.h"
#include "base/input.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "experiment/loaded_sides.h"
#include "mcp/short_report.h"
#include "mcp/visible_text.h"
#include "report/columns.h"

namespace wick::mcp {
namespace {

// Of the allowed files, wick looks into the newest.
constexpr size_t kMostRecognised = 1000;

std::string time_text(int64_t seconds) {
  std::array<char, 32> text = {};
  std::time_t time = seconds;
  std::tm parts = {};
  ::gmtime_r(&time, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// The format of a profile; null for other files.
const Format* format_of(const std::string& path) {
  Result<Input> input = Input::open(path, nullptr);
  if (!input || input->head().empty()) {
    return nullptr;
  }
  Result<const Format*> format = recognise(*input);
  return format && !(*format)->has_sizes ? *format : nullptr;
}

// A text that happens to look like stacks is not what the user calls a profile: among the files of a
// folder, plain text counts only if its name has the extension of the format.
bool is_certain(const std::string& path, const Format& format) {
  std::string_view name = path;
  for (std::string_view packing : {".gz", ".zst"}) {
    name.remove_suffix(name.ends_with(packing) ? packing.size() : 0);
  }
  Result<Input> input = Input::open(path, nullptr);
  std::string_view head = input ? as_text(input->head()) : "";
  bool is_plain_text = !head.empty() && !std::string_view("{[<").contains(head.front()) &&
                       std::ranges::all_of(head.substr(0, 4096), [](char c) {
                         return c >= ' ' || c == '\n' || c == '\t' || c == '\r' || c < 0;
                       });
  return !is_plain_text || (!format.extension.empty() && name.ends_with(format.extension));
}

bool has_addresses(const Profile& profile) {
  return std::ranges::any_of(profile.modules, [](const Module& module) {
    return module.address_kind != AddressKind::kInFunction;
  });
}

void write_paths(std::string_view key, const std::vector<std::string>& paths, JsonWriter& json) {
  json.key(key);
  json.begin_array();
  for (const std::string& path : paths) {
    json.value(std::string_view(path));
  }
  json.end_array();
}

// The answer with `limit` rows in each table.
std::string short_answer(const Tool& tool,
                         Arguments& arguments,
                         const Json& given,
                         Report report,
                         const AnswerTraits& traits) {
  choose_rows(report, arguments.limit);
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out, visible_json_text);
  json.begin_object();
  if (tool.subject == Subject::kProfile) {
    write_paths("profile", traits.profile, json);
  } else if (tool.subject == Subject::kComparison) {
    write_paths("before", arguments.before, json);
    write_paths("after", arguments.after, json);
  }
  write_short_report(report, json);
  json.key("next");
  write_next(next_questions(tool, arguments, report, traits), tool, traits, given, json);
  json.end_object();
  CHECK(out.finish());  // text cannot fail
  return text;
}

}  // namespace

Result<std::vector<std::string>> Questions::resolved(const std::vector<std::string>& paths) const {
  std::vector<std::string> result;
  for (const std::string& path : paths) {
    result.push_back(TRY(allowed_.resolve(path)));
  }
  return result;
}

Questions::Found Questions::find_profiles() const {
  Found found;
  AllowedFiles::Listing listing = allowed_.files();
  size_t looked = std::min(listing.files.size(), kMostRecognised);
  found.is_cut = listing.is_cut || looked < listing.files.size();
  for (AllowedFiles::File& file : std::span(listing.files).first(looked)) {
    if (const Format* format = format_of(file.path); format != nullptr) {
      found.profiles.push_back({.file = std::move(file), .format = format});
    }
  }
  std::ranges::stable_partition(found.profiles, [](const FoundProfile& profile) {
    return profile.file.is_named || is_certain(profile.file.path, *profile.format);
  });
  return found;
}

Result<std::string> Questions::newest_profile() const {
  Found found = find_profiles();
  if (!found.profiles.empty()) {
    return found.profiles[0].file.shown;
  }
  return fail("There is no profile in {} yet; `wick record -o FILE -- COMMAND` writes one there.",
              allowed_.text());
}

Result<Questions::Answered> Questions::profiles() const {
  Answered answered{.report = {.title = "Profiles in " + allowed_.text(), .verb = "profiles"}};
  Table table{.columns = {name_column("profile"),
                          text_column("format", "format"),
                          in_unit("bytes", weight_column("bytes", "size")),
                          text_column("modified", "modified")}};
  Found found = find_profiles();
  for (const FoundProfile& profile : found.profiles) {
    table.columns[0].text.push_back(profile.file.shown);
    table.columns[1].text.push_back(profile.format->name);
    table.columns[2].numbers.push_back(static_cast<double>(profile.file.bytes));
    table.columns[3].text.push_back(time_text(profile.file.modified));
  }
  if (!found.profiles.empty()) {
    answered.traits.profile.push_back(table.columns[0].text[0]);
  }
  if (found.profiles.size() > 1 && found.profiles[0].format == found.profiles[1].format) {
    answered.traits.profile.push_back(table.columns[0].text[1]);
  }
  if (found.is_cut) {
    answered.report.notes.push_back(
        "There are more files than wick looks at; name a smaller folder on its command line.");
  }
  if (table.rows() == 0) {
    answered.report.notes.push_back(newest_profile().error().message);
  }
  answered.report.sections.push_back({"profiles", "Profiles, newest first", std::move(table)});
  return answered;
}

Result<Questions::Answered> Questions::about_profile(const Tool& tool, const Arguments& arguments) {
  std::vector<std::string> shown = arguments.profile;
  if (shown.empty()) {
    shown.push_back(TRY(newest_profile()));
  }
  std::vector<std::string> paths = TRY(resolved(shown));
  const acquire::Acquired& loaded = *TRY(cache_.get(paths));
  Answered answered{.report = {},
                    .traits = {.profile = shown,
                               .has_code = has_addresses(loaded.profile),
                               .threads = loaded.profile.threads.size()}};
  if (tool.analysis == nullptr) {
    answered.report = info_report(loaded, shown[0]);
    answered.report.notes.insert(
        answered.report.notes.begin(), loaded.notes.begin(), loaded.notes.end());
    return answered;
  }
  bool was_refused = false;
  AnswerFiles files{.names = cache_.options().names,
                    .may_show_source = [&](const std::string& path) {
                      bool may = allowed_.contains(path) || sources_.contains(path);
                      was_refused = was_refused || !may;
                      return may;
                    }};
  answered.report =
      TRY(answer({*tool.analysis, arguments.function, arguments.flags}, paths, loaded, files));
  if (was_refused) {
    answered.report.notes.push_back(
        "wick does not show sources outside of the allowed folders; the user can allow more with "
        "`wick mcp --sources DIR`. You may be able to read them yourself, by file and line.");
  }
  return answered;
}

Result<Questions::Answered> Questions::about_comparison(const Tool& tool,
                                                        const Arguments& arguments) {
  std::vector<std::string> before = TRY(resolved(arguments.before));
  std::vector<std::string> after = TRY(resolved(arguments.after));
  std::vector<std::vector<std::string>> sides = {std::move(before), std::move(after)};
  Filter filter = TRY(parse_filter(arguments.flags));
  RecordedSides loaded = TRY(load_sides(sides, cache_.options(), std::move(filter)));
  loaded.sides[0].name = arguments.before[0];
  loaded.sides[1].name = arguments.after[0];
  Report report = TRY(tool.analysis->compare(loaded.sides, arguments.flags));
  report.verb = tool.name;
  const std::vector<std::string>& unmatched = loaded.unmatched.sentences();
  report.warnings.insert(report.warnings.begin(), unmatched.begin(), unmatched.end());
  report.notes.insert(report.notes.begin(), loaded.notes.begin(), loaded.notes.end());
  return Answered{.report = std::move(report), .traits = {.profile = {arguments.after[0]}}};
}

Result<std::string> Questions::ask(const Tool& tool, const Json& given) {
  Arguments arguments = TRY(read_arguments(tool, given));
  Answered answered = tool.subject == Subject::kAllFiles  ? TRY(profiles())
                      : tool.subject == Subject::kProfile ? TRY(about_profile(tool, arguments))
                                                          : TRY(about_comparison(tool, arguments));
  for (;;) {
    std::string text = short_answer(tool, arguments, given, answered.report, answered.traits);
    if (text.size() <= kLongestAnswer) {
      return text;
    }
    if (arguments.limit <= 1) {
      return fail(
          "The answer is longer than {} bytes even with one row; a filter (focus, thread, "
          "time) makes it shorter.",
          kLongestAnswer);
    }
    arguments.limit = std::max<uint64_t>(1, std::min<uint64_t>(arguments.limit, 2000) / 2);
    if (answered.report.notes.empty() ||
        !answered.report.notes.back().starts_with("Rows are left out")) {
      answered.report.notes.push_back(fmt::format(
          "Rows are left out, because an answer has at most {} bytes; filters make it shorter.",
          kLongestAnswer));
    }
  }
}

}  // namespace wick::mcp
