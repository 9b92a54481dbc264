#include "viewer/page_data.h"

#include <map>

#include "base/escape.h"
#include "base/json_writer.h"
#include "base/worker_pool.h"
#include "profile/merge.h"
#include "profile/names.h"
#include "profile/time_range.h"
#include "viewer/gzip.h"
#include "viewer/page_tables.h"
#include "viewer/page_words.h"

namespace wick {
namespace {

struct PageLoss {
  std::string reason;
  std::string what;
  std::string detail;
  uint64_t count = 0;
  bool is_data_loss = false;
};

// What is known of a run by itself; the merged profile has the rest.
struct RunHead {
  std::string title;
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<PageLoss> losses;
  RunRows rows;
  int64_t end_ns = 0;  // its last sample
  bool has_time = false;
};

void write_text(JsonWriter& json, std::string_view name, std::string_view text) {
  json.field(name, std::string_view(terminal_text(text)));
}

// Tabs are layout in code, and controls elsewhere.
std::string with_spaces(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\t') {
      result.append(8 - result.size() % 8, ' ');
    } else {
      result.push_back(c);
    }
  }
  return result;
}

// Sums of each event of the page in one run's rows, and the CPUs that it names.
struct RunSums {
  std::vector<Cost> events;
  std::vector<bool> cpus;  // by number
};
RunSums sums_of(const Profile& merged, size_t begin, size_t end) {
  RunSums sums{.events = std::vector<Cost>(merged.events.size()),
               .cpus = std::vector<bool>(size_t{kNoCpu} + 1)};
  for (size_t row = begin; row < end; ++row) {
    const SampleColumns& samples = merged.samples;
    sums.events[samples.event[row].index()] += {samples.weight[row], samples.count[row]};
    sums.cpus[samples.cpu[row]] = true;
  }
  sums.cpus[kNoCpu] = false;
  return sums;
}

void write_sums(JsonWriter& json, const RunSums& sums) {
  json.key("events");
  json.begin_array();
  for (const Cost& cost : sums.events) {
    json.begin_object();
    json.field("weight", cost.weight);
    json.field("samples", cost.count);
    json.end_object();
  }
  json.end_array();
  json.key("cpus");
  json.begin_array();
  for (size_t cpu = 0; cpu < sums.cpus.size(); ++cpu) {
    if (sums.cpus[cpu]) {
      json.value(uint64_t{cpu});
    }
  }
  json.end_array();
}

// The functions of the page by what they are called: ids of a run are not those of the merged
// tables.
using FunctionKey = std::pair<std::string, std::string>;
FunctionKey key_of(const Profile& profile, FunctionId id) {
  const Function& function = profile.functions[id];
  std::string_view module =
      function.module.valid() ? profile.strings[profile.modules[function.module].path] : "";
  return {std::string(profile.strings[function.name]), std::string(module)};
}

struct NamedCode {
  size_t run = 0;
  FunctionKey function;
  PageCode code;
};

void write_source(JsonWriter& json, const PageCode& code) {
  json.key("source");
  if (code.lines.empty()) {
    json.raw("null");
    return;
  }
  json.begin_object();
  write_text(json, "file", code.file);
  json.field("firstLine", uint64_t{code.first_line});
  json.key("lines");
  json.begin_array();
  for (const std::string& line : code.lines) {
    json.value(std::string_view(terminal_text(with_spaces(line))));
  }
  json.end_array();
  json.end_object();
}

