#include "profile/merge.h"

#include <algorithm>

#include "profile/builder.h"
#include "profile/validate.h"

namespace wick {
namespace {

constexpr auto kMaxTotal = static_cast<int64_t>(kMostTotalWeight);

// Copies one profile into the builder, translating every id on the way.
class Copier {
 public:
  Copier(const Profile& from, ProfileBuilder& into, uint32_t scale)
      : from_(from), into_(into), scale_(scale) {}

  void run() {
    copy_code();
    copy_threads();
    copy_events();
    copy_samples();
    copy_rest();
  }

 private:
  StringId text(StringId id) { return into_.string(from_.strings[id]); }

  template <typename IdType>
  static IdType moved(const std::vector<IdType>& map, IdType id) {
    return id.valid() ? map[id.index()] : id;
  }

  void copy_code() {
    for (const Module& module : from_.modules) {
      modules_.push_back(
          into_.module({.path = text(module.path), .build_id = text(module.build_id)}));
    }
    for (Function function : from_.functions) {
      function.name = text(function.name);
      function.linkage_name = text(function.linkage_name);
      function.file = text(function.file);
      function.module = moved(modules_, function.module);
      functions_.push_back(into_.function(function));
    }
    for (Frame frame : from_.frames) {
      frame.function = moved(functions_, frame.function);
      frame.module = moved(modules_, frame.module);
      frames_.push_back(into_.frame(frame));
    }
    stacks_.push_back(kEmptyStack);
    for (size_t node = 1; node < from_.stacks.size(); ++node) {
      StackId id = StackId::from_index(node);
      stacks_.push_back(into_.stack(moved(stacks_, from_.stacks.parent(id)),
                                    moved(frames_, from_.stacks.frame(id))));
    }
  }

  void copy_threads() {
    for (Process process : from_.processes) {
      process.name = text(process.name);
      processes_.push_back(into_.process(process));
    }
    for (Thread thread : from_.threads) {
      thread.name = text(thread.name);
      thread.process = moved(processes_, thread.process);
      threads_.push_back(into_.thread(thread));
    }
  }

  void copy_events() {
    for (Event event : from_.events) {
      factors_.push_back(scale_ / event.scale);
      event.name = text(event.name);
      event.unit = text(event.unit);
      event.scale = scale_;
      events_.push_back(into_.event(event));
    }
  }

  void copy_samples() {
    for (size_t row = 0; row < from_.samples.size(); ++row) {
      Sample sample = from_.samples[row];
      sample.weight *= factors_[sample.event.index()];
      sample.stack = moved(stacks_, sample.stack);
      sample.thread = moved(threads_, sample.thread);
      sample.event = moved(events_, sample.event);
      into_.add_sample(sample);
    }
  }

  void copy_rest() {
    for (Span span : from_.spans) {
      span.name = text(span.name);
      span.thread = moved(threads_, span.thread);
      into_.add_span(span);
    }
    for (Mark mark : from_.marks) {
      mark.name = text(mark.name);
      into_.add_mark(mark);
    }
    for (CounterPoint point : from_.counters) {
      point.name = text(point.name);
      point.unit = text(point.unit);
      into_.add_counter(point);
    }
    for (const Loss& loss : from_.losses) {
      into_.add_loss({.reason = from_.strings[loss.reason],
                      .what = from_.strings[loss.what],
                      .detail = from_.strings[loss.detail],
                      .count = loss.count,
                      .severity = loss.severity});
    }
    for (const Fact& fact : from_.facts) {
      into_.add_fact(from_.strings[fact.key], from_.strings[fact.value]);
    }
  }

  const Profile& from_;
  ProfileBuilder& into_;
  uint32_t scale_;
  std::vector<int64_t> factors_;
  std::vector<ModuleId> modules_;
  std::vector<FunctionId> functions_;
  std::vector<FrameId> frames_;
  std::vector<StackId> stacks_;
  std::vector<ProcessId> processes_;
  std::vector<ThreadId> threads_;
  std::vector<EventId> events_;
};

// Scales are 1 or a power of ten; the finest one divides by all others.
uint32_t finest_scale(const std::vector<Profile>& profiles) {
  uint32_t scale = 1;
  for (const Profile& profile : profiles) {
    for (const Event& event : profile.events) {
      scale = std::max(scale, event.scale);
    }
  }
  return scale;
}

Result<> check_total(const std::vector<Profile>& profiles, uint32_t scale) {
  int64_t room = kMaxTotal;
  for (const Profile& profile : profiles) {
    for (const Event& event : profile.events) {
      if (scale % event.scale != 0) {
        return fail("The inputs count in steps that do not fit each other; read them one by one.");
      }
    }
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      int64_t factor = scale / profile.events[profile.samples.event[row]].scale;
      int64_t weight = profile.samples.weight[row];
      if (weight > room / factor) {
        return fail("The inputs together weigh more than fits 62 bits; read them one by one.");
      }
      room -= weight * factor;
    }
  }
  return {};
}

}  // namespace

Result<Profile> merge(std::vector<Profile> profiles) {
  if (profiles.size() == 1) {
    return std::move(profiles[0]);
  }
  uint32_t scale = finest_scale(profiles);
  TRY(check_total(profiles, scale));
  ProfileBuilder builder;
  for (Profile& profile : profiles) {
    Copier(profile, builder, scale).run();
    profile = {};
  }
  return builder.finish();
}

}  // namespace wick
