// SPDX-License-Identifier: Apache-2.0
// The model: a profile, and the answers to the questions of interface.ts, computed on demand.
//
// Intermediate results are cached by the part of the state that they depend on: groupings, call paths by transforms and
// grouping, stacks that pass by the filters of stacks. So a new time range costs one pass over its samples and one over
// the paths.
import { annotate, annotatedFunctions } from './annotate.ts';
import { callerTree } from './callers.ts';
import { orderTree, Shape, totalsOf } from './call_tree.ts';
import { chart } from './chart.ts';
import { costsOfRun, diffTable, diffTree } from './diff.ts';
import type { Pair } from './diff.ts';
import { functionTable, lateShareOf } from './functions.ts';
import type { CountedCosts } from './functions.ts';
import * as api from './interface.ts';
import { makeGrouping } from './labels.ts';
import type { Grouping } from './labels.ts';
import { matchLabels } from './match.ts';
import { compile } from './pattern.ts';
import type { Pattern } from './pattern.ts';
import { listMoments, sampleAt } from './moments.ts';
import type { Profile } from './profile.ts';
import { quality } from './quality.ts';
import { sandwich } from './sandwich.ts';
import { nativeCodeFrame, showFrames } from './shown_frames.ts';
import { addRows, countRows, passingStacks, nodesOfRows, rowFilter, rowsOf } from './select.ts';
import type { Costs } from './select.ts';
import { applyTransform, group, hideModules } from './stacks.ts';
import { baseStacks } from './root_levels.ts';
import type { BaseStacks } from './root_levels.ts';
import { spreadOf } from './spread.ts';
import type { Spread } from './spread.ts';
import { timeline } from './timeline.ts';

// A few results by key. A new entry replaces the least recently used one.
class LruCache<T> {
  private readonly entries = new Map<string, T>();
  private readonly capacity: number;
  constructor(capacity: number) {
    this.capacity = capacity;
  }
  get(key: string, make: () => T): T {
    let value = this.entries.get(key);
    if (value === undefined) value = make();
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) this.entries.delete(this.entries.keys().next().value as string);
    return value;
  }
}

interface ShownPaths {
  shape: Shape;
  grouping: Grouping;
  base: BaseStacks;
  end: Int32Array; // by base stack: the node where its samples end, -1 when they are dropped
}

const shapeKey = (state: api.State): string =>
  JSON.stringify([state.levels, state.stacks, state.hiddenModules, state.transforms, state.groupBy]);
const filterKey = (state: api.State): string =>
  JSON.stringify([state.mode, state.modules, state.focus, state.ignore, state.stacks]);

const changesStacks = (state: api.State): boolean =>
  state.transforms.length > 0 || state.hiddenModules.length > 0 || state.levels !== 'none';

// No filter, transform or grouping is set: wick's own reports apply to this.
function isWhole(state: api.State): boolean {
  const { profile, event } = state;
  const start = { ...api.initialState(), profile, event };
  return (Object.keys(start) as (keyof api.State)[]).every(
    (key) => JSON.stringify(state[key]) === JSON.stringify(start[key]),
  );
}

export class Model implements api.Answers {
  readonly profile: Profile;
  private readonly groupings = new LruCache<Grouping>(8);
  private readonly bases = new LruCache<BaseStacks>(2);
  private readonly shapes = new LruCache<ShownPaths>(4);
  private readonly filters = new LruCache<Uint8Array>(4);
  private readonly ends = new LruCache<Int32Array>(4);
  private readonly nodes = new LruCache<Int32Array>(2);
  private readonly spreads = new LruCache<Spread>(2);
  private readonly sums = new LruCache<Costs>(3);
  private readonly isInterpreted: boolean;

  constructor(profile: Profile) {
    this.profile = profile;
    this.isInterpreted = nativeCodeFrame(profile) >= 0;
  }

  grouping(by: api.GroupBy): Grouping {
    return this.groupings.get(by, () => makeGrouping(this.profile, by));
  }

  // Sets which functions have source or assembly.
  markAnnotated(): void {
    if (this.profile.annotations.length === 0) return;
    const { runs } = this.profile;
    runs.forEach((run, i) => (run.info.annotated = annotatedFunctions(this.profile, i, this.grouping('function'))));
  }

  labels(state: api.State): api.Labels {
    return this.grouping(state.groupBy).labels;
  }

  private base(levels: api.Levels): BaseStacks {
    return this.bases.get(levels, () => baseStacks(this.profile, levels));
  }

