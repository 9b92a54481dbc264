"""Finds the peers and asks for their versions: a ratio means little without the version it was taken against."""
import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path


def first_line(*command):
    """What a program says first when asked for its version."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        said = ""
    return said.splitlines()[0].strip("* ") if said else "version unknown"


def flamegraph_pl():
    """The user's copy, or the one that Debian ships with a Perl profiler. It has no version of its own."""
    chosen = os.environ.get("FLAMEGRAPH_PL")
    path = Path(chosen or "/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
    if not path.is_file():
        return None, "flamegraph.pl is absent: set FLAMEGRAPH_PL, or install libdevel-nytprof-perl"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    package = first_line("dpkg-query", "-W", "-f", "${Version}", "libdevel-nytprof-perl")
    origin = "from FLAMEGRAPH_PL" if chosen else f"of libdevel-nytprof-perl {package}"
    return str(path), f"flamegraph.pl {origin} (sha256 {digest})"


def system_program(name):
    path = shutil.which(name)
    ask = ["-e", "print qq(perl $^V)"] if name == "perl" else ["--version"]
    return path, first_line(path, *ask) if path else f"{name} is absent: install it"


def find_peers():
    """name: (path or None, version or a sentence why not)"""
    peers = {name: system_program(name) for name in ("wc", "zstd", "true", "perl")}
    peers["flamegraph"] = flamegraph_pl()
    return peers


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} x {models[0] if models else platform.machine()}, Linux {platform.release()}"
