// SPDX-License-Identifier: Apache-2.0
// Three passes over the message: the dictionary, the shape of all samples (shape.h), then the samples
// in their resources.
//
// Invariants: the sums of weights and counts stay below kMaxTotalWeight, and the number of frames
// that are looked up below a multiple of the message's size: a few bytes can refer to a location with
// many lines again and again.
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/escape.h"
#include "base/whole_input.h"
#include "formats/broken_input.h"
#include "formats/otlp/code.h"
#include "formats/otlp/otlp.h"
#include "formats/otlp/shape.h"
#include "profile/validate.h"

namespace wick::otlp {
namespace {

// use(bytes) for each field of that number with bytes. False if the message is damaged.
template <typename Use>
bool each_message(Bytes message, uint32_t field, Use use) {
  ProtoReader fields(message);
  while (fields.next()) {
    if (fields.is(field, ProtoKind::kBytes)) {
      use(fields.bytes());
    }
  }
  return fields.ok();
}

void append_times(const ProtoReader& field, std::vector<int64_t>& times) {
  if (field.kind() == ProtoKind::kFixed64) {
    times.push_back(field.signed_number());
  }
  Bytes bytes = field.kind() == ProtoKind::kBytes ? field.bytes() : Bytes();
  for (size_t at = 0; at + sizeof(int64_t) <= bytes.size(); at += sizeof(int64_t)) {
    int64_t time = 0;
    std::memcpy(&time, bytes.data() + at, sizeof(time));
    times.push_back(time);
  }
}

// What attributes say besides labels.
struct Origin {
  int64_t pid = -1;
  int64_t tid = -1;
  std::string process;
  std::string thread;
  std::string host;
  uint16_t cpu = kNoCpu;
};

class OtlpReader {
 public:
  OtlpReader(Bytes bytes, const Dictionary& dictionary, SampleFields fields)
      : bytes_(bytes),
        dictionary_(dictionary),
        fields_(fields),
        code_(dictionary, builder_, bytes.size()) {}

  Profile read(const std::string& input_error) {
    is_damaged_ = !each_message(bytes_, 1, [&](Bytes resource) { read_resource(resource); });
    report(input_error);
    return builder_.finish();
  }

 private:
  void read_resource(Bytes resource) {
    resource_ = {};
    resource_labels_.clear();
    std::vector<StoredAttribute> attributes;
    each_message(resource, 1, [&](Bytes fields) {
      each_message(fields, 1, [&](Bytes bytes) {
        StoredAttribute attribute = dictionary_.key_value(bytes);
        if (!take_special(attribute, resource_)) {
          attributes.push_back(std::move(attribute));
        }
      });
    });
    for (const StoredAttribute& attribute : attributes) {
      // Writers must give a name; one that only repeats the process, or the usual one, says nothing.
      bool is_empty_name =
          attribute.key == kServiceName && (attribute.value.text == resource_.process ||
                                            attribute.value.text.starts_with(kUnknownService));
      if (!is_empty_name) {
        add_label(attribute, resource_labels_);
      }
    }
    SourceId source =
        builder_.source({.host = builder_.string(resource_.host), .wall_clock_ns = 0});
    source_ = source;
    is_damaged_ |= !each_message(resource, 2, [&](Bytes scope) {
      is_damaged_ |= !each_message(scope, 2, [&](Bytes profile) { read_profile(profile); });
    });
  }

  // Whether the attribute says where samples come from, so that it need not be a label.
  static bool take_special(const StoredAttribute& attribute, Origin& origin) {
    const AnyValue& value = attribute.value;
    if (value.is_number) {
      if (attribute.key == kProcessPid) {
        origin.pid = value.number;
      } else if (attribute.key == kThreadId) {
        origin.tid = value.number;
      } else if (attribute.key == kCpu && value.number >= 0 && value.number < kNoCpu) {
        origin.cpu = static_cast<uint16_t>(value.number);
      } else {
        return false;
      }
      return true;
    }
    if (attribute.key == kProcessName) {
      origin.process = value.text;
    } else if (attribute.key == kThreadName) {
      origin.thread = value.text;
    } else if (attribute.key == kHostName) {
      origin.host = value.text;
    } else {
      return false;
    }
    return true;
  }

  void add_label(const StoredAttribute& attribute, std::vector<LabelId>& labels) {
    const AnyValue& value = attribute.value;
    if (!value.is_set || attribute.key.empty()) {
      return;
    }
    labels.push_back(value.is_number ? builder_.label({.key = builder_.string(attribute.key),
                                                       .number = value.number,
                                                       .unit = builder_.string(attribute.unit),
                                                       .is_number = true})
                                     : builder_.label({.key = builder_.string(attribute.key),
                                                       .text = builder_.string(value.text)}));
  }