void write_instructions(JsonWriter& json, const PageCode& code) {
  json.key("code");
  if (code.instructions.empty()) {
    json.raw("null");
    return;
  }
  json.begin_object();
  json.field("address", std::string_view(fmt::format("{:#x}", code.address)));
  json.key("instructions");
  json.begin_array();
  for (const PageInstruction& instruction : code.instructions) {
    json.begin_object();
    json.field("offset", instruction.offset);
    write_text(json, "text", with_spaces(instruction.text));
    json.field("line", uint64_t{instruction.line});
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_code(JsonWriter& json, const Profile& merged, const std::vector<NamedCode>& codes) {
  std::map<FunctionKey, size_t> rows;
  for (size_t row = merged.functions.size(); row-- > 0 && !codes.empty();) {
    rows[key_of(merged, FunctionId::from_index(row))] = row;
  }
  json.key("annotations");
  json.begin_array();
  for (const NamedCode& named : codes) {
    json.begin_object();
    json.field("run", uint64_t{named.run});
    json.field("frameFunction", uint64_t{rows[named.function]});
    write_text(json, "note", named.code.note);
    write_source(json, named.code);
    write_instructions(json, named.code);
    json.end_object();
  }
  json.end_array();
}

RunHead head_of(const Profile& profile, std::string title, std::vector<std::string> notes) {
  TimeRange range = sampled_time(profile);
  RunHead head{.title = std::move(title),
               .notes = std::move(notes),
               .rows = rows_of(profile, range.first),
               .end_ns = range.last,
               .has_time = profile.has_time()};
  for (const Fact& fact : profile.facts) {
    head.facts.emplace_back(profile.strings[fact.key], profile.strings[fact.value]);
  }
  for (const Loss& loss : profile.losses) {
    head.losses.push_back({.reason = std::string(profile.strings[loss.reason]),
                           .what = std::string(profile.strings[loss.what]),
                           .detail = std::string(profile.strings[loss.detail]),
                           .count = loss.count,
                           .is_data_loss = loss.severity == LossClass::kDataLoss});
  }
  return head;
}

void write_facts(JsonWriter& json, const RunHead& run) {
  json.key("facts");
  json.begin_array();
  for (const auto& [key, value] : run.facts) {
    json.begin_array();
    json.value(std::string_view(terminal_text(key)));
    json.value(std::string_view(terminal_text(value)));
    json.end_array();
  }
  json.end_array();
}

void write_losses(JsonWriter& json, const RunHead& run) {
  json.key("losses");
  json.begin_array();
  for (const PageLoss& loss : run.losses) {
    json.begin_object();
    write_text(json, "reason", loss.reason);
    write_text(json, "what", loss.what);
    write_text(json, "detail", loss.detail);
    json.field("count", loss.count);
    json.field("data_loss", loss.is_data_loss);
    json.end_object();
  }
  json.end_array();
}

void write_notes(JsonWriter& json, const RunHead& run) {
  json.key("notes");
  json.begin_array();
  for (const std::string& note : run.notes) {
    json.value(std::string_view(terminal_text(note)));
  }
  json.end_array();
}

// How many rows of each table are this run's.
void write_rows(JsonWriter& json, const RunRows& rows) {
  json.key("rows");
  json.begin_object();
  for (size_t i = 0; i < kTableCount; ++i) {
    if (auto table = static_cast<ProfileTable>(i); is_of_runs(table)) {
      json.field(info_of(table).name, uint64_t{rows.of(table)});
    }
  }
  json.end_object();
}

void write_runs(JsonWriter& json, const Profile& merged, const std::vector<RunHead>& runs) {
  size_t row = 0;
  json.key("runs");
  json.begin_array();
  for (const RunHead& run : runs) {
    size_t end = row + run.rows.of(ProfileTable::kSamples);
    json.begin_object();
    write_text(json, "title", run.title);
    json.field("has_time", run.has_time);
    json.field("start_ns", run.rows.start_ns);
    json.field("duration_ns", since(run.end_ns, run.rows.start_ns));
    json.field("after_first_ns", since(run.rows.start_ns, runs.front().rows.start_ns));
    write_rows(json, run.rows);
    write_facts(json, run);
    write_losses(json, run);
    write_notes(json, run);
    write_sums(json, sums_of(merged, row, end));
    json.end_object();
    row = end;
  }
  json.end_array();
}

// Whether the names of a profile say which source they are from.
bool names_sources(const Profile& profile) {
  return profile.sources.size() > 1;
}

// By source: what the names of its threads, processes and counters end with. Two runs that are
// compared are usually two sources, so names say it only where those of one run alone would.
void write_source_suffixes(JsonWriter& json, const Profile& merged, bool are_named) {
  json.key("source_suffixes");
  json.begin_array();
  for (size_t row = 0; row < merged.sources.size() && are_named; ++row) {
    std::string suffix = source_suffix(merged, SourceId::from_index(row));
    json.value(std::string_view(terminal_text(suffix)));
  }
  json.end_array();
}

// The bytes of a page from its header and columns.
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
  std::vector<NamedCode> codes;
  bool are_sources_named = false;
  for (PageRun& run : runs) {
    are_sources_named = are_sources_named || names_sources(run.profile);
    for (PageCode& code : run.code) {
      codes.push_back({heads.size(), key_of(run.profile, code.function), std::move(code)});
    }
    heads.push_back(head_of(run.profile, std::move(run.title), std::move(run.notes)));
    rows.push_back(heads.back().rows);
    profiles.push_back(std::move(run.profile));
  }
  Profile merged = TRY(merge(std::move(profiles), MergeClocks::kAsRecorded));

  ColumnPacker columns;
  std::string head;
  Output out = Output::to_text(head);
  JsonWriter json(out);
  json.begin_object();
  json.field("wick", WICK_VERSION);
  json.key("words");
  write_words(json);
  write_code(json, merged, codes);
  write_source_suffixes(json, merged, are_sources_named);
  pack_tables(merged, rows, columns, json);
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
