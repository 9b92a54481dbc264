// SPDX-License-Identifier: Apache-2.0
// The time that each sample represents: [begin, end] by row, for drawings over time.
//
// A sample of CPU time represents a time as long as its weight. A timer takes it at the end of that time, a trace writes
// it at the begin, often with a span: the direction in which the samples of a profile overlap less is taken. Timers are
// not exact, so a few overlap nevertheless: then the later one waits for the earlier one, seen in that direction. So a
// CPU is never busier than one CPU, and a steady thread is a flat area. Without CPUs the same holds for threads.
//
// A sample of another event represents the time since the one before it, at most four usual gaps; samples of one time
// represent the same. The first one has none before it and represents a usual gap.
//
// What a sample represents may be before the first sample of all, which drawings do not show. If it is all there, it is
// moved after that sample as far as there is room, so that a thread with one sample is seen. Filters do not change any
// of this. src/analyze/timeline/spread.h has the same rules; test/spread.json, which C++ writes, holds both to them.
import type { Profile } from './profile.ts';
import { lowerBound } from './select.ts';

export interface Spread {
  begin: Float64Array; // by row of the run, from its first row
  end: Float64Array;
}

// An interval that would have to move by more periods is not a late timer: the file says that more was used than
// there is.
const FARTHEST = 64;
const LONGEST_GAPS = 4;
const MOST_LOOKED_AT = 10_000;
const SHARE_WITH_SPANS = 0.25; // others continue after an inner span
const CLEARLY_LESS = 0.5;
const CLEAR_SHARE = 0.02; // of the weight: overlaps beyond the errors of timers

interface Rows {
  time: Float64Array; // rows of the event, in the order of time
  length: Float64Array; // weight as time
  lane: Int32Array; // what runs one sample at a time: a CPU of a machine, or a thread
  row: Int32Array; // from the run's first row
  lanes: number;
}

export function spreadOf(profile: Profile, run: number, event: number): Spread {
  const rows = rowsOf(profile, run, event);
  const { begin, end, info } = profile.runs[run];
  const spread = { begin: new Float64Array(end - begin), end: new Float64Array(end - begin) };
  if (info.events[event]?.unit !== 'nanoseconds') spreadToGaps(rows, spread);
  else if (beginsAtSample(rows) || areSpans(profile, run, rows)) spreadForward(rows, spread);
  else spreadBackward(rows, spread);
  return spread;
}

function rowsOf(profile: Profile, run: number, event: number): Rows {
  const { begin, end, info } = profile.runs[run];
  const { thread, cpu, time, weight, event: events } = profile.samples;
  const cpus = (info.cpus.at(-1) ?? -1) + 1;
  const machines = Math.max(1, info.sources.length);
  const machineOf = info.threads.map(({ process }) => Math.max(0, info.processes[process]?.source ?? 0));
  const laneOf = (row: number): number =>
    cpu[row] >= 0 && cpu[row] < cpus
      ? (thread[row] < 0 ? 0 : machineOf[thread[row]]) * cpus + cpu[row]
      : machines * cpus + thread[row] + 1;
  const row = new Int32Array(end - begin);
  let count = 0;
  for (let at = begin; at < end; ++at) if (events[at] === event && time[at] >= 0) row[count++] = at - begin;
  const own = row.slice(0, count);
  const scale = info.events[event]?.scale ?? 1;
  return {
    time: Float64Array.from(own, (at) => time[begin + at]),
    length: Float64Array.from(own, (at) => Math.max(0, weight[begin + at] / scale)),
    lane: own.map((at) => laneOf(begin + at)),
    row: own,
    lanes: machines * cpus + info.threads.length + 1,
  };
}

function beginsAtSample({ time, length, lane, lanes }: Rows): boolean {
  const before = new Int32Array(lanes).fill(-1);
  let backward = 0; // overlap if samples are at the end of their time
  let forward = 0;
  let whole = 0;
  for (let i = 0; i < time.length; ++i) {
    const last = before[lane[i]];
    before[lane[i]] = i;
    whole += length[i];
    if (last < 0) continue;
    const gap = time[i] - time[last];
    backward += Math.max(0, length[i] - gap);
    forward += Math.max(0, length[last] - gap);
  }
  return backward > CLEAR_SHARE * whole && forward < CLEARLY_LESS * backward;
}

// Samples begin with spans of their threads.
function areSpans(profile: Profile, run: number, { time, row }: Rows): boolean {
  const { begin, info } = profile.runs[run];
  const { spans } = info;
  const looked = Math.min(time.length, MOST_LOOKED_AT);
  let together = 0;
  for (let i = 0; i < looked; ++i) {
    let span = lowerBound(spans.begin, 0, spans.begin.length, time[i]);
    const thread = profile.samples.thread[begin + row[i]];
    while (spans.begin[span] === time[i] && spans.thread[span] !== thread) ++span;
    if (spans.begin[span] === time[i]) ++together;
  }
  return together > looked * SHARE_WITH_SPANS;
}

function spreadBackward({ time, length, lane, row, lanes }: Rows, { begin, end }: Spread): void {
  const free = new Float64Array(lanes).fill(Infinity); // before this time
  for (let i = time.length - 1; i >= 0; --i) {
    const isNear = time[i] - free[lane[i]] <= FARTHEST * length[i];
    const at = isNear ? Math.min(time[i], free[lane[i]]) : time[i];
    end[row[i]] = at;
    free[lane[i]] = begin[row[i]] = at - length[i];
  }
  moveInside({ lane, row, lanes }, { begin, end });
}

// Time begins at 0.
function moveInside({ lane, row, lanes }: Pick<Rows, 'lane' | 'row' | 'lanes'>, { begin, end }: Spread): void {
  const free = new Float64Array(lanes).fill(Infinity); // before this time
  for (let i = row.length - 1; i >= 0; --i) {
    const at = row[i];
    const length = end[at] - begin[at];
    if (length <= 0) continue;
    if (end[at] <= 0) {
      end[at] = Math.max(end[at], Math.min(length, free[lane[i]]));
      begin[at] = end[at] - length;
    }
    free[lane[i]] = begin[at];
  }
}

function spreadForward({ time, length, lane, row, lanes }: Rows, { begin, end }: Spread): void {
  const free = new Float64Array(lanes).fill(-Infinity); // after this time
  for (let i = 0; i < time.length; ++i) {
    const isNear = free[lane[i]] - time[i] <= FARTHEST * length[i];
    const at = isNear ? Math.max(time[i], free[lane[i]]) : time[i];
    begin[row[i]] = at;
    free[lane[i]] = end[row[i]] = at + length[i];
  }
}

function spreadToGaps({ time, lane, row, lanes }: Rows, { begin, end }: Spread): void {
  const before = new Float64Array(lanes).fill(NaN);
  const since = time.map((at, i) => {
    const gap = at - before[lane[i]]; // NaN: the first of its lane
    before[lane[i]] = at;
    return gap;
  });
  const known = since
    .filter((gap) => gap > 0)
    .slice(0, MOST_LOOKED_AT)
    .sort();
  const usual = known[known.length >> 1] ?? 0;
  time.forEach((at, i) => {
    begin[row[i]] = at - (Number.isNaN(since[i]) ? usual : Math.min(since[i], LONGEST_GAPS * usual));
    end[row[i]] = at;
  });
  moveInside({ lane, row, lanes }, { begin, end });
  const first = new Int32Array(lanes); // of the samples of one time
  row.forEach((at, i) => {
    if (since[i] !== 0) first[lane[i]] = at;
    begin[at] = begin[first[lane[i]]];
    end[at] = end[first[lane[i]]];
  });
}
