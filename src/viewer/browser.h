// SPDX-License-Identifier: Apache-2.0
// Opens a page in the user's browser, without showing its address to other users.
//
// The address of a page that wick serves holds its secret, and every user of a machine can read the
// command lines of all processes. So the browser is given a file that only its user can read, and
// the file leads to the page.
#pragma once

#include <string>

#include "base/result.h"

namespace wick {

class BrowserPage {
 public:
  // Whether there is a display that a browser could open on.
  static bool has_display();
  // A file in a directory of its own that leads to `url`, below $XDG_RUNTIME_DIR or $TMPDIR.
  static Result<BrowserPage> leading_to(const std::string& url);
  BrowserPage(BrowserPage&& other) noexcept;
  BrowserPage& operator=(BrowserPage&&) = delete;
  ~BrowserPage();  // removes both

  // True when a browser was asked; whether it came is not known.
  bool open() const;

 private:
  explicit BrowserPage(std::string directory) : directory_(std::move(directory)) {}
  std::string path() const { return directory_ + "/wick.html"; }

  std::string directory_;
};

}  // namespace wick
