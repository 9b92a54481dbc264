// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_data.h"

#include <algorithm>
#include <iterator>

#include "analyze/builds.h"
#include "analyze/summary.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "base/worker_pool.h"
#include "profile/interpreted_samples.h"
#include "profile/merge.h"
#include "profile/names.h"
#include "profile/stack_end_words.h"
#include "viewer/gzip.h"
#include "viewer/page_frames.h"
#include "viewer/page_ladders.h"
#include "viewer/page_runs.h"
#include "viewer/page_tables.h"
#include "viewer/page_words.h"

namespace wick {
namespace {

// Whether names of this profile contain their source.
bool names_sources(const Profile& profile) {
  return profile.sources.size() > 1;
}

// The suffix of each source in the names of its threads, processes and counters. Compared runs are
// usually two sources. Names contain the source only if one of the runs alone has several.
void write_source_suffixes(JsonWriter& json, const Profile& merged, bool are_named) {
  json.key("source_suffixes");
  json.begin_array();
  for (size_t row = 0; row < merged.sources.size() && are_named; ++row) {
    std::string suffix = source_suffix(merged, SourceId::from_index(row));
    json.value(std::string_view(terminal_text(suffix)));
  }
  json.end_array();
}

// Alarms of all runs and sentences about their builds, to read before any number.
std::vector<std::string> cautions_of(const std::vector<PageRun>& runs) {
  std::vector<std::string> cautions;
  std::vector<BuiltSide> sides;
  for (const PageRun& run : runs) {
    sides.push_back({run.title, Builds(run.profile, costs_of_first_event(run.profile))});
    for (const std::string& alarm : alarms(run.profile)) {
      cautions.push_back(runs.size() == 1 ? alarm : fmt::format("{}: {}", run.title, alarm));
    }
    if (std::string unread = unread_text(run.profile); !unread.empty()) {
      cautions.push_back(runs.size() == 1 ? unread : fmt::format("{}: {}", run.title, unread));
    }
  }
  std::ranges::move(build_cautions(sides), std::back_inserter(cautions));
  return cautions;
}

// Advice about the ends of stacks that fits this profile, instead of that in the words.
void write_advice(JsonWriter& json, const Profile& merged) {
  json.key("advice");
  json.begin_array();
  StackAdvice advice(merged);
  for (const StackAdvice::Special& special : advice.specials()) {
    json.begin_object();
    json.field("module", std::string_view(terminal_text(special.module)));
    json.field("end", uint64_t{static_cast<uint8_t>(special.ending)});
    json.field("text", special.text);
    json.end_object();
  }
  json.end_array();
}

void write_cautions(JsonWriter& json, const std::vector<std::string>& cautions) {
  json.key("cautions");
  json.begin_array();
  for (const std::string& caution : cautions) {
    json.value(std::string_view(terminal_text(caution)));
  }
  json.end_array();
}

// Joins the header and the columns of a page.
std::string joined(std::string_view head, const ColumnPacker& columns) {
  ByteWriter out;
  out.text("WICKPAGE");
  out.number(kPageVersion);
  out.number(static_cast<uint32_t>(head.size()));
  out.text(head);
  std::string bytes = std::move(out.bytes());
  bytes.resize((bytes.size() + 7) / 8 * 8);
  bytes += columns.bytes();
  return bytes;
}

}  // namespace

Result<std::string> page_bytes(std::vector<PageRun> runs, const std::vector<PageReport>& reports) {
  std::vector<RunHead> heads;
  std::vector<RunRows> rows;
  std::vector<Profile> profiles;
  std::vector<CodeOfRun> codes;
  bool are_sources_named = false;
  std::vector<std::string> cautions = cautions_of(runs);
  for (PageRun& run : runs) {
    are_sources_named = are_sources_named || names_sources(run.profile);
    for (PageCode& code : run.code) {
      codes.push_back({heads.size(), key_of(run.profile, code.function), std::move(code)});
    }
    heads.push_back(head_of(run.profile, std::move(run.title), std::move(run.notes)));
    heads.back().repeats = std::max<size_t>(1, run.repeats.size());
    rows.push_back(heads.back().rows);
    profiles.push_back(std::move(run.profile));
  }
  Profile merged = TRY(merge(std::move(profiles), MergeClocks::kAsRecorded));
  add_page_frames(merged);

  ColumnPacker columns;
  std::string head;
  Output out = Output::to_text(head);
  JsonWriter json(out);
  json.begin_object();
  json.field("wick", WICK_VERSION);
  json.key("words");
  write_words(json);
  write_code(json, merged, codes);
  write_cautions(json, cautions);
  write_advice(json, merged);
  write_source_suffixes(json, merged, are_sources_named);
  pack_tables(merged, rows, columns, json);
  pack_ladders(merged, columns);
  pack_reports(reports, merged, columns, json);
  write_runs(json, merged, heads);
  json.key("columns");
  columns.write_headers(json);
  json.end_object();
  TRY(out.finish());
  return joined(head, columns);
}

Result<std::vector<std::string>> pack_page(std::vector<PageRun> runs,
                                           const std::vector<PageReport>& reports) {
  std::string bytes = TRY(page_bytes(std::move(runs), reports));
  std::vector<std::string> parts((bytes.size() + kPagePartBytes - 1) / kPagePartBytes);
  WorkerPool pool;
  pool.run(parts.size(), 1, [&](size_t part, size_t) {
    parts[part] = gzip(std::string_view(bytes).substr(part * kPagePartBytes, kPagePartBytes));
  });
  return parts;
}

}  // namespace wick
