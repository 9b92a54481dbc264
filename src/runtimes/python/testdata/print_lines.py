# SPDX-License-Identifier: Apache-2.0
# Prints the tables of lines of a few functions, and what they mean: testdata/lines.txt is the output of 3.8 to 3.13.
import sys, dis
def fresh():
    def plain(a, b):
        c = a + b

        return c
    def branches(values):
        total = 0
        for value in values:
            if value > 3: total += value
            else:
                total -= (value
                          + 1)
        while total:
            total -= 1
        return [total for total in range(3)
                if total]
    def handles(path):
        try:
            with open(path) as file:
                return file.read()
        except OSError as error:
            print(error,
                  path)
        finally:
            print(
                "end"
            )
    def generates():
        yield 1
        yield from (
            generates())
    return plain, branches, handles, generates
long_one = {}
exec("def distant():\n    a = (1,\n" + "\n" * 300 + "  f())\n" + "\n" * 200 + "    return (a +\n" + "\n"*140 + " g())\n" + "", long_one)
wide = {}
exec("def wide():\n    return (" + " + ".join(f"a{i}" for i in range(200)) + ")\n", wide)
version = sys.version_info[:2]
kind = "pairs" if version < (3, 10) else "ranges" if version < (3, 11) else "locations"
for f in (*fresh(), long_one["distant"], wide["wide"]):
    code = f.__code__
    table = code.co_lnotab if version < (3, 10) else code.co_linetable
    if version < (3, 10):
        starts = list(dis.findlinestarts(code)) + [(len(code.co_code), 0)]
        rows = [(b, e, l) for (b, l), (e, _) in zip(starts, starts[1:])]
    else:
        rows = [(b, e, l or 0) for b, e, l in code.co_lines()]
    print("%d.%d" % version, kind, code.co_name, code.co_firstlineno, table.hex() or "-", ",".join(f"{b}-{e}={l}" for b, e, l in rows))
