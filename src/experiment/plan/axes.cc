// SPDX-License-Identifier: Apache-2.0
// Reads the axes of a plan. An axis is a list, a range or a set of named variants; all three end as
// a list of AxisValue, so the rest of wick does not know which form the plan used.
//
//   list             [1, 2, 4] or ["a", "b"]
//   range            from and to, with a step (added), a factor (multiplied) or a number of steps
//   variants         names, each with the words that fill {axis} or {axis.part}
//
// Values of ranges are computed, not summed up, so that 0.1 does not drift, and are rounded if all
// bounds are whole numbers. Invariants: an axis has 1 to kMaxValues values, and their names are
// distinct, because results refer to values by name.
#include <algorithm>
#include <cmath>

#include "base/parse_number.h"
#include "experiment/plan/reader.h"
#include "record/machine.h"

namespace wick {
namespace {

constexpr size_t kMaxValues = 10'000;

AxisValue number_value(const std::string& axis, double number, bool whole) {
  std::string name = whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
  AxisValue value{.name = name, .number = number};
  value.fillings[axis] = {name};
  value.fillings[axis + ".name"] = {name};
  return value;
}

AxisValue scalar_value(const std::string& axis, const TomlValue& scalar) {
  AxisValue value{.name = scalar.plain_text()};
  if (scalar.is_number()) {
    value.number = scalar.number;
  }
  value.fillings[axis] = {value.name};
  value.fillings[axis + ".name"] = {value.name};
  return value;
}

class AxisReader {
 public:
  AxisReader(const std::string& path, const std::string& name, const TomlValue& value)
      : path_(path), value_(value), axis_{.name = name, .line = value.line} {}

  Result<Axis> read() {
    if (value_.is(TomlValue::Kind::kArray)) {
      TRY(list(value_));
    } else {
      PlanTable table = TRY(PlanTable::of(
          path_,
          value_,
          "an axis",
          {"values", "from", "to", "step", "factor", "steps", "variants", "log", "unit"}));
      TRY(from_table(table));
    }
    return finish();
  }

 private:
  template <typename... Args>
  std::unexpected<Error> wrong(int line, fmt::format_string<Args...> format, Args&&... args) {
    return wrong_at(path_, line, format, std::forward<Args>(args)...);
  }

  Result<> from_table(const PlanTable& table) {
    axis_.unit = TRY(table.text("unit"));
    int ways = (table.find("values") != nullptr) + (table.find("from") != nullptr) +
               (table.find("variants") != nullptr);
    if (ways != 1) {
      return wrong(value_.line,
                   "The axis {} needs one of `values` (a list), `from` and `to` (a range), or "
                   "`variants`.",
                   axis_.name);
    }
    if (const TomlValue* values = table.find("values")) {
      TRY(list(*values));
    } else if (const TomlValue* variants = table.find("variants")) {
      TRY(named(*variants));
    } else {
      TRY(range(table));
    }
    axis_.log = TRY(table.truth("log", axis_.log));
    return {};
  }

  Result<> list(const TomlValue& values) {
    if (!values.is(TomlValue::Kind::kArray)) {
      return wrong(values.line, "The values of the axis {} must be a list.", axis_.name);
    }
    for (const TomlValue& value : values.items) {
      if (!value.is_scalar()) {
        return wrong(value.line,
                     "The axis {} takes a list of numbers and strings; use `variants` for anything "
                     "else.",
                     axis_.name);
      }
      axis_.values.push_back(scalar_value(axis_.name, value));
    }
    return {};
  }

  // A bound of a range: a number, or "cpus" for the number of online CPUs.
  Result<double> bound(const PlanTable& table, std::string_view key) {
    const TomlValue* value = table.find(key);
    if (value == nullptr) {
      return wrong(value_.line, "The range of the axis {} has no `{}`.", axis_.name, key);
    }
    if (value->is(TomlValue::Kind::kText) && value->text == "cpus") {
      return static_cast<double>(record::online_cpus().size());
    }
    if (!value->is_number() || !std::isfinite(value->number)) {
      return wrong(value->line, "`{}` must be a number or \"cpus\".", key);
    }
    whole_ = whole_ && value->is(TomlValue::Kind::kInteger);
    return value->number;
  }

