// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/escape.h"
#include "formats/broken_input.h"
#include "formats/stacks/stack_text.h"
#include "formats/stacks/stacks.h"
#include "profile/validate.h"

namespace wick::stacks {
namespace {

constexpr std::array<Flag, 1> kReadFlags = {{kUnitFlag}};

}  // namespace

bool sniff(Bytes head) {
  std::string_view text = as_text(head);
  return is_bpftrace(text) || is_bcc(text) || is_backtrace(text);
}

std::span<const Flag> read_flags() {
  return kReadFlags;
}

Result<Profile> read(Input& input, const FlagValues& flags) {
  std::string_view head = as_text(input.head());
  StackBuilder out;
  UnitChoice unit = {parse_unit(flags.text("unit")), flags.given("unit")};
  std::unique_ptr<TextParser> parser = is_bpftrace(head) ? bpftrace_parser(out, unit)
                                       : is_bcc(head)    ? bcc_parser(out, unit)
                                                         : backtrace_parser(out);
  LineReader lines(input);
  uint64_t cut_line = 0;
  while (std::optional<Line> line = lines.next()) {
    if (line->cut) {
      out.loss("lines longer than 64 MiB", "lines", line->number);
      continue;
    }
    parser->take(*line);
    cut_line = line->has_end ? 0 : line->number;
  }
  parser->finish();
  add_unread_rest(lines.error(), out.builder());
  if (out.stacks() == 0) {
    return fail("{} has no stacks of bpftrace, bcc, gdb or eu-stack.", terminal_text(input.name()));
  }
  if (cut_line != 0) {
    out.builder().add_loss({.reason = "the last line has no line end: if the text was cut, it may "
                                      "lack letters or digits",
                            .what = "lines",
                            .severity = LossClass::kNotice});
  }
  Profile profile = out.builder().finish();
  TRY(validate(profile));
  return profile;
}

}  // namespace wick::stacks
