// SPDX-License-Identifier: Apache-2.0
// perf-PID.map: the list of functions that a run-time compiler writes as text.
#include "pipeline/runtime_names.h"
#include "symbolize/text_symbols.h"

namespace wick {
namespace {

class PerfMapNames : public RuntimeNames {
 public:
  using RuntimeNames::RuntimeNames;

 protected:
  RuntimeFile open_file(const RuntimeProcess& process) const override {
    return open_perf_map(process);
  }
  void parse(Bytes bytes) override {
    map_ = TextSymbols::from_perf_map(std::string(as_text(bytes)));
  }
  std::optional<NamedCode> name_of(uint64_t address) override {
    read_once();
    std::optional<NamedRange> function = map_.find(address);
    return function ? std::optional(NamedCode{.function = *function}) : std::nullopt;
  }

 private:
  TextSymbols map_;
};

class PerfMapSource : public NameSource {
 public:
  explicit PerfMapSource(NamingContext& context) : context_(context) {}

  std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& /*notes*/) override {
    bool is_generated = module.kind == CodeKind::kGenerated;
    return is_generated ? std::make_unique<PerfMapNames>(context_, module) : nullptr;
  }

 private:
  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_perf_map_source(NamingContext& context) {
  return std::make_unique<PerfMapSource>(context);
}

}  // namespace wick
