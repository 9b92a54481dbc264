# SPDX-License-Identifier: Apache-2.0
"""Finds the peers and asks for their versions: a ratio means little without the version it was taken against."""
import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path

BENCH = Path(__file__).resolve().parent
NODE_MODULES = BENCH.parent / "tests" / "consumers" / "node_modules"  # by tools/setup
PACKAGES = {"perf": "linux-perf", "jfr": "openjdk-17-jdk-headless", "callgrind_annotate": "valgrind"}


def first_line(*command):
    """The first line of a program's version output."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        said = ""
    return said.splitlines()[0].strip("* ") if said else "version unknown"


def flamegraph_pl():
    """The user's copy, or the one that Debian ships with a Perl profiler. It has no version."""
    chosen = os.environ.get("FLAMEGRAPH_PL")
    path = Path(chosen or "/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
    if not path.is_file():
        return None, "flamegraph.pl is absent: set FLAMEGRAPH_PL, or install libdevel-nytprof-perl"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    package = first_line("dpkg-query", "-W", "-f", "${Version}", "libdevel-nytprof-perl")
    origin = "from FLAMEGRAPH_PL" if chosen else f"of libdevel-nytprof-perl {package}"
    return str(path), f"flamegraph.pl {origin} (sha256 {digest})"


def stackcollapse_perf_pl():
    """The user's copy, one on the PATH, or one in the usual clones of FlameGraph. It has no version."""
    beside_flamegraph = Path(os.environ.get("FLAMEGRAPH_PL") or "/opt/FlameGraph/x").parent
    places = [os.environ.get("STACKCOLLAPSE_PERF"), shutil.which("stackcollapse-perf.pl"),
              *(folder / "stackcollapse-perf.pl" for folder in
                (beside_flamegraph, Path("/opt/FlameGraph"), Path.home() / "FlameGraph"))]
    path = next((Path(place) for place in places if place and Path(place).is_file()), None)
    if path is None:
        return None, "stackcollapse-perf.pl is absent: set STACKCOLLAPSE_PERF to a copy of it"
    return str(path), f"stackcollapse-perf.pl (sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:12]})"


def stackcollapse_py():
    """perf's own script for folded stacks, which comes with it."""
    places = (Path("/usr") / folder / "perf-core/scripts/python/stackcollapse.py" for folder in ("lib", "libexec"))
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return None, "perf's stackcollapse.py is absent: install linux-perf"
    return str(path), "stackcollapse.py of perf"


def export_to_sqlite():
    """perf's own exporter, which comes with it; it needs Qt's SQL module for Python."""
    places = (Path("/usr") / folder / "perf-core/scripts/python/export-to-sqlite.py" for folder in ("lib", "libexec"))
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return None, "perf's export-to-sqlite.py is absent: install linux-perf"
    imported = subprocess.run(["/usr/bin/python3", "-c", "import PySide2.QtSql"], capture_output=True, check=False)
    if imported.returncode != 0:
        return None, "export-to-sqlite.py of perf needs PySide2: install python3-pyside2.qtsql"
    return str(path), "export-to-sqlite.py of perf"


def hotspot_perfparser():
    """hotspot's reader; Debian does not put it on the PATH."""
    patterns = ("lib/*/libexec", "lib/libexec", "libexec")
    places = (place for pattern in patterns for place in Path("/usr").glob(f"{pattern}/hotspot-perfparser"))
    path = shutil.which("hotspot-perfparser") or next(map(str, places), None)
    if path is None:
        return None, "hotspot-perfparser is absent: install hotspot"
    package = first_line("dpkg-query", "-W", "-f", "${Version}", "hotspot")
    return path, f"hotspot-perfparser of hotspot {package} ({first_line(path, '--version')})"


def llvm_symbolizer():
    names = ("llvm-symbolizer", *(f"llvm-symbolizer-{version}" for version in range(21, 13, -1)))
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        return None, "llvm-symbolizer is absent: install llvm"
    return path, f"llvm-symbolizer of {first_line(path, '--version')}"


def speedscope():
    path = NODE_MODULES / "speedscope" / "bin" / "cli.mjs"
    if not path.is_file():
        return None, "speedscope is absent: `make bench` installs it where npm is"
    return str(path), f"speedscope {first_line('node', str(path), '--version')}"


def speedscope_page():
    """The driver of speedscope's page without a browser, which tests use, too."""
    if not (NODE_MODULES / "jsdom").is_dir() or speedscope()[0] is None:
        return None, "speedscope's page is absent: `make bench` installs it where npm is"
    return str(BENCH.parent / "tests" / "e2e" / "speedscope.mjs"), f"{speedscope()[1]} under jsdom"


def profiler_cli():
    path = NODE_MODULES / "@firefox-devtools" / "profiler-cli" / "dist" / "profiler-cli.js"
    if not path.is_file():
        return None, "profiler-cli is absent: `make bench` installs it where npm is"
    return str(path), f"profiler-cli {first_line('node', str(path), '--version')}"


def go_pprof():
    """The program itself: `go tool` takes a while to find it."""
    if not shutil.which("go"):
        return None, "go tool pprof is absent: install golang-go"
    return str(Path(first_line("go", "env", "GOTOOLDIR")) / "pprof"), f"pprof of {first_line('go', 'version')}"


def system_program(name):
    path = shutil.which(name)
    ask = ["-e", "print qq(perl $^V)"] if name == "perl" else ["--version"]
    return path, first_line(path, *ask) if path else f"{name} is absent: install {PACKAGES.get(name, 'it')}"


def named_copy(variable, name):
    """A program that is in no package of Debian: the copy that an environment variable names."""
    path = os.environ.get(variable)
    if not path or not os.access(path, os.X_OK):
        return None, f"{name} is absent: set {variable} to a copy"
    return path, first_line(path, "--version")


def austin():
    return named_copy("AUSTIN", "austin")


def py_spy():
    return named_copy("PY_SPY", "py-spy")


def find_peers():
    """name: (path or None, version or a sentence with the reason)"""
    peers = {name: system_program(name) for name in ("wc", "zstd", "true", "perl", "perf", "valgrind", "cut", "tr",
                                                       "addr2line", "gzip", "node", "jfr", "callgrind_annotate", "sqlite3")}
    return peers | {"flamegraph": flamegraph_pl(), "stackcollapse": stackcollapse_perf_pl(),
                    "stackcollapse_py": stackcollapse_py(), "export_to_sqlite": export_to_sqlite(),
                    "perfparser": hotspot_perfparser(),
                    "speedscope": speedscope(), "speedscope_page": speedscope_page(), "profiler_cli": profiler_cli(),
                    "go_pprof": go_pprof(), "llvm_symbolizer": llvm_symbolizer(), "austin": austin(), "py_spy": py_spy()}


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} x {models[0] if models else platform.machine()}, Linux {platform.release()}"