  Result<> range(const PlanTable& table) {
    double from = TRY(bound(table, "from"));
    double to = TRY(bound(table, "to"));
    const TomlValue* step = table.find("step");
    const TomlValue* factor = table.find("factor");
    const TomlValue* steps = table.find("steps");
    if ((step != nullptr) + (factor != nullptr) + (steps != nullptr) > 1) {
      return wrong(
          value_.line, "The axis {} takes one of `step`, `factor` and `steps`.", axis_.name);
    }
    if (to < from) {
      return wrong(
          value_.line, "The range of the axis {} is empty: `to` is below `from`.", axis_.name);
    }
    if (steps != nullptr) {
      return by_steps(table, from, to);
    }
    return factor != nullptr ? by_factor(*factor, from, to) : by_step(step, from, to);
  }

  Result<> by_step(const TomlValue* step, double from, double to) {
    double width = step == nullptr ? 1 : TRY(number_above(*step, "step", 0));
    whole_ = whole_ && (step == nullptr || step->is(TomlValue::Kind::kInteger));
    // Multiplies a count instead of adding up, because sums of 0.1 drift.
    double count = std::floor((to - from) / width * (1 + 1e-12)) + 1;
    for (double i = 0; i < std::min(count, kMaxValues + 1.0); ++i) {
      add(from + i * width);
    }
    return {};
  }

  Result<> by_factor(const TomlValue& factor, double from, double to) {
    double times = TRY(number_above(factor, "factor", 1));
    if (from <= 0) {
      return wrong(value_.line, "An axis with a factor must start above zero.");
    }
    axis_.log = true;
    double last = 0;
    double at = from;
    for (size_t i = 0; at <= to * (1 + 1e-9); ++i, at *= times) {
      if (i == kMaxValues) {
        return wrong(factor.line, "The axis {} has more than {} values.", axis_.name, kMaxValues);
      }
      if (double value = whole_ ? std::round(at) : at; value != last) {
        add(value);
        last = value;
      }
    }
    return {};
  }

  // The given number of values from one end to the other, with equal ratios.
  Result<> by_steps(const PlanTable& table, double from, double to) {
    uint64_t steps = TRY(table.count("steps", 0, 2));
    axis_.log = TRY(table.truth("log", true));
    if (axis_.log && from <= 0) {
      return wrong(value_.line, "An axis with logarithmic steps must start above zero.");
    }
    double last = std::nan("");
    for (uint64_t i = 0; i < std::min<uint64_t>(steps, kMaxValues + 1); ++i) {
      double part = static_cast<double>(i) / static_cast<double>(steps - 1);
      double value = axis_.log ? from * std::pow(to / from, part) : from + part * (to - from);
      value = whole_ ? std::round(value)
                     : parse_number<double>(fmt::format("{:.6g}", value)).value_or(value);
      if (value != last) {
        add(value);
        last = value;
      }
    }
    return {};
  }

  Result<double> number_above(const TomlValue& value, std::string_view key, double least) {
    if (!value.is_number() || !(value.number > least) || !std::isfinite(value.number)) {
      return wrong(value.line, "`{}` must be a number above {}.", key, least);
    }
    return value.number;
  }

  void add(double number) { axis_.values.push_back(number_value(axis_.name, number, whole_)); }

  // { fast = "-O3" }, { fast = ["-O3", "-g"] } or { fast = { flags = "-O3", threads = 4 } }.
  Result<> named(const TomlValue& variants) {
    if (!variants.is(TomlValue::Kind::kTable)) {
      return wrong(variants.line, "`variants` must be a table of names: {{ old = \"-O0\" }}.");
    }
    for (size_t i = 0; i < variants.keys.size(); ++i) {
      AxisValue value{.name = variants.keys[i]};
      value.fillings[axis_.name + ".name"] = {value.name};
      value.fillings[axis_.name] = {value.name};
      TRY(variant(variants.items[i], value));
      axis_.values.push_back(std::move(value));
    }
    return {};
  }

