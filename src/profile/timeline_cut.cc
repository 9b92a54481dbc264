// SPDX-License-Identifier: Apache-2.0
#include "profile/timeline_cut.h"

#include <algorithm>

namespace wick {
namespace {

class Cutter {
 public:
  Cutter(Profile& profile, const TimelineCut& cut) : profile_(profile), cut_(cut) {
    processes_.resize(cut.threads.empty() ? 0 : profile.processes.size());
    for (size_t row = 0; row < cut.threads.size(); ++row) {
      ProcessId process = profile.threads[ThreadId::from_index(row)].process;
      if (cut.threads[row] && process.valid()) {
        processes_[process.index()] = true;
      }
    }
  }

  void run() {
    cut_spans();
    std::erase_if(profile_.marks, [&](const Mark& mark) {
      return !overlaps(mark.time_ns, mark.time_ns) || !has_thread(mark.thread) ||
             !has_cpu(mark.cpu) || !has_labels(mark.labels) || !has_source(mark.source);
    });
    std::erase_if(profile_.loss_moments, [&](const LossMoment& moment) {
      return !overlaps(moment.begin_ns, moment.end_ns) || !has_thread(moment.thread) ||
             !has_cpu(moment.cpu) || !has_source(moment.source);
    });
    cut_counters();
  }

 private:
  bool overlaps(int64_t begin_ns, int64_t end_ns) const {
    bool ends_before = end_ns != kNoTime && end_ns < cut_.time.first;
    bool begins_after = begin_ns != kNoTime && begin_ns > cut_.time.last;
    return !ends_before && !begins_after;
  }
  bool has_thread(ThreadId thread) const {
    return cut_.threads.empty() || !thread.valid() || cut_.threads[thread.index()];
  }
  bool has_process(ProcessId process) const {
    return cut_.threads.empty() || !process.valid() || processes_[process.index()];
  }
  bool has_source(SourceId source) const {
    return cut_.sources.empty() || !source.valid() || cut_.sources[source.index()];
  }
  bool has_cpu(uint16_t cpu) const {
    return cut_.cpus.empty() || cpu == kNoCpu ||
           std::ranges::find(cut_.cpus, cpu) != cut_.cpus.end();
  }
  bool has_labels(LabelSetId labels) const {
    return cut_.labels.empty() || !cut_.labels[labels.index()];
  }

  void cut_spans() {
    // New id of each span. For a removed span: the nearest remaining ancestor.
    std::vector<SpanId> moved(profile_.spans.size());
    size_t kept = 0;
    for (size_t row = 0; row < moved.size(); ++row) {
      Span span = profile_.spans[row];
      span.parent = span.parent.valid() ? moved[span.parent.index()] : SpanId();
      bool stays = overlaps(span.begin_ns, span.end_ns) && has_thread(span.thread) &&
                   has_cpu(span.cpu) && has_labels(span.labels);
      moved[row] = stays ? SpanId::from_index(kept) : span.parent;
      if (stays) {
        profile_.spans[kept++] = span;
      }
    }
    profile_.spans.resize(kept);
  }

  // Series remain in the table so that their numbers do not change. Removed series have no points.
  void cut_counters() {
    CounterColumns kept;
    for (size_t row = 0; row < profile_.counters.size(); ++row) {
      CounterPoint point = profile_.counters[row];
      const CounterSeries& series = profile_.series[point.series];
      if (overlaps(point.time_ns, point.time_ns) && has_thread(series.thread) &&
          has_process(series.process) && has_cpu(series.cpu) && has_source(series.source)) {
        kept.push_back(point);
      }
    }
    profile_.counters = std::move(kept);
  }

  Profile& profile_;
  const TimelineCut& cut_;
  std::vector<bool> processes_;  // whether a thread of each process remains
};

}  // namespace

void cut_timeline(Profile& profile, const TimelineCut& cut) {
  bool all_time = cut.time.first == INT64_MIN && cut.time.last == INT64_MAX;
  if (!all_time || !cut.threads.empty() || !cut.sources.empty() || !cut.cpus.empty() ||
      !cut.labels.empty()) {
    Cutter(profile, cut).run();
  }
}

}  // namespace wick
