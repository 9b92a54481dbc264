#include "symbolize/module_places.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>

namespace wick {
namespace {

constexpr const char* kKind = "names";
// Changes whenever the same files would give other answers.
constexpr int kEdition = 3;
constexpr size_t kShortestBuildId = 8;

std::string file_edition(const ElfImage* image, const std::string& path) {
  struct stat status = {};
  if (image == nullptr || ::stat(path.c_str(), &status) != 0) {
    return "none";
  }
  return fmt::format(
      "{} {} {}.{}", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

// The addresses of one unit, and its answers.
struct ModulePlaces::UnitTask {
  std::span<const Wanted> wanted;
  std::vector<DwarfFrame> frames;
  std::vector<size_t> ends;  // of the frames of each address
};

ModulePlaces::ModulePlaces(const FileSearch& search,
                           const KeptFiles& kept,
                           const ModuleDwarf::Source& source,
                           bool inlines)
    : search_(search), kept_(kept), source_(source), inlines_(inlines) {
  const ElfImage* image = source.binary != nullptr ? source.binary : source.debug;
  if (image->build_id().size() >= kShortestBuildId) {
    build_id_ = hex_digits(as_text(image->build_id()));
  }
}

// Debug files are found by the binary's own build id, so that which one was used follows from the
// places to look in and from what is there.
std::string ModulePlaces::edition() const {
  std::string debug = file_edition(source_.debug, source_.debug_path);
  if (source_.debug == nullptr && source_.binary != nullptr && !has_dwarf(*source_.binary)) {
    std::unique_ptr<OpenedFile> found = find_debug_file(search_, source_.path, *source_.binary);
    debug = found == nullptr ? "none" : file_edition(&found->image, found->path);
  }
  bool has_lines = source_.binary != nullptr && has_dwarf(*source_.binary);
  return fmt::format("{} {} build {} lines {} debug {}",
                     kEdition,
                     inlines_ ? "inlines" : "symbols",
                     build_id_,
                     has_lines,
                     debug);
}

void ModulePlaces::find(std::span<const uint64_t> addresses, WorkerPool& pool) {
  bool keeps = inlines_ && !build_id_.empty() && kept_.is_on();
  std::string edition = keeps ? this->edition() : "";
  if (keeps) {
    file_ = kept_.read(kKind, build_id_, edition);
    known_ = file_ ? PlaceView::parse(file_->payload) : std::nullopt;
  }
  std::vector<uint64_t> unknown;
  for (uint64_t address : addresses) {
    if (!known_ || known_->find(address) == nullptr) {
      unknown.push_back(address);
    }
  }
  if (unknown.empty()) {
    return;
  }
  find_new(unknown, pool);
  bool lacks_parts = dwarf_ != nullptr && dwarf_->info() != nullptr &&
                     (dwarf_->lacks_alternate() || dwarf_->info()->missing_split() > 0 ||
                      dwarf_->info()->damaged() > 0);
  if (keeps && !lacks_parts) {
    PlaceTable all;
    if (known_) {
      all.add(*known_);
    }
    all.add(found_.view());
    kept_.write(kKind, build_id_, edition, all.bytes());
  }
}

std::vector<PlaceView> ModulePlaces::views() {
  std::vector<PlaceView> views;
  if (known_) {
    views.push_back(*known_);
  }
  if (!found_.empty()) {
    views.push_back(found_.view());
  }
  return views;
}

// Both take some milliseconds for a large file.
void ModulePlaces::open(WorkerPool& pool) {
  auto open_symbols = [&] {
    symbols_ = source_.binary != nullptr ? SymbolTable::from(*source_.binary, source_.debug)
                                         : SymbolTable::from(*source_.debug);
  };
  if (!inlines_) {
    open_symbols();
    return;
  }
  pool.run(2, 1, [&](size_t part, size_t) {
    if (part == 0) {
      open_symbols();
    } else {
      dwarf_ = std::make_unique<ModuleDwarf>(search_, source_);
    }
  });
}

void ModulePlaces::find_new(std::span<const uint64_t> addresses, WorkerPool& pool) {
  open(pool);
  std::vector<Wanted> wanted;
  bool has_units = dwarf_ != nullptr && !dwarf_->empty();
  for (uint64_t address : addresses) {
    uint32_t unit = has_units ? dwarf_->info()->unit_of(address) : DwarfInfo::kNoUnit;
    if (unit == DwarfInfo::kNoUnit) {
      add(address, {});
    } else {
      wanted.push_back({unit, address});
    }
  }
  std::ranges::stable_sort(wanted, {}, &Wanted::unit);
  find_by_unit(wanted, pool);
}

void ModulePlaces::find_by_unit(std::span<const Wanted> wanted, WorkerPool& pool) {
  std::vector<UnitTask> tasks;
  for (size_t begin = 0; begin < wanted.size();) {
    size_t end = begin;
    while (end < wanted.size() && wanted[end].unit == wanted[begin].unit) {
      ++end;
    }
    tasks.push_back({.wanted = wanted.subspan(begin, end - begin)});
    begin = end;
  }
  auto answer = [&](UnitTask& task) {
    std::vector<uint64_t> addresses;
    addresses.reserve(task.wanted.size());
    for (const Wanted& one : task.wanted) {
      addresses.push_back(one.address);
    }
    dwarf_->info()->find_in_unit(
        task.wanted[0].unit, addresses, [&](size_t, std::span<const DwarfFrame> frames) {
          task.frames.insert(task.frames.end(), frames.begin(), frames.end());
          task.ends.push_back(task.frames.size());
        });
  };
  auto take = [&](UnitTask& task) {
    size_t begin = 0;
    for (size_t i = 0; i < task.wanted.size(); ++i) {
      add(task.wanted[i].address, std::span(task.frames).subspan(begin, task.ends[i] - begin));
      begin = task.ends[i];
    }
    task = {};
  };
  // Answers are large: those of a few units are made while those of the few before are taken.
  size_t wave = pool.workers();
  size_t taken = 0;
  for (size_t first = 0; first < tasks.size(); first += wave) {
    size_t count = std::min(wave, tasks.size() - first);
    pool.start(count, 1, [&](size_t index, size_t) { answer(tasks[first + index]); });
    for (; taken < first; ++taken) {
      take(tasks[taken]);
    }
    pool.finish();
  }
  for (; taken < tasks.size(); ++taken) {
    take(tasks[taken]);
  }
}

void ModulePlaces::add(uint64_t address, std::span<const DwarfFrame> chain) {
  std::optional<NamedRange> named;
  if (std::optional<Symbol> symbol = symbols_.find(address)) {
    named = NamedRange{symbol->address, symbol->size, symbol->name};
  }
  std::string made_up;
  if (!named && (chain.empty() || chain.back().symbol().empty())) {
    if (std::optional<FunctionRanges::Range> range = ranges().find(address)) {
      made_up =
          fmt::format("{}+{:#x}", source_.path.substr(source_.path.rfind('/') + 1), range->begin);
      named = NamedRange{range->begin, range->end - range->begin, made_up};
    }
  }
  found_.add(address, named, chain);
}

const FunctionRanges& ModulePlaces::ranges() {
  if (!ranges_) {
    ranges_ = source_.binary != nullptr ? FunctionRanges(*source_.binary) : FunctionRanges();
  }
  return *ranges_;
}

}  // namespace wick
