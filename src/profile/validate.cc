#include "profile/validate.h"

#include <limits>
#include <string_view>

namespace wick {
namespace {

// Reads "samples row 7 names stack 9, but there are only 3": one shape for every table.
class Validator {
 public:
  explicit Validator(const Profile& profile) : profile_(profile) {}

  Result<> run() {
    TRY(strings());
    TRY(code());
    TRY(stacks());
    TRY(origins());
    TRY(sample_lengths());
    TRY(samples());
    TRY(timeline());
    TRY(notes());
    return {};
  }

 private:
  // Where a problem is: the table and the row that is being looked at.
  struct Place {
    std::string_view table;
    size_t row;
  };

  static std::unexpected<Error> problem(Place at, std::string_view what) {
    return fail("The profile is not valid: {} row {} {}.", at.table, at.row, what);
  }
  static std::unexpected<Error> dangling(Place at,
                                         std::string_view what,
                                         uint32_t id,
                                         size_t size) {
    return fail("The profile is not valid: {} row {} names {} {}, but there are only {}.",
                at.table,
                at.row,
                what,
                id,
                size);
  }

  Result<> text(Place at, StringId id) const {
    if (!profile_.strings.contains(id)) {
      return dangling(at, "string", id.value, profile_.strings.size());
    }
    return {};
  }
  // The id of an existing row.
  template <typename Table, typename IdType>
  Result<> row(Place at, std::string_view what, const Table& table, IdType id) const {
    if (!table.contains(id)) {
      return dangling(at, what, id.value, table.size());
    }
    return {};
  }
  // The same, or none.
  template <typename Table, typename IdType>
  Result<> row_or_none(Place at, std::string_view what, const Table& table, IdType id) const {
    return id.valid() ? row(at, what, table, id) : Result<>();
  }

  Result<> strings() const {
    if (profile_.strings.size() == 0 || !profile_.strings[StringId{0}].empty()) {
      return fail("The profile is not valid: string 0 is not the empty string.");
    }
    return {};
  }

  Result<> code() const {
    Place at{"modules", 0};
    for (const Module& module : profile_.modules) {
      TRY(text(at, module.path));
      TRY(text(at, module.build_id));
      ++at.row;
    }
    at = {"functions", 0};
    for (const Function& function : profile_.functions) {
      TRY(text(at, function.name));
      TRY(text(at, function.linkage_name));
      TRY(text(at, function.file));
      TRY(row_or_none(at, "module", profile_.modules, function.module));
      ++at.row;
    }
    at = {"frames", 0};
    for (const Frame& frame : profile_.frames) {
      TRY(row_or_none(at, "function", profile_.functions, frame.function));
      TRY(row_or_none(at, "module", profile_.modules, frame.module));
      if (frame.mode > kLastMode || frame.found > kLastFound ||
          (frame.flags & ~kAllFrameFlags) != 0) {
        return problem(at, "has a mode, an origin or a flag that does not exist");
      }
      ++at.row;
    }
    return {};
  }

  Result<> stacks() const {
    const StackTree& tree = profile_.stacks;
    if (tree.size() == 0 || tree.parent(kEmptyStack) != kEmptyStack ||
        tree.frame(kEmptyStack).valid()) {
      return fail("The profile is not valid: stack 0 is not the empty stack.");
    }
    for (Place at{"stacks", 1}; at.row < tree.size(); ++at.row) {
      StackId stack = StackId::from_index(at.row);
      if (tree.parent(stack) >= stack) {
        return problem(at, "does not come after its parent");
      }
      TRY(row(at, "frame", profile_.frames, tree.frame(stack)));
    }
    return {};
  }

  Result<> origins() const {
    Place at{"processes", 0};
    for (const Process& process : profile_.processes) {
      TRY(text(at, process.name));
      ++at.row;
    }
    at = {"threads", 0};
    for (const Thread& thread : profile_.threads) {
      TRY(text(at, thread.name));
      TRY(row_or_none(at, "process", profile_.processes, thread.process));
      ++at.row;
    }
    at = {"events", 0};
    for (const Event& event : profile_.events) {
      TRY(text(at, event.name));
      TRY(text(at, event.unit));
      if (event.scale == 0) {
        return problem(at, "has the scale 0");
      }
      ++at.row;
    }
    return {};
  }

  Result<> sample_lengths() const {
    const SampleColumns& columns = profile_.samples;
    for (size_t size : {columns.time_ns.size(),
                        columns.weight.size(),
                        columns.count.size(),
                        columns.thread.size(),
                        columns.event.size(),
                        columns.cpu.size(),
                        columns.ending.size()}) {
      if (size != columns.size()) {
        return fail(
            "The profile is not valid: sample columns of {} and {} rows.", columns.size(), size);
      }
    }
    return {};
  }

  // The sums of all events together stay in range, so that no view can overflow whatever it adds
  // up.
  Result<> samples() const {
    constexpr auto kMost = std::numeric_limits<int64_t>::max();
    int64_t weight = 0;
    uint64_t count = 0;
    for (Place at{"samples", 0}; at.row < profile_.samples.size(); ++at.row) {
      Sample sample = profile_.samples[at.row];
      TRY(row(at, "stack", profile_.stacks, sample.stack));
      TRY(row_or_none(at, "thread", profile_.threads, sample.thread));
      TRY(row(at, "event", profile_.events, sample.event));
      if (sample.ending > kLastEnding) {
        return problem(at, "ends in an unknown way");
      }
      if (sample.weight < 0) {
        return problem(at, "has a negative weight");
      }
      if (sample.weight > kMost - weight) {
        return problem(at, "makes the sum of weights too large to count");
      }
      if (sample.count > static_cast<uint64_t>(kMost) - count) {
        return problem(at, "makes the number of samples too large to count");
      }
      weight += sample.weight;
      count += sample.count;
    }
    return {};
  }

  Result<> timeline() const {
    Place at{"spans", 0};
    for (const Span& span : profile_.spans) {
      TRY(row_or_none(at, "thread", profile_.threads, span.thread));
      TRY(text(at, span.name));
      if (span.end_ns < span.begin_ns) {
        return problem(at, "ends before it begins");
      }
      ++at.row;
    }
    at = {"marks", 0};
    for (const Mark& mark : profile_.marks) {
      TRY(text(at, mark.name));
      ++at.row;
    }
    at = {"counters", 0};
    for (const CounterPoint& point : profile_.counters) {
      TRY(text(at, point.name));
      TRY(text(at, point.unit));
      ++at.row;
    }
    return {};
  }

  Result<> notes() const {
    Place at{"losses", 0};
    for (const Loss& loss : profile_.losses) {
      TRY(text(at, loss.reason));
      TRY(text(at, loss.what));
      TRY(text(at, loss.detail));
      if (loss.severity > kLastLossClass) {
        return problem(at, "has a severity that does not exist");
      }
      ++at.row;
    }
    at = {"facts", 0};
    for (const Fact& fact : profile_.facts) {
      TRY(text(at, fact.key));
      TRY(text(at, fact.value));
      ++at.row;
    }
    return {};
  }

  const Profile& profile_;
};

}  // namespace

Result<> validate(const Profile& profile) {
  return Validator(profile).run();
}

}  // namespace wick
