// Output: where a view or a writer puts its bytes.
//
// Writes are buffered and never fail one by one: the first error is kept and told by finish(), so
// that writers stay free of error handling and a full disk still cannot pass for success.
//
// A file appears under its name only when it is complete. Until then it has no name at all
// (O_TMPFILE), or where the file system cannot do that, a unique one beside it; an interrupted run
// leaves the old file as it was. The new file keeps the old one's permissions; a symbolic link
// keeps pointing. What must be written directly is: pipes and devices, and files with several
// names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wick {

class Output {
 public:
  // "-" is standard output.
  static Result<Output> to_path(const std::string& path);
  // A file that can be read while it grows, from when it appears: it has its name then, and keeps
  // what was written when the program is killed. An older file of that name is replaced, not
  // changed. What cannot be replaced (a pipe, a device, a file with several names) is written
  // directly.
  static Result<Output> growing(const std::string& path);
  Result<> appear();
  // Appends to `text`, which must outlive the output.
  static Output to_text(std::string& text);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();  // without finish(), an unfinished file is removed

  void write(std::string_view bytes);
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    write(fmt::format(format, std::forward<Args>(args)...));
  }

  // Writes over what is there already; for files that grow.
  void overwrite(uint64_t offset, std::string_view bytes);
  // Hands everything to the system so that other programs can see it now.
  void flush();
  // Whether it is a file of its own that another one may take the place of (growing()).
  bool can_be_replaced() const { return can_be_replaced_; }
  // Bytes written so far.
  uint64_t size() const { return size_; }
  // Why nothing more can be written (errno), or 0.
  int error() const { return error_; }
  Result<> finish();

 private:
  Output() = default;
  bool open_beside(const std::string& path);
  bool give_name();
  void drain(std::string_view bytes);

  int descriptor_ = -1;
  std::string path_;       // final name, empty when written directly
  std::string temporary_;  // name until then; empty while it has none
  std::string name_;       // for messages
  std::string buffer_;
  std::string* text_ = nullptr;
  int error_ = 0;
  uint64_t size_ = 0;
  bool can_be_replaced_ = false;
};

}  // namespace wick
