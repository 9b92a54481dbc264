// Which Debian package would bring the debug information of an installed file, as far as the
// machine's own records tell.
//
// dpkg keeps the files of each installed package as a list, one path a line. Debug information of a
// package is in PACKAGE-dbgsym (from the debug archive), or for a few old ones in PACKAGE-dbg.
#pragma once

#include <string>

namespace wick {

// The installed package that a file belongs to; empty when none, or this is no Debian.
std::string debian_package_of(const std::string& path,
                              const std::string& dpkg_info = "/var/lib/dpkg/info");

// The package with its debug information, by Debian's customs.
std::string debian_debug_package(const std::string& package);

}  // namespace wick
