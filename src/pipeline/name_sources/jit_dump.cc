// SPDX-License-Identifier: Apache-2.0
// jit-PID.dump: functions, lines and times of code that a run-time compiler generated. The compiler
// reuses memory, so an address may have had several functions (symbolize/jit_dump.h).
#include "symbolize/jit_dump.h"

#include "pipeline/runtime_names.h"

namespace wick {
namespace {

class JitDumpNames : public RuntimeNames {
 public:
  using RuntimeNames::RuntimeNames;

  CodeHistories histories(std::span<const uint64_t> addresses) const override {
    std::optional<std::vector<JitHistory>> known = dump_.histories(addresses);
    CodeHistories histories;
    histories.has_times = known && (known->empty() || dump_.has_monotonic_times());
    if (!histories.has_times) {
      return histories;
    }
    for (const JitHistory& history : *known) {
      CodeHistory& one = histories.at.emplace_back();
      one.address = history.address;
      for (const JitHistory::Load& load : history.loads) {
        one.loads.push_back({load.time_ns, dump_.code_at(load.function, history.address)});
      }
    }
    return histories;
  }

  void report(NameNotes& notes, NameFiles& files) const override {
    RuntimeNames::report(notes, files);
    if (dump_.damaged() > 0) {
      notes.add("a jitdump is damaged or cut", dump_path());
    }
    if (dump_.size() > 0) {
      files.jit_dump = dump_path();
    }
  }

 protected:
  RuntimeFile open_file(const RuntimeProcess& process) const override {
    return open_jit_dump(process);
  }
  void parse(Bytes bytes) override { dump_ = JitDump::parse(bytes); }
  std::optional<NamedCode> name_of(uint64_t address) override {
    read_once();
    return dump_.find(address);
  }

 private:
  JitDump dump_;
};

class JitDumpSource : public NameSource {
 public:
  explicit JitDumpSource(NamingContext& context) : context_(context) {}

  std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& /*notes*/) override {
    bool is_generated = module.kind == CodeKind::kGenerated;
    return is_generated ? std::make_unique<JitDumpNames>(context_, module) : nullptr;
  }

 private:
  NamingContext& context_;
};

}  // namespace

std::unique_ptr<NameSource> make_jit_dump_source(NamingContext& context) {
  return std::make_unique<JitDumpSource>(context);
}

}  // namespace wick