  private shown(state: api.State): ShownPaths {
    return this.shapes.get(shapeKey(state), () => {
      const base = this.base(state.levels);
      const grouping = this.grouping(state.groupBy);
      let { paths } = base;
      let end: Int32Array | null = null; // null: unchanged so far
      const follow = (step: { paths: typeof paths; end: Int32Array }): void => {
        end = end === null ? step.end : end.map((node) => (node < 0 ? -1 : step.end[node]));
        paths = step.paths;
      };
      if (this.isInterpreted) follow(showFrames(this.profile, paths, state.stacks));
      if (state.hiddenModules.length > 0) follow(hideModules(this.profile, paths, state.hiddenModules));
      for (const transform of state.transforms) {
        follow(applyTransform(this.profile, (by) => this.grouping(by), paths, transform));
      }
      follow(group(paths, grouping));
      const shape = new Shape(paths, grouping.ranks);
      const ends = end as unknown as Int32Array;
      for (let stack = 0; stack < ends.length; ++stack) if (ends[stack] >= 0) ends[stack] = shape.newIndex[ends[stack]];
      return { shape, grouping, base, end: ends };
    });
  }

  private passingStacks(state: api.State): Uint8Array {
    return this.filters.get(filterKey(state), () => passingStacks(this.profile, state));
  }

  // By base stack: the node where its samples end, -1 if filters or transforms drop them.
  private endsOf(state: api.State): Int32Array {
    return this.ends.get(`${shapeKey(state)} ${filterKey(state)}`, () => {
      const { end, base } = this.shown(state);
      const passing = this.passingStacks(state);
      return end.map((node, stack) => (passing[base.origin === null ? stack : base.origin[stack]] !== 0 ? node : -1));
    });
  }

  // By row: the node where its sample ends. All filters apply but the time range.
  private rowNodes(state: api.State): Int32Array {
    return this.nodes.get(JSON.stringify({ ...state, range: null, profile: 0 }), () => {
      const { base } = this.shown(state);
      return nodesOfRows(this.profile, rowFilter(this.profile, state), base.stackOf, this.endsOf(state));
    });
  }

  private costs(state: api.State): Costs {
    return this.sums.get(JSON.stringify(state), () => {
      const { shape, grouping } = this.shown(state);
      const costs = addRows(this.profile, rowsOf(this.profile, state), this.rowNodes(state), shape.paths.size);
      const event = this.profile.runs[state.profile].info.events[state.event]?.name ?? '';
      costs.amount.lateShare = lateShareOf(shape, grouping, costs, event, this.profile.words);
      return costs;
    });
  }

  private countedCosts(state: api.State): CountedCosts {
    const { shape } = this.shown(state);
    const count = countRows(this.profile, rowsOf(this.profile, state), this.rowNodes(state), shape.paths.size);
    return { ...this.costs(state), count };
  }

  amount(state: api.State): api.Amount {
    return this.costs(state).amount;
  }

  callTree(state: api.State, options: api.TreeOptions): api.CallTree {
    const { shape } = this.shown(state);
    const { weight, amount } = this.costs(state);
    if (!options.inverted) return orderTree(shape, weight, totalsOf(shape.paths, weight), amount, options.order).tree;
    let count = 0;
    for (let node = 1; node < weight.length; ++node) count += weight[node] > 0 ? 1 : 0;
    const starts = { node: new Int32Array(count), weight: new Float64Array(count) };
    count = 0;
    for (let node = 1; node < weight.length; ++node) {
      if (weight[node] > 0) {
        starts.node[count] = node;
        starts.weight[count++] = weight[node];
      }
    }
    const minTotal = options.minTotal ?? amount.weight / 4000;
    const tree = callerTree(shape.paths, starts, shape.ranks, amount, {
      order: options.order,
      minTotal,
      within: options.within ?? [],
    });
    tree.total[0] += weight[0]; // empty stacks
    tree.self[0] += weight[0];
    return tree;
  }

  functions(state: api.State): api.FunctionTable {
    const { shape, grouping } = this.shown(state);
    return functionTable(shape, grouping, this.countedCosts(state), this.profile.words);
  }

  breakdown(state: api.State, by: api.BreakdownBy): api.Breakdown {
    if (by === 'module' && !changesStacks(state) && !this.isInterpreted) return this.moduleBreakdown(state);
    if (by === 'module') {
      const ofModules = { ...state, groupBy: 'module' as const };
      const table = this.functions(ofModules);
      const { labels } = this.grouping('module');
      return {
        key: table.func.map((func) => labels.module[func]),
        ids: Array.from(table.func, (func) => [labels.module[func]]),
        label: Array.from(table.func, (func) => labels.name[func]),
        self: table.self,
        total: table.total,
        amount: table.amount,
      };
    }
    return this.sampleBreakdown(state, by);
  }

