// SPDX-License-Identifier: Apache-2.0
// Activity over time, one lane per thread, group of threads, process or CPU. The weight of a sample is spread over the
// time that it represents (spread.ts). Within a lane it is divided into bands (by module, kind or label), and the parts
// of the search's hits and of one function are marked.
//
// Only the heaviest lanes, or those that are asked for, have values: 100,000 threads are ordinary.
import type { ProfileInfo, State, Timeline, TimelineOptions } from './interface.ts';
import type { Paths } from './paths.ts';
import type { Profile } from './profile.ts';
import { rowsOf } from './select.ts';
import type { Spread } from './spread.ts';

const MOST_DETAILED = 400; // lanes with values

interface Lane {
  id: number;
  weight: number; // within the range
  whole: number;
  first: number;
  last: number;
}

// By row: the id of its lane; and one more than the largest id.
export function laneIds(
  profile: Profile,
  info: ProfileInfo,
  lanes: TimelineOptions['lanes'],
): [(row: number) => number, number] {
  const { thread, cpu } = profile.samples;
  switch (lanes) {
    case 'cpu':
      return [(row) => cpu[row], (info.cpus.at(-1) ?? -1) + 1];
    case 'thread':
      return [(row) => thread[row], profile.threads.label.length];
    case 'process':
      return [(row) => (thread[row] < 0 ? -1 : profile.threads.process[thread[row]]), profile.processes.label.length];
    case 'group': {
      const groupOf = Int32Array.from(info.threads, ({ group }) => group);
      return [(row) => (thread[row] < 0 ? -1 : groupOf[thread[row]]), info.threadGroups.length];
    }
  }
}

// By node: 1 if it or a caller of it is chosen.
function insideOf({ size, parent, label }: Paths, isChosen: (func: number) => boolean): Uint8Array {
  const inside = new Uint8Array(size);
  for (let node = 1; node < size; ++node) inside[node] = inside[parent[node]] | (isChosen(label[node]) ? 1 : 0);
  return inside;
}

// By set of labels: the band of its value of a key; the last band if it has none of the listed values.
function bandsOfSets(profile: Profile, key: string, values: string[]): Uint8Array {
  const { labels, labelSets } = profile;
  const bandOf = new Map(values.map((value, band) => [value, band]));
  const bands = new Uint8Array(Math.max(1, labelSets.parent.length)).fill(values.length);
  for (let set = 1; set < bands.length; ++set) {
    const label = labelSets.label[set];
    const own = labels.key[label] === key ? bandOf.get(labels.value[label]) : undefined;
    bands[set] = own ?? bands[labelSets.parent[set]];
  }
  return bands;
}

export function timeline(
  profile: Profile,
  state: State,
  paths: Paths,
  nodeOfRow: Int32Array,
  spread: Spread,
  options: TimelineOptions,
): Timeline {
  const { time, weight, thread, labels: sets } = profile.samples;
  const run = profile.runs[state.profile];
  const [idOf, idCount] = laneIds(profile, run.info, options.lanes);
  const passes = (row: number): boolean => nodeOfRow[row] >= 0 && time[row] >= 0;
  const lanes: Lane[] = [];
  const laneOf = new Int32Array(idCount + 1).fill(-1); // by id + 1: unknown is -1
  const range = rowsOf(profile, state);
  for (let row = run.begin; row < run.end; ++row) {
    if (!passes(row)) continue;
    const id = idOf(row);
    let lane = laneOf[id + 1];
    if (lane < 0) {
      lane = laneOf[id + 1] = lanes.length;
      lanes.push({ id, weight: 0, whole: 0, first: time[row], last: time[row] });
    }
    lanes[lane].whole += weight[row];
    if (row >= range.begin && row < range.end) lanes[lane].weight += weight[row];
    lanes[lane].last = time[row];
  }
  lanes.sort((a, b) => b.weight - a.weight || b.whole - a.whole || a.id - b.id);
  const detail = new Int32Array(lanes.length).fill(-1);
  const wanted = options.only ? new Set(options.only) : null;
  let detailed = 0;
  lanes.forEach(({ id }, lane) => {
    if ((wanted === null || wanted.has(id)) && detailed < MOST_DETAILED) detail[lane] = detailed++;
    laneOf[id + 1] = detail[lane];
  });
  const { buckets, from, to } = options;
  const { bands: bandOfFunc = null, label = null, threads: bandOfThread = null } = options.colours ?? {};
  const bandOfSet = label ? bandsOfSets(profile, label.key, label.values) : null;
  const bands = options.colours?.count ?? 1;
  const hitNodes = options.hits ? insideOf(paths, (func) => options.hits![func] === 1) : null;
  const chosenNodes = (options.chosen ?? -1) >= 0 ? insideOf(paths, (func) => func === options.chosen) : null;
  const sum = new Float32Array(bands * buckets);
  const values = new Float32Array(detailed * bands * buckets);
  const marked = (nodes: Uint8Array | null): { values: Float32Array; sum: Float32Array } | null =>
    nodes && { values: new Float32Array(detailed * buckets), sum: new Float32Array(buckets) };
  const hits = marked(hitNodes);
  const chosen = marked(chosenNodes);
  const width = Math.max((to - from) / buckets, Number.MIN_VALUE);
  for (let row = run.begin; row < run.end; ++row) {
    if (!passes(row)) continue;
    const begin = (spread.begin[row - run.begin] - from) / width;
    const end = (spread.end[row - run.begin] - from) / width;
    if (end < 0 || begin > buckets) continue;
    const node = nodeOfRow[row];
    const band =
      bandOfThread !== null
        ? (bandOfThread[thread[row]] ?? bands - 1)
        : bandOfSet !== null
          ? bandOfSet[sets[row]]
          : bandOfFunc === null
            ? 0
            : node === 0
              ? bands - 1
              : bandOfFunc[paths.label[node]];
    const at = laneOf[idOf(row) + 1];
    const w = weight[row];
    add(sum, band * buckets, buckets, begin, end, w);
    if (at >= 0) add(values, (at * bands + band) * buckets, buckets, begin, end, w);
    if (hits && hitNodes![node]) {
      add(hits.sum, 0, buckets, begin, end, w);
      if (at >= 0) add(hits.values, at * buckets, buckets, begin, end, w);
    }
    if (chosen && chosenNodes![node]) {
      add(chosen.sum, 0, buckets, begin, end, w);
      if (at >= 0) add(chosen.values, at * buckets, buckets, begin, end, w);
    }
  }
  const pick = (value: (lane: Lane) => number): Float64Array => Float64Array.from(lanes, value);
  return {
    from,
    to,
    buckets,
    bands,
    lanes: Int32Array.from(lanes, ({ id }) => id),
    detail,
    weight: pick((lane) => lane.weight),
    first: pick((lane) => lane.first),
    last: pick((lane) => lane.last),
    values,
    sum,
    hits,
    chosen,
  };
}

// Adds a weight to the buckets between `begin` and `end`, which count buckets from the first one.
function add(values: Float32Array, base: number, buckets: number, begin: number, end: number, weight: number): void {
  const length = end - begin;
  if (length <= 0) {
    // The end of the window belongs to the last bucket.
    const bucket = Math.min(Math.floor(end), buckets - 1);
    if (bucket >= 0) values[base + bucket] += weight;
    return;
  }
  const last = Math.min(Math.floor(end), buckets - 1);
  for (let bucket = Math.max(0, Math.floor(begin)); bucket <= last; ++bucket) {
    const part = Math.min(bucket + 1, end) - Math.max(bucket, begin);
    if (part > 0) values[base + bucket] += (weight * part) / length;
  }
}
