// SPDX-License-Identifier: Apache-2.0
#include "formats/firefox/markers.h"

#include <array>
#include <cmath>

#include "profile/names.h"

namespace wick::firefox {
namespace {

constexpr std::array kSpanKinds = {
    SpanKind::kRegion, SpanKind::kOffCpu, SpanKind::kCall, SpanKind::kRequest};

const SpanKind* span_kind(std::string_view name) {
  for (const SpanKind& kind : kSpanKinds) {
    if (name_of(kind) == name) {
      return &kind;
    }
  }
  return nullptr;
}

}  // namespace

MarkerMaker::MarkerMaker(const RawProfile& raw,
                         const RawProcess& process,
                         ProfileBuilder& builder,
                         Damage& damage)
    : raw_(raw),
      process_(process),
      builder_(builder),
      damage_(damage),
      string_fields_(raw.string_fields.begin(), raw.string_fields.end()) {}

void MarkerMaker::add(const MarkerTable& markers, ThreadId thread, double delay, CodeMaker& code) {
  markers_ = &markers;
  thread_ = thread;
  delay_ = delay;
  code_ = &code;
  for (size_t row = 0; row < markers.size(); ++row) {
    Moment moment = old_moment_of(markers, row, builder_.text(at(markers.interval, row, {})));
    add_marker(row, markers.time.size() > 0 ? moment : moment_of(markers, row));
  }
  for (const auto& [name, rows] : open_) {
    for (size_t row : rows) {
      ++damage_.halves;
      add_mark(row, to_ns(at(markers.start, row) + delay));
    }
  }
}

MarkerMaker::Moment MarkerMaker::moment_of(const MarkerTable& markers, size_t row) {
  Moment moment{at(markers.phase, row), at(markers.start, row), at(markers.end, row)};
  if (moment.phase == kNone) {
    moment.phase = std::isnan(moment.end) ? kInstant : kInterval;
  }
  return moment;
}

// Until version 29 markers have one time, and data says the rest.
MarkerMaker::Moment MarkerMaker::old_moment_of(const MarkerTable& markers,
                                               size_t row,
                                               std::string_view interval) {
  double time = at(markers.time, row);
  double begin = at(markers.data_start, row);
  double end = at(markers.data_end, row);
  if (interval == "start") {
    return {kBegin, time, kNoNumber};
  }
  if (interval == "end") {
    return {kEnd, kNoNumber, time};
  }
  bool is_interval = !std::isnan(begin) && !std::isnan(end) && begin != end;
  return is_interval ? Moment{kInterval, begin, end} : Moment{kInstant, time, kNoNumber};
}

void MarkerMaker::add_marker(size_t row, const Moment& moment) {
  int64_t begin = to_ns(moment.begin + delay_);
  int64_t end = to_ns(moment.end + delay_);
  StringId name = code_->string(markers_->name[row]);
  bool needs_begin = moment.phase != kEnd;
  bool needs_end = moment.phase == kInterval || moment.phase == kEnd;
  if (name.empty() || (needs_begin && begin == kNoTime) || (needs_end && end == kNoTime) ||
      moment.phase > kEnd) {
    ++damage_.markers;
  } else if (moment.phase == kInstant) {
    add_mark(row, begin);
  } else if (moment.phase == kInterval) {
    add_span(row, begin, std::max(begin, end));
  } else if (moment.phase == kBegin) {
    open_[name].push_back(row);
  } else if (std::vector<size_t>& open = open_[name]; !open.empty()) {
    double time = at(markers_->time, open.back(), at(markers_->start, open.back()));
    int64_t opened = to_ns(time + delay_);
    add_span(open.back(), opened, std::max(opened, end));
    open.pop_back();
  } else {
    ++damage_.halves;
    add_mark(row, end);
  }
}

void MarkerMaker::add_span(size_t row, int64_t begin, int64_t end) {
  StringId type = at(markers_->type, row, {});
  std::vector<LabelId> labels = labels_of(row);
  const SpanKind* kind = span_kind(builder_.text(type));
  if (kind == nullptr && !type.empty()) {
    labels.push_back(text_label("type", type));
  }
  builder_.add_span({.begin_ns = begin,
                     .end_ns = end,
                     .thread = thread_,
                     .name = code_->string(markers_->name[row]),
                     .kind = kind != nullptr ? *kind : SpanKind::kRegion,
                     .stack = code_->stack(at(markers_->stack, row)),
                     .labels = builder_.label_set(labels)});
}

void MarkerMaker::add_mark(size_t row, int64_t time) {
  builder_.add_mark({.time_ns = time,
                     .name = code_->string(markers_->name[row]),
                     .thread = thread_,
                     .kind = at(markers_->type, row, {}),
                     .labels = builder_.label_set(labels_of(row))});
}

std::vector<LabelId> MarkerMaker::labels_of(size_t row) {
  std::vector<LabelId> labels;
  StringId type = at(markers_->type, row, {});
  auto by_marker = [](const MarkerField& field) { return size_t{field.marker}; };
  auto fields = std::ranges::equal_range(markers_->fields, row, {}, by_marker);
  for (const MarkerField& field : fields) {
    labels.push_back(label_of(field, type));
  }
  int32_t category = at(markers_->category, row);
  if (category > 0 && static_cast<size_t>(category) < process_.categories.size()) {
    StringId name = process_.categories[static_cast<size_t>(category)].name;
    if (builder_.text(name) != "Other" && !name.empty()) {
      labels.push_back(text_label("category", name));
    }
  }
  return labels;
}

LabelId MarkerMaker::label_of(const MarkerField& field, StringId type) {
  if (field.is_number && string_fields_.contains({type, field.key})) {
    bool fits = field.number >= 0 && field.number <= std::numeric_limits<int32_t>::max();
    StringId text = fits ? code_->string(static_cast<int32_t>(field.number)) : StringId();
    return builder_.label({.key = field.key, .text = text});
  }
  return builder_.label(
      {.key = field.key, .text = field.text, .number = field.number, .is_number = field.is_number});
}

LabelId MarkerMaker::text_label(std::string_view key, StringId text) {
  return builder_.label({.key = builder_.string(key), .text = text});
}

}  // namespace wick::firefox