  // By module, for stacks as recorded, without a tree of modules: the page needs this before its first picture.
  private moduleBreakdown(state: api.State): api.Breakdown {
    const { paths, stackOf } = this.base('none');
    const grouping = this.grouping('module');
    const stacks = this.rowNodes(state).map((node, row) => (node < 0 ? -1 : stackOf[row]));
    const { weight, amount } = addRows(this.profile, rowsOf(this.profile, state), stacks, paths.size);
    const totals = totalsOf(paths, weight);
    const self = new Float64Array(grouping.size);
    const total = new Float64Array(grouping.size);
    const groupAt = (node: number): number => grouping.ofFrame[paths.label[node]];
    for (let node = 1; node < paths.size; ++node) {
      if (totals[node] === 0) continue;
      const group = groupAt(node);
      self[group] += weight[node];
      let above = paths.parent[node];
      while (above > 0 && groupAt(above) !== group) above = paths.parent[above];
      if (above <= 0) total[group] += totals[node];
    }
    self[grouping.empty] = total[grouping.empty] = weight[0];
    const groups = Int32Array.from(total.keys())
      .filter((group) => total[group] > 0)
      .sort((a, b) => self[b] - self[a] || total[b] - total[a] || grouping.ranks[a] - grouping.ranks[b]);
    return {
      key: groups.map((group) => grouping.labels.module[group]),
      ids: Array.from(groups, (group) => [grouping.labels.module[group]]),
      label: Array.from(groups, (group) => grouping.labels.name[group]),
      self: Float64Array.from(groups, (group) => self[group]),
      total: Float64Array.from(groups, (group) => total[group]),
      amount,
    };
  }

