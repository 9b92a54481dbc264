// SPDX-License-Identifier: Apache-2.0
#include "views/numbers.h"

#include <cmath>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/plural.h"

namespace wick {
namespace {

constexpr std::string_view kUnknown = "-";

}  // namespace

std::string plain_number(double number) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (!std::isfinite(number)) {
    return "null";
  }
  bool whole = number == std::trunc(number) && std::abs(number) < kExactIntegers;
  return whole ? fmt::format("{}", static_cast<int64_t>(number)) : fmt::format("{}", number);
}

std::string share_text(double share) {
  return std::isnan(share) ? std::string(kUnknown) : fmt::format("{:.2f}", 100 * share);
}

std::string number_text(const ReportColumn& column, double number, std::string_view unit) {
  constexpr double kMaxDigits = 1e12;
  if (std::isnan(number)) {
    return std::string(kUnknown);
  }
  std::string text;
  switch (column.kind) {
    case ColumnKind::kWeight:
      text = weight_text(number, unit);
      break;
    case ColumnKind::kShare:
      text = share_text(number);
      break;
    case ColumnKind::kCount:
      text = count_text(number);
      break;
    case ColumnKind::kNumber:
    case ColumnKind::kText:
      text = std::abs(number) >= 9999.5 && std::abs(number) < kMaxDigits
                 ? count_text(number)
                 : fmt::format("{:.4g}", number);
      break;
  }
  // A number that is rounded to zero has no sign.
  bool nothing = text.find_first_of("123456789") == std::string::npos;
  if (nothing && text.starts_with('-')) {
    text.erase(0, 1);
  }
  return column.is_difference && number > 0 && !nothing ? "+" + text : text;
}

bool has_interval(const ReportColumn& column, size_t row) {
  return !column.low.empty() && !std::isnan(column.low[row]) && !std::isnan(column.high[row]);
}

std::string interval_text(const ReportColumn& column, size_t row, std::string_view unit) {
  if (column.low.empty()) {
    return {};
  }
  if (!has_interval(column, row)) {
    return std::string(kUnknown);
  }
  if (column.is_difference) {
    return fmt::format("{} to {}",
                       number_text(column, column.low[row], unit),
                       number_text(column, column.high[row], unit));
  }
  if (column.kind == ColumnKind::kShare) {
    return fmt::format("{:.1f}-{:.1f}", 100 * column.low[row], 100 * column.high[row]);
  }
  if (column.kind == ColumnKind::kNumber) {
    return fmt::format("{}-{}",
                       number_text(column, column.low[row], unit),
                       number_text(column, column.high[row], unit));
  }
  return fmt::format(
      "{}-{}", weight_text(column.low[row], unit), weight_text(column.high[row], unit));
}

std::string samples_text(double count) {
  return count_text(count) + (count == 1 ? " sample" : " samples");
}

std::string summary_text(const Report& report) {
  std::string text = amount_text(report.total, report.unit);
  if (report.unit != "samples" && report.samples > 0) {
    text += " in " + samples_text(static_cast<double>(report.samples));
  }
  return text;
}

// A reason continues the count, except for modules, where it is a sentence:
//
//     Lost: 12 samples, the kernel's buffer was full while recording.
//     Note: a perf map ends inside a line: names are missing (1 module: /tmp/perf-7.map).
std::string loss_text(const LossLine& loss) {
  std::string counted = fmt::format("{} {}",
                                    count_text(static_cast<double>(loss.count)),
                                    loss.count == 1 ? singular(loss.what) : loss.what);
  bool is_sentence = loss.what == "modules" || loss.count == 0;
  std::string details = loss.what == "modules" && loss.count > 0 ? counted : "";
  if (!loss.detail.empty()) {
    details += fmt::format("{}{}", details.empty() ? "" : ": ", loss.detail);
  }
  return fmt::format("{}: {}{}{}.",
                     loss.data_loss ? "Lost" : "Note",
                     is_sentence ? "" : terminal_text(counted) + ", ",
                     terminal_text(loss.reason),
                     details.empty() ? "" : fmt::format(" ({})", terminal_text(details)));
}

}  // namespace wick
