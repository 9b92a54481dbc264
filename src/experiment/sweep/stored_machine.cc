// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/stored_machine.h"

#include <algorithm>
#include <array>

#include "base/json_writer.h"
#include "base/output.h"
#include "base/small_file.h"
#include "experiment/sweep/readiness.h"
#include "experiment/sweep/results.h"

namespace wick {
namespace {

constexpr size_t kMaxText = size_t{1} << 20;
// Load, memory and swap change all the time.
constexpr std::array<std::string_view, 13> kLasting = {"host",
                                                       "kernel",
                                                       "processor",
                                                       "virtual machine",
                                                       "frequency governor",
                                                       "frequency limits",
                                                       "turbo",
                                                       "mitigations",
                                                       "SMT",
                                                       "cores",
                                                       "CPUs",
                                                       "usable CPUs",
                                                       "CPU quota"};

std::string path_of(const std::string& directory, size_t number) {
  return number == 1 ? directory + "/machine.json"
                     : fmt::format("{}/machine-{}.json", directory, number);
}

std::string text_of(const record::MachineFacts& machine) {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  record::write_machine_facts(machine, json);
  [[maybe_unused]] Result<> finished = out.finish();
  return text;
}

std::string fact_of(const Json& machine, std::string_view name) {
  const Json* facts = machine.find("facts");
  for (size_t i = 0; facts != nullptr && i < facts->items.size(); ++i) {
    if (facts->items[i].text_at("name") == name) {
      return std::string(facts->items[i].text_at("value"));
    }
  }
  return {};
}

}  // namespace

std::vector<StoredMachine> read_machines(const std::string& directory) {
  std::vector<StoredMachine> machines;
  while (true) {
    size_t number = machines.size() + 1;
    Result<Json> json = parse_json(read_text(path_of(directory, number), kMaxText));
    if (!json) {
      return machines;
    }
    double first = json->number_at("first_run", 1);
    if (const Json* facts = json->find("machine"); number > 1 && facts != nullptr) {
      machines.push_back({*facts, static_cast<uint64_t>(std::clamp(first, 1.0, 1e15))});
    } else {
      machines.push_back({std::move(*json)});
    }
  }
}

std::vector<std::string> machine_changes(const Json& before, const Json& now) {
  std::vector<std::string> changes;
  for (std::string_view name : kLasting) {
    std::string then = fact_of(before, name);
    std::string today = fact_of(now, name);
    // Results of an older wick do not have them.
    bool unknown = then.empty() && (name == "mitigations" || name == "frequency limits");
    if (then != today && !unknown) {
      changes.push_back(fmt::format("{} ({} then, {} now)",
                                    name,
                                    then.empty() ? "none" : then,
                                    today.empty() ? "none" : today));
    }
  }
  return changes;
}

Result<> store_machine(const std::string& directory,
                       size_t stored,
                       uint64_t first_run,
                       const record::MachineFacts& machine) {
  std::string text = text_of(machine);
  return write_small_file(
      path_of(directory, stored + 1),
      stored == 0 ? text + "\n"
                  : fmt::format("{{\"first_run\":{},\"machine\":{}}}\n", first_run, text));
}

Json machine_as_json(const record::MachineFacts& machine) {
  return parse_json(text_of(machine)).value_or(Json());
}

}  // namespace wick
