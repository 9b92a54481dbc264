// SPDX-License-Identifier: Apache-2.0
// Output: the destination of a view or a writer.
//
// Writes are buffered and do not fail one by one: Output remembers the first error and finish()
// reports it. So writers need no error handling, and a full disk still cannot look like success.
//
// A file gets its name only when it is complete. Until then it has no name at all (O_TMPFILE), or a
// unique one in the same directory if the file system does not support that; an interrupted run
// leaves the old file unchanged. The new file gets the permissions of the old one, and a symbolic
// link stays a link. Pipes, devices and files with several names cannot be replaced; Output writes
// them directly.
//
// A pipe blocks until another program reads it. Where a signal does not end wick (a recording holds
// them), OutputOptions::gives_up ends the waiting.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/packer.h"
#include "base/result.h"

namespace wick {

struct OutputOptions {
  // The file holds memory of other programs: only its owner may read it, whatever the permissions
  // of an older file and the umask are.
  bool is_private = false;
  // Called several times a second while a pipe or device does not accept bytes, with the seconds
  // since it last did. True: stop waiting; the output then has the error ECANCELED.
  std::function<bool(double)> gives_up = {};
  Packing packing = Packing::kNone;  // not for files that are overwritten
};

// What strerror() says, or more where wick knows more.
std::string write_error_text(int error);

class Output {
 public:
  // "-" is standard output.
  static Result<Output> to_path(const std::string& path, const OutputOptions& options = {});
  // A file that others can read while it grows. After publish() it has its name, and its content
  // survives if the program is killed. It replaces an older file of that name and does not change
  // it. Pipes, devices and files with several names cannot be replaced and are written directly.
  static Result<Output> growing(const std::string& path, const OutputOptions& options = {});
  Result<> publish();
  // Appends to `text`, which must outlive the output.
  static Output to_text(std::string& text);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();  // without finish(), removes the unfinished file

  void write(std::string_view bytes);
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    write(fmt::format(format, std::forward<Args>(args)...));
  }

  // Writes over existing content; for files that grow.
  void overwrite(uint64_t offset, std::string_view bytes);
  // Hands everything to the kernel, so that other programs can see it now.
  void flush();
  // For output that is written late: if no program reads the pipe any more, error() says so now.
  void check_reader();
  // Whether this is a separate file that may be replaced by another one (growing()).
  bool can_be_replaced() const { return can_be_replaced_; }
  // Bytes written so far, before packing.
  uint64_t size() const { return size_; }
  // Why no more can be written (errno), or 0.
  int error() const { return error_; }
  Result<> finish();

 private:
  Output() = default;
  bool open_beside(const std::string& path);
  bool open_directly(const std::string& path, const OutputOptions& options);
  bool give_name();
  void drain(std::string_view bytes, bool is_last = false);
  void drain_packed(std::string_view bytes);
  bool wait_until_writable() const;

  int descriptor_ = -1;
  std::string path_;       // final name; empty if written directly
  std::string temporary_;  // name until then; empty if it has none
  std::string name_;       // for messages
  std::string buffer_;
  std::string* text_ = nullptr;
  int error_ = 0;
  uint64_t size_ = 0;
  bool can_be_replaced_ = false;
  std::function<bool(double)> gives_up_;  // empty: writes block
  std::unique_ptr<Packer> packer_;        // null: the bytes are written as they are
};

}  // namespace wick
