#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares wick's instruction decoder with Zydis and capstone on the code of a hundred Debian packages.

    isa_packages.py ISA_COMPARE [PACKAGE...]

Each package is downloaded, unpacked, compared (tests/isa/compare.cc says how) and removed. It needs a network and apt-get;
without them it says so and ends with status 77. A package that is not available is reported and left out. The status
is 1 if something differs, or if fewer than half of the packages are available.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PACKAGES = """
    bash bind9-libs binutils-x86-64-linux-gnu busybox-static ccache clang-19 cmake cpp-12 curl dash
    emacs-nox erlang-base ffmpeg fish gawk gcc-12 gdb libgs10 git gpg
    golang-1.19-go graphviz imagemagick-6.q16 inkscape ldc libavcodec59 libavfilter8 libblas3 libboost-python1.74.0
    libbotan-2-19 libc6 libcapstone4 libcrypto++8 libdav1d6 libfftw3-double3 libflac12 libgmp10 libgcrypt20
    libgl1-mesa-dri libgnutls30 libgtk-3-0 libhdf5-103-1 libicu72 libjavascriptcoregtk-4.1-0 libjpeg62-turbo
    libllvm14 libluajit-5.1-2 libmariadb3 libmp3lame0 libnode108 libnss3 libopenblas0-pthread
    libopencv-core406 libopencv-imgproc406 libopus0 libperl5.36 libpoppler126 libpython3.11-minimal libqt5core5a
    libqt5gui5 libruby3.1 libspeex1 libsodium23 libsqlite3-0 libssl3 libstdc++6 libsvtav1enc1 libtcmalloc-minimal4
    libvpx7 libwebp7 libx264-164 libx265-199 libxml2 libz3-4 libzstd1 linux-perf lua5.4 mold linux-image-cloud-amd64
    nginx ocaml-base octave openjdk-17-jre-headless openssh-server perl-base php8.2-cli postgresql-15
    python3-numpy qemu-system-x86 r-base-core redis-tools rustc sbcl systemd tcpdump valgrind vim wireshark-common
    libc6-i386 lib32stdc++6 lib32gcc-s1 libc6-i386-cross
    libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross libgomp1-arm64-cross
""".split()
TOGETHER = re.compile(r"^together +same +(\d+) +branches +(\d+) +differ +(\d+) +known differences +(\d+) +only \w+ \w+ +(\d+)")
NAMES = ["same", "branches", "differ", "known differences", "only wick decodes"]
ELF = b"\x7fELF"


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == ELF


def real_name(package):
    """The package that a name without a version refers to: linux-image-amd64 has no files of its own."""
    if not package.startswith("linux-image"):
        return package
    depends = subprocess.run(["apt-cache", "depends", package], capture_output=True, text=True).stdout
    found = re.search(r"Depends: (linux-image\S+)", depends)
    return found[1] if found else package


def download(package, directory):
    """The path of the package's file; None if it is not available."""
    run = subprocess.run(["apt-get", "download", "-q", real_name(package)], cwd=directory, capture_output=True, text=True)
    return next(pathlib.Path(directory).glob("*.deb"), None) if run.returncode == 0 else None


def compare(tool, files):
    """The counts of isa_compare for these files, and its whole output."""
    run = subprocess.run([tool, *files], capture_output=True, text=True)
    last = TOGETHER.match(run.stdout.splitlines()[-1]) if run.stdout else None
    if last is None:
        sys.exit(f"{tool} ended with status {run.returncode}: {run.stderr}")
    return collections.Counter(dict(zip(NAMES, map(int, last.groups())))), run.stdout


def compare_package(tool, package):
    """The counts of one package; None if it is not available."""
    with tempfile.TemporaryDirectory() as directory:
        archive = download(package, directory)
        if archive is None:
            return None
        unpacked = pathlib.Path(directory) / "files"
        subprocess.run(["dpkg-deb", "-x", archive, unpacked], check=True)
        files = [path for path in sorted(unpacked.rglob("*")) if is_elf(path)]
        if not files:
            return collections.Counter()
        counts, output = compare(tool, files)
    if counts["differ"] > 0:
        print(output)
    counts["files"] = len(files)
    return counts


def main():
    tool, packages = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or PACKAGES
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        print("Skipped: apt-get and dpkg-deb are needed to get Debian's packages.")
        return 77
    total, missing = collections.Counter(), []
    for package in packages:
        counts = compare_package(tool, package)
        if counts is None:
            missing.append(package)
            continue
        total += counts
        print(f"{package:32}", "  ".join(f"{name} {counts[name]}" for name in ["files", *NAMES]), flush=True)
    compared = len(packages) - len(missing)
    if compared == 0:
        print("Skipped: no package could be downloaded; is there a network?")
        return 77
    print(f"{compared} packages:", "  ".join(f"{name} {total[name]}" for name in ["files", *NAMES]))
    print("Not to be had:", " ".join(missing) or "none")
    return total["differ"] > 0 or compared < len(packages) / 2


if __name__ == "__main__":
    sys.exit(main())
