# SPDX-License-Identifier: Apache-2.0
"""The two flows, their input, and the same results computed by plain loops.

An input has numbered items; partition p of n gives the items p, p + n, p + 2n and so on, and counts them. The plain
computation starts from these numbers and shares only the input with the flow.
"""
import collections
import re

import dataflow_native as native
from flow import Flow

TOKEN = re.compile(r"[A-Za-z']+")
STOP_WORDS = frozenset(("ba", "ka", "la", "bako"))
SYLLABLES = ("ba", "ko", "li", "mu", "re", "sa", "ti", "vo")


class Partition:
    """Every n-th item of an input, from item p on."""

    def __init__(self, item_at, number, partitions, items):
        self.item_at = item_at
        self.number, self.partitions = number, partitions
        self.given = 0
        self.size = None if items is None else len(range(number, items, partitions))

    def next_batch(self, wanted):
        begin = self.given
        end = begin + wanted if self.size is None else min(begin + wanted, self.size)
        self.given = end
        item_at, number, step = self.item_at, self.number, self.partitions
        return [item_at(number + at * step) for at in range(begin, end)]

    def numbers(self):
        """The numbers of the items given so far."""
        return range(self.number, self.number + self.given * self.partitions, self.partitions)


def failing(function, calls):
    """Turns the function into user code with a bug: it raises at this call."""
    def failing_function(*arguments):
        nonlocal calls
        calls -= 1
        if calls <= 0:
            raise ValueError("bad item, as --fail-in asked for")
        return function(*arguments)
    return failing_function


class Shape:
    """A flow: user functions by step, input, results by key."""
    def __init__(self, options):
        self.options = options
        self.results = {}
        self.user = {}

    def set_user(self, **functions):
        self.user = functions
        broken = self.options.fail_in
        if broken is not None:
            self.user[broken] = failing(self.user[broken], self.options.fail_at)

    def write(self, batches):
        for rows in batches:
            self.results.update(rows)


class Wordcount(Shape):
    """Lines are split into words, words are counted."""
    steps = ("lines", "split", "lower", "stop", "word", "count", "write")

    def __init__(self, options):
        super().__init__(options)
        self.lines = make_lines(1000)
        self.set_user(lines=self.line_at, split=split_line, lower=lower_word, stop=is_no_stop_word, word=word_itself,
                      count=count_one, write=self.write)

    def line_at(self, number):
        return self.lines[number % len(self.lines)]

    def flow(self):
        user = self.user
        return (Flow("lines")
                .flat_map("split", user["split"])
                .map("lower", user["lower"])
                .filter("stop", user["stop"])
                .key_on("word", user["word"])
                .fold_final("count", int, user["count"])
                .batch("rows", 50)
                .output("write", user["write"]))

    def plain_results(self, partitions):
        times = collections.Counter()
        for partition in partitions:
            times.update(number % len(self.lines) for number in partition.numbers())
        counts = collections.Counter()
        for line, count in times.items():
            for word in "".join(c if c.isalpha() or c == "'" else " " for c in self.lines[line].lower()).split():
                if len(word) > 1 and word not in STOP_WORDS:
                    counts[word] += count
        return dict(counts)


def make_lines(lines):
    """Generated text: words of one to three syllables, short ones often, the same in every run."""
    state = 1
    made = []
    for _ in range(lines):
        words = []
        for position in range(12):
            state = (state * 1103515245 + 12345) % 2**31
            length = 1 + (state >> 8) % 3
            word = "".join(SYLLABLES[(state >> (12 + 3 * n)) % 8] for n in range(length))
            words.append(word.capitalize() if position == 0 else word + ("," if (state >> 9) % 11 == 0 else ""))
        made.append(" ".join(words) + " a " + str(state % 100) + ".")
    return made


def split_line(line):
    return native.select_words(long_enough, TOKEN.findall(line))


def long_enough(word):
    return len(word) > 1


def lower_word(word):
    return word.lower()


def is_no_stop_word(word):
    return word not in STOP_WORDS


def word_itself(word):
    return word


def count_one(count, _word):
    return count + 1


class Windowing(Shape):
    """One event a second; adds up the values of each key minute by minute."""
    steps = ("events", "event", "key", "sum", "row", "write")

    def __init__(self, options):
        super().__init__(options)
        self.set_user(events=self.event_at, event=make_event, key=self.key_of, sum=add_value, row=name_row,
                      write=self.write)

    @staticmethod
    def event_at(number):
        return number, number * 7919 % 1000

    def key_of(self, event):
        return f"key-{event['time'] % self.options.keys}"

    def flow(self):
        user = self.user
        return (Flow("events")
                .map("event", user["event"])
                .key_on("key", user["key"])
                .fold_window("sum", self.options.window, time_of, int, user["sum"])
                .map("row", user["row"])
                .batch("rows", 50)
                .output("write", user["write"]))

    def plain_results(self, partitions):
        sums = collections.Counter()
        for partition in partitions:
            for number in partition.numbers():
                sums[number % self.options.keys, number // self.options.window] += number * 7919 % 1000
        return {f"key-{key}/{window}": total for (key, window), total in sums.items()}


def make_event(pair):
    return {"time": pair[0], "value": pair[1]}


def time_of(event):
    return event["time"]


def add_value(total, event):
    return total + event["value"]


def name_row(row):
    key, (window, total) = row
    return f"{key}/{window}", total


SHAPES = {"wordcount": Wordcount, "windowing": Windowing}