  Result<> variant(const TomlValue& given, AxisValue& value) {
    if (!given.is(TomlValue::Kind::kTable)) {
      value.fillings[axis_.name] = TRY(words_of(given));
      return {};
    }
    for (size_t i = 0; i < given.keys.size(); ++i) {
      if (!is_plan_name(given.keys[i])) {
        return wrong(
            given.items[i].line, "\"{}\" is not a valid name for a placeholder.", given.keys[i]);
      }
      value.fillings[axis_.name + "." + given.keys[i]] = TRY(words_of(given.items[i]));
    }
    return {};
  }

  Result<std::vector<std::string>> words_of(const TomlValue& given) {
    if (given.is_scalar()) {
      return std::vector{given.plain_text()};
    }
    std::vector<std::string> words;
    for (const TomlValue& word : given.items) {
      if (!given.is(TomlValue::Kind::kArray) || !word.is_scalar()) {
        return wrong(word.line,
                     "A variant must be a string, a list of words, or a table of these.");
      }
      words.push_back(word.plain_text());
    }
    return words;
  }

  Result<Axis> finish() {
    if (axis_.values.empty()) {
      return wrong(value_.line, "The axis {} is empty.", axis_.name);
    }
    if (axis_.values.size() > kMaxValues) {
      return wrong(value_.line, "The axis {} has more than {} values.", axis_.name, kMaxValues);
    }
    std::vector<std::string> names;
    for (const AxisValue& value : axis_.values) {
      names.push_back(value.name);
    }
    std::ranges::sort(names);
    if (auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
      return wrong(value_.line, "The axis {} has the value {} twice.", axis_.name, *twice);
    }
    return std::move(axis_);
  }

  const std::string& path_;
  const TomlValue& value_;
  Axis axis_;
  bool whole_ = true;
};

}  // namespace

Result<std::vector<Axis>> read_axes(const std::string& path, const TomlValue& value) {
  PlanTable table = TRY(PlanTable::of(path, value, "axes", {}));
  if (value.keys.empty()) {
    return table.wrong(value.line, "The table [axes] has no axis. Add one, or remove the table.");
  }
  std::vector<Axis> axes;
  for (size_t i = 0; i < value.keys.size(); ++i) {
    if (!is_plan_name(value.keys[i])) {
      return table.wrong(value.items[i].line,
                         "\"{}\" is not a valid name for an axis: use letters, digits and _.",
                         value.keys[i]);
    }
    axes.push_back(TRY(AxisReader(path, value.keys[i], value.items[i]).read()));
  }
  return axes;
}

Result<PointFilter> read_point_filter(const std::string& path,
                                      const TomlValue& value,
                                      std::string_view what,
                                      const std::vector<Axis>& axes) {
  PlanTable table = TRY(PlanTable::of(path, value, std::string(what), {}));
  PointFilter filter;
  for (size_t i = 0; i < value.keys.size(); ++i) {
    auto axis = std::ranges::find(axes, value.keys[i], &Axis::name);
    if (axis == axes.end()) {
      return table.wrong(value.items[i].line,
                         "{} takes names of axes, and \"{}\" is not an axis.",
                         what,
                         value.keys[i]);
    }
    PointFilter::Part part{.axis = static_cast<size_t>(axis - axes.begin())};
    const TomlValue& given = value.items[i];
    std::vector<TomlValue> wanted = given.is_scalar() ? std::vector{given} : given.items;
    for (const TomlValue& one : wanted) {
      std::string name = one.plain_text();
      auto found = std::ranges::find_if(axis->values, [&](const AxisValue& each) {
        return each.name == name || (one.is_number() && each.number == one.number);
      });
      if (found == axis->values.end()) {
        return table.wrong(one.line, "The axis {} has no value {}.", axis->name, name);
      }
      part.values.push_back(static_cast<size_t>(found - axis->values.begin()));
    }
    filter.parts.push_back(std::move(part));
  }
  return filter;
}

}  // namespace wick
