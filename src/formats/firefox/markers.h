// SPDX-License-Identifier: Apache-2.0
// Markers of a Firefox profile as spans and marks.
//
// The phase says what a marker is: 0 a moment, 1 an interval, 2 the begin and 3 the end of an
// interval. A begin and the next end of the same name on the same thread are one span.
//
// The type of a marker is the kind of a mark. For a span it is a label, unless it is the name of a
// SpanKind. Other values of the data become labels.
#pragma once

#include <map>
#include <set>

#include "formats/firefox/code.h"

namespace wick::firefox {

class MarkerMaker {
 public:
  MarkerMaker(const RawProfile& raw,
              const RawProcess& process,
              ProfileBuilder& builder,
              Damage& damage);

  void add(const MarkerTable& markers, ThreadId thread, double delay, CodeMaker& code);

 private:
  enum Phase : int32_t { kInstant, kInterval, kBegin, kEnd };
  struct Moment {
    int32_t phase = kInstant;
    double begin = kNoNumber;
    double end = kNoNumber;
  };

  static Moment moment_of(const MarkerTable& markers, size_t row);
  static Moment old_moment_of(const MarkerTable& markers, size_t row, std::string_view interval);
  void add_marker(size_t row, const Moment& moment);
  void add_span(size_t row, int64_t begin, int64_t end);
  void add_mark(size_t row, int64_t time);
  std::vector<LabelId> labels_of(size_t row);
  LabelId label_of(const MarkerField& field, StringId type);
  LabelId text_label(std::string_view key, StringId text);

  const RawProfile& raw_;
  const RawProcess& process_;
  ProfileBuilder& builder_;
  Damage& damage_;
  std::set<std::pair<StringId, StringId>> string_fields_;
  // Of the current table.
  const MarkerTable* markers_ = nullptr;
  ThreadId thread_;
  double delay_ = 0;
  CodeMaker* code_ = nullptr;
  std::map<StringId, std::vector<size_t>> open_;  // begins without an end, by name
};

}  // namespace wick::firefox
