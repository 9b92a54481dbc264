#include "elf/symbols.h"

namespace wick {

SymbolTable SymbolTable::from(const ElfImage&, const ElfImage*) {
  return {};
}

std::optional<Symbol> SymbolTable::find(uint64_t) const {
  return std::nullopt;
}

Symbol SymbolTable::operator[](size_t index) const {
  const Entry& entry = symbols_[index];
  return {entry.address, entry.end - entry.address, entry.name};
}

size_t SymbolTable::memory_bytes() const {
  return symbols_.capacity() * sizeof(Entry);
}

}  // namespace wick
