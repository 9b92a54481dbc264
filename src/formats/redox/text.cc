// SPDX-License-Identifier: Apache-2.0
// Two ways to read a line. take_by_spec() uses the fields that the user described with --fields.
// take_by_guess() classifies each token by its form and size, in this order:
//
//   cpu3, [3]                    the CPU
//   a kernel address             an address; the top bit may be cleared
//   a user address               only after a kernel address, or in a further line of a sample
//   1.5                          seconds
//   a small number, first        the CPU
//   a large number               the TSC, if no address came before
//   a word                       the name of the context
//
// The order matters, because the tests overlap. A sample ends at a blank line, at the next line with
// a time, or at the next line with several addresses if it has no indent; so a record may be
// delivered one line late. looks_like_text() must be strict,
// because addresses occur in many formats.
#include "formats/redox/text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/escape.h"
#include "base/lines.h"
#include "base/parse_number.h"

namespace wick::redox {
namespace {

constexpr std::string_view kSeparators = " \t,;:|()";
constexpr uint64_t kLeastTsc = 1'000'000;  // a TSC is at least a millisecond after power on
constexpr uint64_t kLeastUserAddress = 0x1000;
constexpr uint64_t kMaxCpus = 4096;
constexpr size_t kMaxAddresses = 1 << 16;

std::string_view take_token(std::string_view& line) {
  size_t begin = line.find_first_not_of(kSeparators);
  line.remove_prefix(std::min(begin, line.size()));
  size_t end = std::min(line.find_first_of(kSeparators), line.size());
  std::string_view token = line.substr(0, end);
  line.remove_prefix(end);
  return token;
}

std::optional<uint64_t> parse_address(std::string_view token) {
  if (token.starts_with("0x") || token.starts_with("0X")) {
    token.remove_prefix(2);
  }
  return parse_hex(token);
}

bool has_hex_letters(std::string_view token) {
  return token.find_first_of("abcdefABCDEFx") != std::string_view::npos;
}

std::optional<uint64_t> parse_integer(std::string_view token, NumberBase base) {
  bool hexadecimal = base == NumberBase::kHexadecimal || token.starts_with("0x") ||
                     (base == NumberBase::kAuto && has_hex_letters(token));
  return hexadecimal ? parse_address(token) : parse_number<uint64_t>(token);
}

// "cpu3", "CPU3", "[3]", "[003]".
std::optional<uint32_t> parse_cpu_word(std::string_view token) {
  if (token.starts_with("cpu") || token.starts_with("CPU")) {
    token.remove_prefix(3);
  } else if (token.starts_with('[') && token.ends_with(']')) {
    token = token.substr(1, token.size() - 2);
  } else {
    return std::nullopt;
  }
  std::optional<uint64_t> number = parse_number<uint64_t>(token);
  return number && *number < kMaxCpus ? std::optional(static_cast<uint32_t>(*number))
                                      : std::nullopt;
}

// A kernel address, with or without its top bit.
std::optional<uint64_t> parse_kernel_address(std::string_view token) {
  std::optional<uint64_t> number = parse_address(token);
  if (!number) {
    return std::nullopt;
  }
  uint64_t address = *number | kTopBit;
  return is_kernel_text(address) ? std::optional(address) : std::nullopt;
}

// A number with a decimal point: seconds.
std::optional<double> parse_seconds(std::string_view token) {
  return token.find('.') == std::string_view::npos ? std::nullopt : parse_number<double>(token);
}

bool is_timed(const Record& record) {
  return record.tsc != kNoTsc || record.seconds >= 0;
}

struct FieldName {
  std::string_view name;
  FieldKind kind;
};
constexpr std::array kFieldNames = {
    FieldName{"cpu", FieldKind::kCpu},
    FieldName{"tsc", FieldKind::kTsc},
    FieldName{"time", FieldKind::kTime},
    FieldName{"ctx", FieldKind::kContext},
    FieldName{"comm", FieldKind::kName},
    FieldName{"ip", FieldKind::kAddress},
    FieldName{"ip*", FieldKind::kAddresses},
    FieldName{"_", FieldKind::kIgnored},
};

Result<Field> parse_field(std::string_view word) {
  Field field;
  size_t colon = word.find(':');
  if (colon != std::string_view::npos) {
    std::string_view base = word.substr(colon + 1);
    if (base != "hex" && base != "dec") {
      return fail_usage("--fields: \"{}\" ends in neither :hex nor :dec.", terminal_text(word));
    }
    field.base = base == "hex" ? NumberBase::kHexadecimal : NumberBase::kDecimal;
    word = word.substr(0, colon);
  }
  for (const FieldName& entry : kFieldNames) {
    if (word == entry.name) {
      field.kind = entry.kind;
      return field;
    }
  }
  return fail_usage(
      "--fields: there is no field \"{}\"; the fields are cpu, tsc, time, ctx, comm, ip, "
      "ip*, _ and / for the lines after the first.",
      terminal_text(word));
}

// The token of a line that take_by_guess() would take as its TSC; empty if there is none. Numbers
// after an address are addresses of programs, which say nothing about the TSC.
std::string_view tsc_token(std::string_view line) {
  for (std::string_view token = take_token(line); !token.empty(); token = take_token(line)) {
    std::optional<uint64_t> number = parse_address(token);
    if (number && is_kernel_text(*number | kTopBit)) {
      return {};
    }
    if (number && *number >= kLeastTsc && *number < kTopBit && !parse_cpu_word(token)) {
      return token;
    }
  }
  return {};
}

// The base of the time stamps in text without a description. A hexadecimal number of ten digits has
// no letter in one of a hundred cases, so hexadecimal time stamps have letters in most lines.
NumberBase guess_tsc_base(std::string_view head) {
  size_t with_letters = 0;
  size_t without = 0;
  for_each_line(head, [&](std::string_view line) {
    std::string_view token = tsc_token(line);
    if (!token.empty() && !token.starts_with("0x")) {
      ++(has_hex_letters(token) ? with_letters : without);
    }
  });
  return with_letters > without ? NumberBase::kHexadecimal : NumberBase::kDecimal;
}

}  // namespace

Result<FieldSpec> parse_fields(std::string_view text) {
  FieldSpec spec;
  bool further = false;
  bool has_address = false;
  while (!text.empty()) {
    size_t begin = std::min(text.find_first_not_of(" ,"), text.size());
    text.remove_prefix(begin);
    size_t end = std::min(text.find_first_of(" ,"), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (word.empty()) {
      continue;
    }
    if (word == "/") {
      further = true;
      continue;
    }
    Field field = TRY(parse_field(word));
    has_address =
        has_address || field.kind == FieldKind::kAddress || field.kind == FieldKind::kAddresses;
    (further ? spec.further : spec.first).push_back(field);
  }
  if (!has_address || spec.first.empty()) {
    return fail_usage("--fields needs ip or ip*, which mark the addresses.");
  }
  return spec;
}

TextParser::TextParser(FieldSpec spec, std::string_view head)
    : spec_(std::move(spec)), tsc_base_(guess_tsc_base(head)) {}

void TextParser::bad_line(uint64_t number, std::string_view problem) {
  if (account_.bad_lines++ == 0) {
    account_.first_problem = fmt::format("line {}: {}", number, problem);
  }
}

bool TextParser::deliver() {
  if (!current_.started) {
    return false;
  }
  std::swap(current_, delivered_);
  current_.record = {};
  current_.name.clear();
  current_.addresses.clear();
  current_.started = false;
  if (delivered_.addresses.empty()) {
    ++account_.lost_records;
    return false;
  }
  account_.most_addresses = std::max(account_.most_addresses, delivered_.addresses.size());
  done_ = delivered_.record;
  done_.addresses = delivered_.addresses;
  done_.context_name = delivered_.name;
  ++account_.records;
  return true;
}

// False if the content of a field is not what its kind says.
bool TextParser::apply_field(const Field& field, std::string_view token, Sample& into) {
  std::optional<uint64_t> number = parse_integer(token, field.base);
  switch (field.kind) {
    case FieldKind::kCpu: {
      std::optional<uint32_t> cpu = parse_cpu_word(token);
      if (!cpu && number && *number < kMaxCpus) {
        cpu = static_cast<uint32_t>(*number);
      }
      into.record.cpu = cpu.value_or(into.record.cpu);
      return cpu.has_value();
    }
    case FieldKind::kTsc:
      if (!number || *number >= kTopBit) {
        return false;
      }
      into.record.tsc = *number;
      return true;
    case FieldKind::kTime: {
      std::optional<double> seconds = parse_number<double>(token);
      if (!seconds || *seconds < 0) {
        return false;
      }
      into.record.seconds = *seconds;
      return true;
    }
    case FieldKind::kContext:
      if (!number || *number > UINT32_MAX) {
        return false;
      }
      into.record.context = static_cast<uint32_t>(*number);
      return true;
    case FieldKind::kName:
      into.name = token;
      return true;
    case FieldKind::kAddress:
    case FieldKind::kAddresses:
      return add_address(field.base == NumberBase::kDecimal ? number : parse_address(token), into);
    case FieldKind::kIgnored:
      return true;
  }
  return true;
}

bool TextParser::add_address(std::optional<uint64_t> address, Sample& into) {
  if (!address) {
    return false;
  }
  if (into.addresses.size() < kMaxAddresses) {
    into.addresses.push_back(is_marked_rip(*address) ? *address | kTopBit : *address);
  }
  return true;
}

bool TextParser::apply(const std::vector<Field>& fields, std::string_view line, Sample& into) {
  for (const Field& field : fields) {
    std::string_view token = take_token(line);
    if (token.empty()) {
      return field.kind == FieldKind::kAddresses;
    }
    do {
      if (!apply_field(field, token, into)) {
        return false;
      }
      token = field.kind == FieldKind::kAddresses ? take_token(line) : std::string_view();
    } while (!token.empty());
  }
  return true;
}

bool TextParser::take_by_spec(std::string_view line, uint64_t number) {
  bool blank = line.find_first_not_of(kSeparators) == std::string_view::npos;
  if (blank) {
    return deliver();
  }
  bool one_line = spec_.further.empty();
  bool starts = one_line || !current_.started;
  size_t addresses = current_.addresses.size();
  if (!apply(starts ? spec_.first : spec_.further, line, current_)) {
    bad_line(number, "it does not have the fields that --fields names");
    current_.addresses.resize(addresses);  // addresses before the bad field are not a sample
    if (starts) {
      current_ = {};
    }
    return false;
  }
  current_.started = true;
  return one_line && deliver();
}

// A line with a time begins a sample. In a text without times, a line with several addresses is a
// sample of its own.
bool TextParser::ends_current(const Sample& found, bool indented) const {
  bool is_whole = !indented && found.addresses.size() > 1 && !current_.addresses.empty();
  return is_timed(found.record) || (is_whole && !is_timed(current_.record));
}

bool TextParser::take_by_guess(std::string_view line, uint64_t number) {
  std::string_view rest = line;
  std::string_view token = take_token(rest);
  if (token.empty()) {
    return deliver();
  }
  Sample found;
  bool at_start = true;
  // A further line of a sample: indented, or with a single word.
  bool indented = line[0] == ' ' || line[0] == '\t';
  bool alone = rest.find_first_not_of(kSeparators) == std::string_view::npos;
  bool continues = !current_.addresses.empty() && (indented || alone);
  for (; !token.empty(); token = take_token(rest)) {
    if (std::optional<uint32_t> cpu = parse_cpu_word(token)) {
      found.record.cpu = *cpu;
    } else if (std::optional<uint64_t> address = parse_kernel_address(token)) {
      found.addresses.push_back(*address);
    } else if (std::optional<uint64_t> user = parse_address(token);
               user && (continues || !found.addresses.empty()) && *user >= kLeastUserAddress &&
               is_user_address(*user)) {
      found.addresses.push_back(*user);
    } else if (std::optional<double> seconds = parse_seconds(token)) {
      found.record.seconds = *seconds;
    } else if (std::optional<uint64_t> small = parse_number<uint64_t>(token);
               small && *small < kMaxCpus && at_start) {
      found.record.cpu = static_cast<uint32_t>(*small);
    } else if (std::optional<uint64_t> value = parse_integer(token, tsc_base_);
               value && found.record.tsc == kNoTsc && found.addresses.empty() &&
               *value >= kLeastTsc && *value < kTopBit) {
      found.record.tsc = *value;
    } else if (!value && found.name.empty() && found.addresses.empty()) {
      found.name = token;
    }
    at_start = false;
  }
  bool timed = is_timed(found.record);
  if (!timed && found.addresses.empty()) {
    bad_line(number, "it has neither a time stamp nor a kernel address");
    return false;
  }
  bool delivered = ends_current(found, indented) && deliver();
  if (timed || !current_.started) {
    current_.record = found.record;
    current_.name = std::move(found.name);
    current_.started = true;
  }
  if (current_.addresses.size() < kMaxAddresses) {
    current_.addresses.insert(
        current_.addresses.end(), found.addresses.begin(), found.addresses.end());
  }
  return delivered;
}

bool TextParser::take(std::string_view line, uint64_t number) {
  ++account_.lines;
  if (line.starts_with('#')) {
    return false;
  }
  return spec_.guessed() ? take_by_guess(line, number) : take_by_spec(line, number);
}

bool TextParser::finish() {
  return deliver();
}

namespace {

struct LineContent {
  bool all_numbers = true;
  bool has_address = false;
};

LineContent content_of(std::string_view line) {
  LineContent content{.all_numbers = !line.starts_with('#')};
  for (std::string_view token = take_token(line); !token.empty(); token = take_token(line)) {
    bool is_address = token.size() >= 16 && parse_kernel_address(token).has_value();
    bool is_number = is_address || parse_cpu_word(token) || parse_address(token);
    content.has_address = content.has_address || is_address;
    content.all_numbers = content.all_numbers && is_number;
  }
  return content;
}

}  // namespace

bool looks_like_text(std::string_view head) {
  constexpr size_t kLines = 200;
  size_t lines = 0;
  size_t numeric = 0;
  size_t addresses = 0;
  uint64_t records = 0;
  uint64_t growing = 0;
  std::array<uint64_t, 64> last = {};
  TextParser parser({}, head);
  bool complete_line = true;
  for_each_line(head, [&](std::string_view line) {
    if (++lines > kLines || line.find('\0') != std::string_view::npos) {
      complete_line = complete_line && lines > kLines;
      return;
    }
    LineContent content = content_of(line);
    numeric += content.all_numbers && !line.empty() ? 1U : 0U;
    addresses += content.has_address ? 1U : 0U;
    bool named = line.empty() || line.starts_with('#');
    numeric += named ? 1U : 0U;
    if (parser.take(line, lines) && parser.record().tsc != kNoTsc) {
      const Record& record = parser.record();
      uint64_t& before = last[record.cpu % last.size()];
      growing += record.tsc > before ? 1U : 0U;
      before = record.tsc;
      ++records;
    }
  });
  if (parser.finish() && parser.record().tsc != kNoTsc) {
    growing += parser.record().tsc > last[parser.record().cpu % last.size()] ? 1U : 0U;
    ++records;
  }
  lines = std::min(lines, kLines);
  bool times = records > 0 && growing * 10 >= records * 9;
  return complete_line && addresses > 0 && times && numeric * 10 >= lines * 9;
}

}  // namespace wick::redox