  private sampleBreakdown(state: api.State, by: Exclude<api.BreakdownBy, 'module'>): api.Breakdown {
    const { profile } = this;
    const { thread, cpu, weight } = profile.samples;
    const nodes = this.rowNodes(state);
    const { begin, end } = rowsOf(profile, state);
    const sums = new Map<number, number>();
    const keyOf = (row: number): number => {
      if (by === 'thread') return thread[row];
      if (by === 'cpu') return cpu[row];
      if (by === 'process') return thread[row] < 0 ? -1 : profile.threads.process[thread[row]];
      const stack = profile.samples.stack[row];
      return stack === 0 ? 0 : profile.frames.mode[profile.stacks.frame[stack]];
    };
    for (let row = begin; row < end; ++row) {
      if (nodes[row] >= 0) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + weight[row]);
    }
    const labelOf = (key: number): string => {
      if (by === 'mode') return profile.names.modes[key] ?? 'unknown';
      if (key < 0) return '[unknown]';
      return by === 'thread'
        ? profile.threads.label[key]
        : by === 'process'
          ? profile.processes.label[key]
          : String(key);
    };
    // As in `wick report`, ids with one label are one row.
    const byLabel = new Map<string, { ids: number[]; sum: number }>();
    for (const [key, sum] of [...sums].sort(([a], [b]) => a - b)) {
      const label = key < 0 ? '' : labelOf(key); // no thread has this label
      const row = byLabel.get(label);
      byLabel.set(label, { ids: [...(row?.ids ?? []), key], sum: (row?.sum ?? 0) + sum });
    }
    const rows = [...byLabel.values()].sort((a, b) => b.sum - a.sum || a.ids[0] - b.ids[0]);
    const values = Float64Array.from(rows, ({ sum }) => sum);
    return {
      key: Int32Array.from(rows, ({ ids }) => ids[0]),
      ids: rows.map(({ ids }) => ids),
      label: rows.map(({ ids }) => labelOf(ids[0])),
      self: values,
      total: values.slice(),
      amount: this.costs(state).amount,
    };
  }

  sandwich(state: api.State, func: api.FunctionId, options: api.TreeOptions): api.Sandwich {
    return sandwich(this.shown(state).shape, this.costs(state), func, options);
  }

  timeline(state: api.State, options: api.TimelineOptions): api.Timeline {
    return timeline(
      this.profile,
      state,
      this.shown(state).shape.paths,
      this.rowNodes(state),
      this.spread(state),
      options,
    );
  }

  sampleAt(state: api.State, options: api.SampleOptions): api.SampleAt {
    return sampleAt(
      this.profile,
      state,
      this.shown(state).shape.paths,
      this.rowNodes(state),
      this.spread(state),
      options,
    );
  }

  // Without levels: a stack belongs to no thread.
  stackPath(state: api.State, stack: number): api.StackPath {
    const { shape, end } = this.shown({ ...state, levels: 'none' });
    const path: api.FunctionId[] = [];
    for (let node = end[stack] ?? -1; node > 0; node = shape.paths.parent[node]) path.push(shape.paths.label[node]);
    return { path: path.reverse() };
  }

  moments(state: api.State, options: api.MomentOptions): api.MomentList {
    return listMoments(this.profile, state, options);
  }

  private spread({ profile, event }: api.State): Spread {
    return this.spreads.get(`${profile} ${event}`, () => spreadOf(this.profile, profile, event));
  }

  chart(state: api.State, options: api.ChartOptions): api.Chart {
    const { paths } = this.shown(state).shape;
    return chart(this.profile, state, paths, this.rowNodes(state), this.spread(state), options);
  }

  search(state: api.State, pattern: string, ignoreCase: boolean): api.SearchResult {
    const { shape, grouping } = this.shown(state);
    const { weight, amount } = this.costs(state);
    let expression: Pattern;
    try {
      expression = compile(pattern, ignoreCase);
    } catch (error) {
      return {
        error: `This is not a regular expression: ${(error as Error).message}.`,
        matches: new Uint8Array(grouping.size),
        functions: 0,
        weight: 0,
        share: 0,
      };
    }
    const matches = matchLabels(grouping.labels, this.profile.modules.path, expression);
    const { paths } = shape;
    const inside = new Uint8Array(paths.size);
    const used = new Uint8Array(grouping.size);
    let matched = 0;
    for (let node = 1; node < paths.size; ++node) {
      inside[node] = inside[paths.parent[node]] | matches[paths.label[node]];
      if (inside[node] !== 0) matched += weight[node];
    }
    const totals = totalsOf(paths, weight);
    for (let node = 1; node < paths.size; ++node) if (totals[node] > 0) used[paths.label[node]] = 1;
    let functions = 0;
    for (let func = 0; func < matches.length; ++func) functions += matches[func] & used[func];
    return { error: '', matches, functions, weight: matched, share: amount.weight > 0 ? matched / amount.weight : 0 };
  }

  quality(state: api.State): api.Quality {
    return quality(this.profile, state, rowsOf(this.profile, state), this.rowNodes(state));
  }

  annotate(state: api.State, func: api.FunctionId): api.Annotation {
    // By frames, not call paths: transforms that rename or merge frames do not change the cost of a line.
    const { paths: recorded, stackOf } = this.base('none');
    const { paths, end } = this.isInterpreted
      ? showFrames(this.profile, recorded, state.stacks)
      : { paths: recorded, end: null };
    const stacks = this.rowNodes(state).map((node, row) =>
      node < 0 ? -1 : end === null ? stackOf[row] : end[stackOf[row]],
    );
    const { weight } = addRows(this.profile, rowsOf(this.profile, state), stacks, paths.size);
    return annotate(this.profile, state.profile, this.grouping(state.groupBy), paths, weight, func);
  }

  // Both sides of the comparison, each with the cost of one run.
  private pairOf<T extends Costs>(costsOf: (profile: 0 | 1) => T): Pair<T> {
    const [before, after] = ([0, 1] as const).map((profile) =>
      costsOfRun(costsOf(profile), this.profile.runs[profile].info.repeats),
    );
    return { before, after };
  }

  diffTree(state: api.State, options: api.DiffOptions): api.DiffTree {
    const pair = this.pairOf((profile) => this.costs({ ...state, profile }));
    return diffTree(this.shown(state).shape, pair, options);
  }

  diffTable(state: api.State, options: api.DiffOptions): api.DiffTable {
    const { shape, grouping } = this.shown(state);
    const pair = this.pairOf((profile) => this.countedCosts({ ...state, profile }));
    const as = options.normalised ? 'share' : 'run';
    const { scale } = this.profile.runs[0].info.events[state.event] ?? { scale: 1 };
    return diffTable(shape, grouping, pair, options, this.profile.words, scale, (measure) =>
      isWhole(state)
        ? this.profile.reports.find(({ name, event }) => name === `diff ${measure} ${as}` && event === state.event)
        : undefined,
    );
  }

  folded(state: api.State): string {
    const { shape, grouping } = this.shown(state);
    const { weight } = this.costs(state);
    const names = foldedNames(grouping.labels);
    const { paths } = shape;
    const lines: string[] = [];
    const open: number[] = [];
    for (let node = 1; node < paths.size; ++node) {
      while (open.length > 0 && open[open.length - 1] !== paths.parent[node]) open.pop();
      open.push(node);
      if (weight[node] > 0) lines.push(`${open.map((at) => names[paths.label[at]]).join(';')} ${weight[node]}\n`);
    }
    return joined(lines);
  }
}

// Browsers limit a string to about 512 MB.
export function joined(lines: string[], longest = 2 ** 29 - 24): string {
  let length = 0;
  for (const line of lines) length += line.length;
  if (length > longest)
    throw new Error('The folded text is too long for a browser. Write it with: wick convert FILE -o stacks.folded');
  return lines.join('');
}

// A frame as `wick convert` writes it in folded text.
function foldedNames(labels: api.Labels): string[] {
  const marks = ['', '', '_[k]', '_[i]', '_[j]', '_[w]'];
  return labels.name.map(
    (name, func) => name.replace(/;/g, ':').replace(/[\r\n]/g, ' ') + (marks[labels.kind[func]] ?? ''),
  );
}