  void read_profile(Bytes profile) {
    ValueTypeText type;
    ValueTypeText period_type;
    int64_t period = 0;
    ProtoReader fields(profile);
    while (fields.next()) {
      if (fields.is(1, ProtoKind::kBytes)) {
        type = value_type(fields.bytes());
      } else if (fields.is(5, ProtoKind::kBytes)) {
        period_type = value_type(fields.bytes());
      } else if (fields.is(6, ProtoKind::kNumber)) {
        period = fields.signed_number();
      }
    }
    is_damaged_ |= !fields.ok();
    event_ = event_of(type, type == period_type && period > 0 ? static_cast<uint64_t>(period) : 0);
    each_message(profile, 2, [&](Bytes sample) { read_sample(sample); });
  }

  struct ValueTypeText {
    std::string_view type;
    std::string_view unit;
    friend bool operator==(const ValueTypeText&, const ValueTypeText&) = default;
  };
  ValueTypeText value_type(Bytes bytes) const {
    ValueTypeText type;
    for (ProtoReader fields(bytes); fields.next();) {
      if (fields.is(1, ProtoKind::kNumber)) {
        type.type = dictionary_.text(fields.number());
      } else if (fields.is(2, ProtoKind::kNumber)) {
        type.unit = dictionary_.text(fields.number());
      }
    }
    return type;
  }

