// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "base/escape.h"
#include "base/lines.h"
#include "base/parse_number.h"
#include "base/path.h"
#include "formats/broken_input.h"
#include "formats/redox/assembly.h"
#include "formats/redox/redox.h"
#include "formats/redox/text.h"
#include "formats/redox/words.h"

namespace wick::redox {
namespace {

constexpr std::array<Flag, 3> kReadFlags = {{
    {.name = "tsc-ghz",
     .kind = FlagKind::kNumber,
     .value = "GHZ",
     .fallback = "0",
     .help = "rate of the time stamp counter in recordings of Redox"},
    {.name = "fields",
     .kind = FlagKind::kText,
     .value = "WORDS",
     .fallback = "",
     .help = "fields on the lines of a Redox text: cpu tsc time ctx comm ip ip* _ and / for "
             "further lines"},
    {.name = "contexts",
     .kind = FlagKind::kFileText,
     .value = "FILE",
     .fallback = "",
     .help = "names of Redox contexts: a number and a name on each line"},
}};

// "profiling-3", "cpu3.bin": the last number in the file's name.
uint32_t cpu_in_name(std::string_view path) {
  std::string_view name = file_name_of(path);
  size_t end = name.find_last_of("0123456789");
  if (end == std::string_view::npos) {
    return kNoCpuReported;
  }
  size_t before = name.find_last_not_of("0123456789", end);
  size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::optional<uint32_t> cpu = parse_number<uint32_t>(name.substr(begin, end - begin + 1));
  return cpu && *cpu < 4096 ? *cpu : kNoCpuReported;
}

std::unordered_map<uint32_t, std::string> parse_contexts(std::string_view text) {
  std::unordered_map<uint32_t, std::string> names;
  for_each_line(text, [&](std::string_view line) {
    size_t blank = line.find_first_of(" \t");
    std::optional<uint32_t> id = parse_number<uint32_t>(line.substr(0, blank));
    if (id && blank != std::string_view::npos) {
      size_t begin = line.find_first_not_of(" \t", blank);
      names[*id] = begin == std::string_view::npos ? "" : line.substr(begin);
    }
  });
  return names;
}

Result<Profile> read_words(Input& input, Generation generation, AssemblyOptions options) {
  options.rings_follow = true;
  bool cpu_known = options.cpu != kNoCpuReported;
  options.cpu = cpu_known ? options.cpu : 0;
  Assembly assembly(generation, std::move(options));
  RingParser parser(generation);
  uint64_t bytes_before = 0;
  std::string carried;  // bytes that are not parsed yet
  std::string error;
  auto parse_carried = [&](bool last) {
    Bytes rest = as_bytes(carried);
    while (true) {
      RingParser::Step step = parser.next(rest, last);
      if (step.taken == 0) {
        break;
      }
      if (step.delivered) {
        uint64_t words = (parser.account().bytes - bytes_before) / sizeof(uint64_t);
        assembly.take(parser.record(), words);
        bytes_before += words * sizeof(uint64_t);
      }
      rest = rest.subspan(step.taken);
    }
    carried.erase(0, carried.size() - rest.size());
  };
  while (true) {
    Result<Bytes> block = input.next();
    if (!block || block->empty()) {
      error = block ? "" : block.error().message;
      break;
    }
    carried += as_text(*block);
    parse_carried(false);
  }
  parse_carried(true);
  const RingAccount& account = parser.account();
  ProfileBuilder& builder = assembly.builder();
  add_unread_rest(error, builder);
  if (account.records == 0) {
    return fail("{} has no complete record of a Redox ring.", terminal_text(input.name()));
  }
  if (!cpu_known) {
    builder.add_loss({.reason = "the first ring is assumed to be that of CPU 0",
                      .what = "",
                      .detail = "a number in its file name would say which CPU",
                      .count = 0,
                      .severity = LossClass::kNotice});
  }
  if (account.lost_records > 0) {
    builder.add_loss({.reason = "cut or damaged before their callers",
                      .what = "samples",
                      .detail = {},
                      .count = account.lost_records});
  }
  if (account.cut_records > 0) {
    builder.add_loss({.reason = "without callers, because the ring had no room or is damaged",
                      .what = "samples",
                      .detail = {},
                      .count = account.cut_records,
                      .severity = LossClass::kNotice});
  }
  if (account.skipped_bytes > 0) {
    uint64_t record_bytes = (account.bytes - account.skipped_bytes) / account.records;
    builder.add_loss(
        {.reason = "estimated from bytes that belong to no record",
         .what = "samples",
         .detail = fmt::format("{} bytes; the ring was cut or overwritten", account.skipped_bytes),
         .count = (account.skipped_bytes + record_bytes - 1) / record_bytes});
  }
  return assembly.finish();
}

// Guessing finds something in almost any text. The result counts only if most of the text fits it.
Result<> check_samples(const TextAccount& account, bool is_guessed, const std::string& path) {
  constexpr size_t kMaxFrames = 256;  // the kernel records at most 30
  std::string problem;
  if (account.records == 0) {
    problem = "has no samples of a Redox kernel";
  } else if (is_guessed &&
             (account.bad_lines * 2 > account.lines || account.lost_records > account.records)) {
    problem = "is not a text of a Redox kernel: most of its lines are not part of a sample";
  } else if (is_guessed && account.most_addresses > kMaxFrames) {
    problem = fmt::format(
        "is not a text of a Redox kernel, or wick cannot see where its samples begin: one would "
        "have {} addresses",
        account.most_addresses);
  }
  return problem.empty()
             ? Result<>()
             : fail("{} {}{}. --fields names the fields of a line.",
                    terminal_text(path),
                    problem,
                    account.first_problem.empty() ? "" : " (" + account.first_problem + ")");
}

Result<Profile> read_text(Input& input, FieldSpec spec, AssemblyOptions options) {
  Assembly assembly(Generation::kText, std::move(options));
  bool is_guessed = spec.guessed();
  TextParser parser(std::move(spec), as_text(input.head()));
  LineReader lines(input);
  uint64_t cut_line = 0;
  while (std::optional<Line> line = lines.next()) {
    if (!line->has_end) {
      cut_line = line->number;  // its last address may lack digits
    } else if (parser.take(line->text, line->number)) {
      assembly.take(parser.record(), 0);
    }
  }
  if (parser.finish()) {
    assembly.take(parser.record(), 0);
  }
  const TextAccount& account = parser.account();
  TRY(check_samples(account, is_guessed, input.name()));
  ProfileBuilder& builder = assembly.builder();
  add_unread_rest(lines.error(), builder);
  add_cut_line(cut_line, builder);
  if (account.bad_lines > 0) {
    builder.add_loss({.reason = "not part of a sample",
                      .what = "lines",
                      .detail = account.first_problem,
                      .count = account.bad_lines});
  }
  if (account.lost_records > 0) {
    builder.add_loss({.reason = "without an address",
                      .what = "samples",
                      .detail = {},
                      .count = account.lost_records});
  }
  return assembly.finish();
}

}  // namespace

bool sniff(Bytes head) {
  return look_for_rings(head).found || looks_like_text(as_text(head));
}

std::span<const Flag> read_flags() {
  return kReadFlags;
}

Result<Profile> read(Input& input, const FlagValues& flags) {
  AssemblyOptions options{.tsc_ghz = flags.number("tsc-ghz"),
                          .cpu = cpu_in_name(input.name()),
                          .context_names = parse_contexts(flags.text("contexts"))};
  constexpr double kSlowest = 0.01;
  constexpr double kFastest = 100;
  if (flags.given("tsc-ghz") && (options.tsc_ghz < kSlowest || options.tsc_ghz > kFastest)) {
    return fail_usage("--tsc-ghz takes the rate in GHz, such as 2.2.");
  }
  if (flags.given("fields")) {
    FieldSpec spec = TRY(parse_fields(flags.text("fields")));
    options.cpu = kNoCpuReported;
    return read_text(input, std::move(spec), std::move(options));
  }
  RingSight sight = look_for_rings(input.head());
  if (sight.found) {
    return read_words(input, sight.generation, std::move(options));
  }
  options.cpu = kNoCpuReported;
  return read_text(input, {}, std::move(options));
}

}  // namespace wick::redox
