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
  // The latest functions are at the end.
  void parse(Bytes bytes) override {
    std::string_view text = as_text(bytes);
    is_too_long_ = text.size() > kMaxBytes;
    if (is_too_long_) {
      text.remove_prefix(text.size() - kMaxBytes);
      text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    }
    map_ = TextSymbols::from_perf_map(std::string(text));
  }
  std::optional<NamedCode> name_of(uint64_t address) override {
    read_once();
    std::optional<NamedRange> function = map_.find(address);
    return function ? std::optional(NamedCode{.function = *function}) : std::nullopt;
  }

  void report(NameNotes& notes, NameFiles& files) const override {
    RuntimeNames::report(notes, files);
    if (is_too_long_) {
      notes.add("of a perf map only the last part is used, because it is very long",
                fmt::format("the last {} MB of {}", kMaxBytes >> 20U, path()));
    }
    if (map_.is_cut()) {
      notes.add("a perf map ends inside a line: names of generated code are missing", path());
    }
  }

 private:
  // Any user can write a map of any length for root's wick. wick needs three times its size.
  static constexpr size_t kMaxBytes = 32 << 20;

  TextSymbols map_;
  bool is_too_long_ = false;
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