  EventId event_of(const ValueTypeText& type, uint64_t period) {
    std::string_view name = type.type.empty() ? "samples" : type.type;
    bool is_count = type.unit == "count" || type.unit == "1" || type.unit.empty();
    std::string_view unit = is_count ? name : type.unit;
    factor_ = 1;
    for (auto [text, factor] : {std::pair("microseconds", 1'000),
                                std::pair("us", 1'000),
                                std::pair("milliseconds", 1'000'000),
                                std::pair("ms", 1'000'000),
                                std::pair("seconds", 1'000'000'000),
                                std::pair("s", 1'000'000'000),
                                std::pair("ns", 1)}) {
      if (unit == text) {
        factor_ = factor;
        unit = "nanoseconds";
        break;
      }
    }
    counts_samples_ = unit == "samples" || name == "samples";
    Quantity kind = unit == "bytes" ? Quantity::kBytes : Quantity::kUnknown;
    if (unit == "nanoseconds") {
      kind = kind_of_time(name);
    }
    return builder_.event({.name = builder_.string(name),
                           .unit = builder_.string(unit),
                           .kind = kind,
                           .period = period * static_cast<uint64_t>(factor_)});
  }

  static Quantity kind_of_time(std::string_view name) {
    return name == "cpu" || name == "on_cpu" || name.starts_with("cpu-clock") ||
                   name.starts_with("task-clock")
               ? Quantity::kCpuTime
           : name == "off_cpu" || name == "off-cpu" ? Quantity::kOffCpu
           : name == "wall"                         ? Quantity::kWallTime
                                                    : Quantity::kUnknown;
  }

  void read_sample(Bytes bytes) {
    uint64_t stack = 0;
    uint64_t link = 0;
    attributes_.clear();
    values_.clear();
    times_.clear();
    ProtoReader fields(bytes);
    while (fields.next()) {
      if (fields.is(1, ProtoKind::kNumber)) {
        stack = fields.number();
      } else if (fields.field() == fields_.attributes) {
        append_numbers(fields, attributes_);
      } else if (fields.field() == fields_.values) {
        append_numbers(fields, values_);
      } else if (fields.is(fields_.link, ProtoKind::kNumber)) {
        link = fields.number();
      } else if (fields.field() == 5) {
        append_times(fields, times_);
      }
    }
    if (!fields.ok()) {
      ++damaged_samples_;
      return;
    }
    std::optional<StackId> made = code_.stack(stack);
    if (!made) {
      ++too_large_;
      return;
    }
    add_rows(sample_of(*made, link));
  }

  Sample sample_of(StackId stack, uint64_t link) {
    Origin origin = resource_;
    std::vector<LabelId> labels = resource_labels_;
    for (uint64_t row : attributes_) {
      const StoredAttribute& attribute = dictionary_.attribute(row);
      if (!take_special(attribute, origin)) {
        add_label(attribute, labels);
      }
    }
    if (const StoredLink& span = dictionary_.link(link);
        !span.trace.empty() || !span.span.empty()) {
      add_label({.key = "trace_id", .value = {.text = hex_digits(span.trace), .is_set = true}},
                labels);
      add_label({.key = "span_id", .value = {.text = hex_digits(span.span), .is_set = true}},
                labels);
    }
    return {.stack = stack,
            .thread = thread_of(origin),
            .event = event_,
            .cpu = origin.cpu,
            .labels = labels.empty() ? kNoLabels : builder_.label_set(labels)};
  }

  ThreadId thread_of(const Origin& origin) {
    if (origin.pid < 0 && origin.tid < 0 && origin.process.empty() && origin.thread.empty()) {
      return {};
    }
    ProcessId process;
    if (origin.pid >= 0 || !origin.process.empty()) {
      process = builder_.process(
          {.pid = origin.pid, .name = builder_.string(origin.process), .source = source_});
    }
    return builder_.thread(
        {.tid = origin.tid,
         .process = process,
         .name = builder_.string(origin.thread.empty() ? origin.process : origin.thread)});
  }

  // A row for each time, or one for all values. Times without values count one each.
  void add_rows(Sample sample) {
    size_t rows = std::max(times_.size(), values_.size());
    wrong_values_ +=
        !values_.empty() && !times_.empty() && values_.size() != times_.size() ? 1U : 0U;
    for (size_t row = 0; row < rows; ++row) {
      sample.time_ns = row < times_.size() ? times_[row] : kNoTime;
      sample.weight = 0;
      bool has_value = row < values_.size();
      int64_t value = has_value ? static_cast<int64_t>(values_[row]) : values_.empty() ? 1 : 0;
      if (__builtin_mul_overflow(value, factor_, &sample.weight)) {
        sample.weight = INT64_MAX;
      }
      sample.count = counts_samples_ && sample.weight >= 0 ? static_cast<uint64_t>(sample.weight)
                     : row < times_.size()                 ? 1
                                                           : 0;
      add_row(sample);
    }
  }

  void add_row(const Sample& sample) {
    constexpr uint64_t kMost = kMaxTotalWeight - 1;
    uint64_t size = sample.weight < 0 ? ~static_cast<uint64_t>(sample.weight) + 1
                                      : static_cast<uint64_t>(sample.weight);
    if (size > kMost - weights_ || sample.count > kMost - counts_) {
      ++too_heavy_;
      return;
    }
    weights_ += size;
    counts_ += sample.count;
    builder_.add_sample(sample);
  }

  void report(const std::string& input_error) {
    add_unread_rest(input_error, builder_);
    auto add = [&](std::string_view reason, std::string_view what, uint64_t count) {
      if (count > 0) {
        builder_.add_loss({.reason = reason, .what = what, .count = count});
      }
    };
    if (is_damaged_) {
      builder_.add_loss({.reason = kInputBrokeOff, .what = "rest of the input", .count = 0});
    }
    add("the bytes of a sample are damaged", "samples", damaged_samples_);
    add("stacks have more frames than the file has room for", "samples", too_large_);
    add("the weights are too large to be added up", "rows", too_heavy_);
    add("the numbers of times and values differ", "samples", wrong_values_);
    add("rows of the dictionary are damaged", "rows", dictionary_.damaged_rows);
    add("references to rows of the dictionary that do not exist",
        "references",
        dictionary_.missing_rows);
  }

  Bytes bytes_;
  const Dictionary& dictionary_;
  SampleFields fields_;
  ProfileBuilder builder_;
  Code code_;
  Origin resource_;
  std::vector<LabelId> resource_labels_;
  SourceId source_;
  EventId event_;
  int64_t factor_ = 1;
  bool counts_samples_ = false;
  std::vector<uint64_t> attributes_;
  std::vector<uint64_t> values_;
  std::vector<int64_t> times_;
  bool is_damaged_ = false;
  uint64_t weights_ = 0;
  uint64_t counts_ = 0;
  uint64_t damaged_samples_ = 0;
  uint64_t too_large_ = 0;
  uint64_t too_heavy_ = 0;
  uint64_t wrong_values_ = 0;
};

}  // namespace

Result<Profile> read(Input& input, const FlagValues&) {
  WholeInput whole(input);
  Bytes bytes = as_bytes(whole.text());
  std::string name = terminal_text(input.name());
  Dictionary dictionary;
  each_message(bytes, 2, [&](Bytes fields) { dictionary.decode(fields); });
  Shape shape(dictionary);
  each_message(bytes, 1, [&](Bytes resource) {
    each_message(resource, 2, [&](Bytes scope) {
      each_message(scope, 2, [&](Bytes profile) { shape.add_profile(profile); });
    });
  });
  switch (shape.version()) {
    case Version::kAncient:
      return fail(
          "{} is a profile of OpenTelemetry's protocol up to 1.7, which wick cannot read; it "
          "reads 1.8 to 1.11.",
          name);
    case Version::kUndecided:
      return fail(
          "{} is a profile of OpenTelemetry, but its samples fit both 1.8 or 1.9 and newer "
          "versions of the protocol, which differ in meaning.",
          name);
    case Version::kOld:
      return OtlpReader(bytes, dictionary, {.attributes = 3, .link = 4, .values = 2})
          .read(whole.error());
    case Version::kNew:
      break;
  }
  return OtlpReader(bytes, dictionary, {}).read(whole.error());
}

}  // namespace wick::otlp
