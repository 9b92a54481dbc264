// SPDX-License-Identifier: Apache-2.0
// The Debian package that has the debug information of an installed file, from the machine's own
// records.
//
// dpkg stores the files of each installed package as a list, one path per line. The debug
// information of a package is in PACKAGE-dbgsym (from the debug archive), or for a few old ones in
// PACKAGE-dbg.
#pragma once

#include <string>

namespace wick {

// The installed package that a file belongs to; empty if there is none, or if this is not Debian.
std::string debian_package_of(const std::string& path,
                              const std::string& dpkg_info = "/var/lib/dpkg/info");

// The package with its debug information, by Debian's naming convention.
std::string debian_debug_package(const std::string& package);

// What a user can do to get the debug information of that package, as a clause. The -dbgsym packages
// are in an archive that apt does not know on a freshly installed machine: then the server of the
// distribution is the shorter way. `root` has etc/os-release and etc/apt.
std::string debian_debug_advice(const std::string& package, const std::string& root = "");

}  // namespace wick
