// SPDX-License-Identifier: Apache-2.0
// Lookups by time: the sample at a time, and the list of marks and spans.
import type { MomentList, MomentOptions, ProfileInfo, SampleAt, SampleOptions, State } from './interface.ts';
import type { Paths } from './paths.ts';
import { compile } from './pattern.ts';
import type { Pattern } from './pattern.ts';
import type { Profile } from './profile.ts';
import { lowerBound } from './select.ts';
import type { Spread } from './spread.ts';
import { laneIds } from './timeline.ts';

const MOST_LOOKED_AT = 500_000; // rows around a time

// The sample whose time covers the one that is asked for, else the nearest within reach.
export function sampleAt(
  profile: Profile,
  state: State,
  paths: Paths,
  nodeOfRow: Int32Array,
  spread: Spread,
  { time: at, reach, lanes, ids }: SampleOptions,
): SampleAt {
  const { time, thread, cpu, weight, count, labels } = profile.samples;
  const run = profile.runs[state.profile];
  const wanted = ids === null ? null : new Set(ids);
  const [idOf] = laneIds(profile, run.info, lanes);
  let best = -1;
  let distance = Infinity;
  const look = (row: number): void => {
    if (nodeOfRow[row] < 0 || (wanted !== null && !wanted.has(idOf(row)))) return;
    const from = Math.max(0, spread.begin[row - run.begin]);
    const away = Math.max(from - at, spread.end[row - run.begin] - at < 0 ? at - spread.end[row - run.begin] : 0, 0);
    if (away < distance) [best, distance] = [row, away];
  };
  const first = lowerBound(time, run.begin, run.end, Math.max(0, at));
  // A sample represents the time before it, so it is at or after the time.
  for (let row = first; row < run.end && row < first + MOST_LOOKED_AT && distance > 0; ++row) {
    look(row);
    if (best >= 0 && time[row] - at > Math.max(distance, reach) + 1e9) break;
  }
  for (let row = first - 1; row >= run.begin && row > first - MOST_LOOKED_AT && distance > 0; --row) {
    if (time[row] < 0 || at - time[row] > Math.min(distance, reach)) break;
    look(row);
  }
  if (best < 0 || distance > reach)
    return { row: -1, time: at, thread: -1, cpu: -1, weight: 0, samples: 0, path: [], labels: [] };
  const path: number[] = [];
  for (let node = nodeOfRow[best]; node > 0; node = paths.parent[node]) path.push(paths.label[node]);
  return {
    row: best,
    time: time[best],
    thread: thread[best],
    cpu: cpu[best],
    weight: weight[best],
    samples: count[best],
    path: path.reverse(),
    labels: labelsOf(profile, labels[best]),
  };
}

// "key=value" of each label of a set.
function labelsOf({ labels, labelSets }: Profile, set: number): string[] {
  const texts: string[] = [];
  for (let at = set; at > 0; at = labelSets.parent[at])
    texts.push(`${labels.key[labelSets.label[at]]}=${labels.value[labelSets.label[at]]}`);
  return texts.reverse();
}

// Marks (their row) and spans (their row after those of the marks) that pass the filters by time and thread.
export function listMoments(profile: Profile, state: State, options: MomentOptions): MomentList {
  const { info } = profile.runs[state.profile];
  const { marks, spans } = info;
  let expression: Pattern | null = null;
  try {
    expression = options.search === '' ? null : compile(options.search, options.ignoreCase);
  } catch (error) {
    return { error: `This is not a regular expression: ${(error as Error).message}.`, rows: new Int32Array(0), all: 0 };
  }
  const passes = filterOf(profile, info, state);
  const names = expression && spans.names.map((name) => expression.test(name));
  const kinds = expression && spans.kinds.map((kind) => expression.test(kind));
  const markCount = marks.time.length;
  const markNames = expression && marks.names.map((name) => expression.test(name));
  const markKinds = expression && marks.kinds.map((kind) => expression.test(kind));
  const begins = new Float64Array(markCount + spans.begin.length);
  const lengths = new Float64Array(begins.length);
  const rows = new Int32Array(begins.length);
  let count = 0;
  let all = 0;
  for (let row = 0; row < markCount; ++row) {
    const time = marks.time[row];
    if (!passes(time, time, marks.thread[row])) continue;
    ++all;
    if (markNames && !markNames[marks.name[row]] && !markKinds![marks.kind[row]]) continue;
    begins[row] = time;
    rows[count++] = row;
  }
  for (let span = 0; span < spans.begin.length; ++span) {
    const end = spans.end[span] >= spans.begin[span] ? spans.end[span] : spans.begin[span];
    if (!passes(spans.begin[span], end, spans.thread[span])) continue;
    ++all;
    if (names && !names[spans.name[span]] && !kinds![spans.kind[span]]) continue;
    const row = markCount + span;
    begins[row] = spans.begin[span];
    lengths[row] = end - spans.begin[span];
    rows[count++] = row;
  }
  const listed = rows.slice(0, count);
  listed.sort((a, b) => (options.sort === 'duration' ? lengths[b] - lengths[a] : 0) || begins[a] - begins[b] || a - b);
  return { error: '', rows: listed, all };
}

function filterOf(
  profile: Profile,
  info: ProfileInfo,
  { range, threads, processes }: State,
): (begin: number, end: number, thread: number) => boolean {
  const chosen = threads && new Set(threads);
  const ofProcesses = processes && new Set(processes);
  const [from, to] = range ?? [-Infinity, Infinity];
  return (begin, end, thread) =>
    !(end < from || begin > to) &&
    (range === null || !Number.isNaN(begin)) &&
    (chosen === null || thread < 0 || chosen.has(thread)) &&
    (ofProcesses === null || thread < 0 || ofProcesses.has(info.threads[thread]?.process ?? -1)) &&
    thread < profile.threads.label.length;
}
