// SPDX-License-Identifier: Apache-2.0
// Opens a page in the user's browser, without showing its address to other users.
//
// The address of a page that wick serves contains its secret, and every user of a machine can read
// the command lines of all processes. So wick passes the browser a file that redirects to the page.
// Only its user can read the file. The file exists as long as the BrowserPage.
#pragma once

#include <string>

#include "base/result.h"

namespace wick {

class BrowserPage {
 public:
  // Whether the session has a display for a browser.
  static bool has_display();
  // Makes a file that redirects to `url`, in a new directory below $XDG_RUNTIME_DIR or $TMPDIR.
  static Result<BrowserPage> leading_to(const std::string& url);
  BrowserPage(BrowserPage&& other) noexcept;
  BrowserPage& operator=(BrowserPage&&) = delete;
  ~BrowserPage();  // removes the file and its directory

  // True if wick could start the system's opener. wick does not know whether a browser opened.
  bool open() const;

 private:
  explicit BrowserPage(std::string directory) : directory_(std::move(directory)) {}
  std::string path() const { return directory_ + "/wick.html"; }

  std::string directory_;
};

}  // namespace wick
