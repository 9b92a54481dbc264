// SPDX-License-Identifier: Apache-2.0
// What the user interface knows of the model: the words, the state, and the questions it can ask.
//
// The model lives in a worker (worker.ts) and owns the profile's columns. The page (ui/) holds one State; every
// question takes it, so that all views answer for the same samples. Answers are columns: typed arrays of equal
// length, one row a node or function, never an object a row. They are handed over, not copied: the page owns
// what it gets.
//
// Weights are raw: divide by the event's `scale` to get its `unit`. Times are nanoseconds since the first sample.
// Names are foreign text: put them into the page as text, never as markup.
import type {
  EventRow,
  LossMomentColumns,
  MarkInfo,
  ModuleColumns,
  PointColumns,
  ProcessInfo,
  RowOf,
  SeriesInfo,
  SourceInfo,
  SpanColumns,
  ThreadRow,
} from './tables.ts';
import type { Words } from './words.ts';

export type { Words } from './words.ts';
export type FunctionId = number; // row of Labels
export type ModuleId = number; // row of ProfileInfo.modules
export type ThreadId = number; // row of ProfileInfo.threads
export type ProcessId = number; // row of ProfileInfo.processes

// ---- What was loaded ---------------------------------------------------------------------------------------

// Rows of the profile's tables have the columns that tables.ts reads.
export type { LossMomentColumns, MarkInfo, ProcessInfo, SourceInfo, SpanColumns } from './tables.ts';
export type ModuleInfo = RowOf<ModuleColumns>;
export interface EventInfo extends EventRow {
  weight: number; // of all its samples
  samples: number;
}
export interface ThreadInfo extends ThreadRow {
  group: number; // row of threadGroups
}
// Threads whose names differ in numbers only: "worker-#" for worker-1 and worker-2.
export interface ThreadGroup {
  label: string;
  threads: ThreadId[];
}
export interface LossInfo {
  reason: string;
  what: string; // "samples", "lines"
  detail: string; // the first occurrence, may be empty
  count: number; // 0: unknown
  dataLoss: boolean; // false: nothing is missing, but the reader should know
}
// Something known about samples, spans or marks.
export interface LabelInfo {
  key: string;
  value: string; // "17 bytes"
}
// A quantity over time, with its points.
export interface CounterInfo extends SeriesInfo, PointColumns {
  label: string; // "heap", "heap of worker 7", "temperature of CPU 3 (host)"
}
// Piecewise linear: at time[i] the second clock said value[i]. Both rise.
export interface SecondClock {
  time: Float64Array;
  value: Float64Array;
}

export interface ProfileInfo {
  title: string; // the file's name, or what the user called it
  facts: { key: string; value: string }[]; // command, host, format ...
  losses: LossInfo[];
  notes: string[]; // whole sentences
  events: EventInfo[];
  modules: ModuleInfo[];
  sources: SourceInfo[];
  hosts: string[]; // the machines that were recorded, without guests; empty when unknown
  processes: ProcessInfo[];
  threads: ThreadInfo[];
  threadGroups: ThreadGroup[];
  ownThreads: ThreadId[]; // that have samples in this profile; tables are shared by both of a comparison
  ownProcesses: ProcessId[];
  labelKeys: string[]; // of the labels that samples have
  labels: LabelInfo[]; // these labels; where there are very many, the first
  cpus: number[]; // that samples name, rising; empty when unknown
  samples: number; // of all events
  rows: number; // sample rows; several samples may share one
  stacks: number; // nodes of the stack tree
  hasTime: boolean; // else no timeline, no chart, no range
  hasThreads: boolean;
  hasModules: boolean;
  hasModes: boolean; // user and kernel are told apart
  hasLines: boolean;
  hasAddresses: boolean;
  startTime: number; // of the first sample on the recorder's clock, ns (for people; not exact)
  duration: number; // ns from the first sample to the last
  marks: MarkInfo[];
  counters: CounterInfo[];
  lossMoments: LossMomentColumns; // in the order of time
  spans: SpanColumns;
  secondClock: SecondClock | null; // from marks that carry a value
  annotated: FunctionId[]; // functions that have source or assembly text (by 'function')
}

// What a page holds: one profile, or before and after.
export interface Loaded {
  profiles: ProfileInfo[];
  words: Words;
}

// The page cannot be shown; `message` is a sentence for the reader with the next step.
export class LoadError extends Error {}

// Regular expressions that took too long and were stopped.
export class SlowPattern extends LoadError {
  readonly patterns: string[];
  constructor(patterns: string[]) {
    super(
      `The expression ${patterns.join(' or ')} took too long and was stopped. Nested repeats, such as (a+)+, try ` +
        'every way to split a name: avoid them.',
    );
    this.patterns = patterns;
  }
}

// ---- Labels ------------------------------------------------------------------------------------------------

export type GroupBy = 'function' | 'module' | 'file' | 'line';

// What a FunctionId of results is called. Rows depend on State.groupBy; after the groups themselves come one row
// a module ('library': what collapse-library leaves), one row a thread ('thread') and at last "[empty stack]".
export interface Labels {
  name: string[];
  module: Int32Array; // ModuleId or -1
  kind: Uint8Array; // into kinds
  kinds: string[]; // '' for what is not known
  file: Int32Array; // into files, -1 when unknown
  line: Uint32Array; // where it is declared, 0 when unknown
  files: string[];
}

// ---- State -------------------------------------------------------------------------------------------------

// Firefox's transforms by their names. `by` says which grouping the ids belong to (the state's when it was made).
// Applied in order, each on the stacks that the one before left. A path goes from the root of the tree as shown
// (from the leaf when `inverted`).
export type Transform =
  | { type: 'merge-function'; by: GroupBy; func: FunctionId } // its frames are removed; callers get the cost
  | { type: 'merge-node'; by: GroupBy; path: FunctionId[]; inverted: boolean } // only this call path's frame vanishes
  | { type: 'focus-function'; by: GroupBy; func: FunctionId } // stacks start at its outermost frame; others go
  | { type: 'focus-self'; by: GroupBy; func: FunctionId } // only samples in the function itself
  | { type: 'focus-subtree'; by: GroupBy; path: FunctionId[]; inverted: boolean } // below this call path only
  | { type: 'focus-module'; module: ModuleId } // ("category") only frames of the module stay
  | { type: 'drop-function'; by: GroupBy; func: FunctionId } // samples that contain it go
  | { type: 'collapse-function'; by: GroupBy; func: FunctionId } // what it calls becomes its own cost
  | { type: 'collapse-subtree'; by: GroupBy; path: FunctionId[] } // the same below one call path only
  | { type: 'collapse-library'; module: ModuleId } // runs of the module's frames become one
  | { type: 'collapse-recursion'; by: GroupBy; func: FunctionId } // from the first to the last call: one frame
  | { type: 'collapse-direct-recursion'; by: GroupBy; func: FunctionId }; // f calls f: one frame

// Some label of a sample has this key and a value in which the regular expression matches, as with --label KEY=PATTERN.
export interface LabelFilter {
  key: string;
  pattern: string;
}

export interface State {
  profile: 0 | 1; // which of two; the diff shows both
  event: number;
  threads: ThreadId[] | null; // null: all
  processes: ProcessId[] | null;
  cpus: number[] | null;
  mode: '' | 'user' | 'kernel'; // of the leaf
  labels: LabelFilter[]; // a label matches each of them
  range: [number, number] | null; // both ends included
  modules: ModuleId[] | null; // keep samples with a frame in one of them
  hiddenModules: ModuleId[]; // their frames vanish from all stacks
  focus: string[]; // regular expressions over function name, file and module path: a match of each is in the stack
  ignore: string[]; // ... and none of these
  groupBy: GroupBy;
  byThread: boolean; // threads become the roots of stacks
  transforms: Transform[];
}

export function initialState(): State {
  return {
    profile: 0,
    event: 0,
    threads: null,
    processes: null,
    cpus: null,
    mode: '',
    labels: [],
    range: null,
    modules: null,
    hiddenModules: [],
    focus: [],
    ignore: [],
    groupBy: 'function',
    byThread: false,
    transforms: [],
  };
}

// ---- Answers -----------------------------------------------------------------------------------------------

// What the samples that pass the filters amount to.
export interface Amount {
  weight: number;
  samples: number;
  effective: number; // equally weighted samples that would be as sure; 0: unknown, no intervals
}

// Nodes in the order in which they are drawn, depth first: node 0 is everything, a parent precedes its children,
// the descendants of n are n+1 .. end[n]-1. No node weighs nothing.
export interface CallTree {
  size: number;
  parent: Int32Array; // -1 for node 0
  end: Int32Array;
  depth: Int32Array; // 0 for node 0
  func: Int32Array; // FunctionId; -1 for node 0
  left: Float64Array; // left edge, as a weight: 0 .. total[0]
  self: Float64Array;
  total: Float64Array;
  maxDepth: number;
  amount: Amount;
  // Inverted trees and callers stop where they get too small to be seen (TreeOptions.minTotal): nodes with `cut`
  // set would have children. Ask again with `within` to look into one.
  cut: Uint8Array | null;
}

export interface TreeOptions {
  order: 'weight' | 'name'; // of siblings, from left to right
  inverted: boolean;
  minTotal?: number; // only for inverted: do not split what weighs less (default: a 4000th)
  within?: FunctionId[]; // only for inverted: the path that is split regardless (its subtree with minTotal of it)
}

// Heaviest self first, then total, then name, as `wick report` has it.
export interface FunctionTable {
  func: Int32Array;
  self: Float64Array;
  total: Float64Array;
  selfSamples: Float64Array;
  totalSamples: Float64Array;
  selfLow: Float64Array; // 95 % interval of the share; empty when there is none
  selfHigh: Float64Array;
  totalLow: Float64Array;
  totalHigh: Float64Array;
  amount: Amount;
}

export type BreakdownBy = 'module' | 'thread' | 'process' | 'cpu' | 'mode';
// Rows by something else than functions. `self` equals `total` for thread, process and cpu.
export interface Breakdown {
  key: Int32Array; // id of the module, thread ..., or -1
  label: string[];
  self: Float64Array;
  total: Float64Array;
  amount: Amount;
}

// Node 0 of both trees is the function. Callers: depth 1 calls it, depth 2 calls that one.
export interface Sandwich {
  func: FunctionId;
  self: number;
  total: number;
  amount: Amount; // of the whole selection, for shares
  callers: CallTree;
  callees: CallTree;
}

// Activity over time: weight of lane l in bucket b is values[l * buckets + b]. All filters apply, the time range to
// `weight` alone: the picture shows what is around it.
export interface Timeline {
  from: number;
  to: number;
  buckets: number;
  lanes: Int32Array; // ThreadId or CPU number, the heaviest first; -1: unknown
  weight: Float64Array; // by lane, within the range
  first: Float64Array; // time of its first and last sample
  last: Float64Array;
  values: Float32Array;
  sum: Float32Array; // over all lanes, by bucket
}
export interface TimelineOptions {
  lanes: 'thread' | 'cpu';
  from: number;
  to: number;
  buckets: number;
}

// The time-order chart of one thread (or CPU): step i shows the stack of node[i] from begin[i] to end[i]; steps
// do not overlap and rise in time. Neighbours that share ancestors are one call to the eye. Millions of steps are
// ordinary: draw by pixel column (find the step of a column by binary search, walk its ancestors), not by frame.
export interface Chart {
  begin: Float64Array;
  end: Float64Array;
  node: Int32Array; // of the tree below
  parent: Int32Array; // -1 for node 0; a parent precedes its children
  depth: Int32Array;
  func: Int32Array;
  maxDepth: number;
  byTime: boolean; // false: the profile has no time, x is the weight in input order
}
export interface ChartOptions {
  lane: 'thread' | 'cpu';
  id: number; // ThreadId or CPU; -1 for samples that name none
}

export interface SearchResult {
  error: string; // why the expression is none, else empty
  matches: Uint8Array; // 1 for each FunctionId that matches
  functions: number; // how many
  weight: number; // of samples with a match anywhere in their stack
  share: number;
}

// The same table as `wick quality`.
export interface Quality {
  complete: number;
  truncated: number;
  broken: number;
  unknown: number;
  lost: number;
  stitched: number;
  modules: { module: string; samples: number; complete: number; truncated: number; broken: number; unknown: number }[];
  reasons: { module: string; samples: number; reason: string; fix: string }[];
  // Share of samples whose own frame has no name, by module, heaviest first.
  unnamed: { module: string; samples: number }[];
}

export interface AnnotatedLine {
  line: number; // 0: unknown
  text: string;
  self: number;
  total: number;
}
export interface AnnotatedInstruction {
  address: number;
  text: string;
  self: number;
  line: number; // 0: unknown
}
export interface Annotation {
  func: FunctionId;
  file: string; // empty when unknown
  source: AnnotatedLine[]; // with text where the page carries it, else only lines that cost
  assembly: AnnotatedInstruction[];
  hasSource: boolean; // text is there
  hasAssembly: boolean;
  note: string; // what is missing and what would help; may be empty
}

// The union of both trees. `total`, `self` and `left` are what is drawn (DiffOptions.width).
export interface DiffTree extends CallTree {
  selfBefore: Float64Array;
  selfAfter: Float64Array;
  totalBefore: Float64Array;
  totalAfter: Float64Array;
  amountBefore: Amount;
  amountAfter: Amount;
}
export interface DiffOptions {
  order: 'weight' | 'name';
  inverted: boolean;
  width: 'larger' | 'before' | 'after';
  normalised: boolean; // `before` is scaled so that both runs weigh the same
}
// How sure the changes of a table are; rows as in the table. By `wick diff` itself where nothing is filtered or
// transformed, else by the page, which takes samples as independent.
export interface Judgement {
  byWick: boolean;
  chance: Float64Array; // that such a change comes by accident, corrected for all rows; NaN: too few samples to judge
  verdict: Int8Array; // -1: less than before, 1: more, 0: no evidence
  low: Float64Array; // 95 % interval of the change: a share when normalised, else in the event's unit; NaN: not known
  high: Float64Array;
  detectable: Float64Array; // the relative change that would have been found four times in five; NaN: not known
  rank: Int32Array; // place of a row in `wick diff --sort evidence`
  whole: number; // verdict on everything together, NaN when it was not judged
  notes: string[]; // whole sentences
}
// Largest change first. Values of `before` are scaled when normalised.
export interface DiffTable {
  func: Int32Array; // in the labels of the diff: labels(state) of both profiles together
  selfBefore: Float64Array;
  selfAfter: Float64Array;
  totalBefore: Float64Array;
  totalAfter: Float64Array;
  self: Judgement;
  total: Judgement;
  amountBefore: Amount;
  amountAfter: Amount;
}

// ---- Questions ---------------------------------------------------------------------------------------------

// Each answers null when a newer call of the same method came before it was begun: a brush asks far more often
// than it can be answered, and only the last answer counts. Errors reject with a sentence.
export interface Engine {
  readonly loaded: Loaded;
  // Of the state's grouping and profile; with two profiles ids mean the same in both, and in the diff. Kept on
  // the page's side, so asking again is free.
  labels(state: State): Promise<Labels>;
  amount(state: State): Promise<Amount | null>;
  callTree(state: State, options: TreeOptions): Promise<CallTree | null>;
  functions(state: State): Promise<FunctionTable | null>;
  breakdown(state: State, by: BreakdownBy): Promise<Breakdown | null>;
  sandwich(state: State, func: FunctionId, options: TreeOptions): Promise<Sandwich | null>;
  timeline(state: State, options: TimelineOptions): Promise<Timeline | null>;
  chart(state: State, options: ChartOptions): Promise<Chart | null>;
  search(state: State, pattern: string, ignoreCase: boolean): Promise<SearchResult | null>;
  quality(state: State): Promise<Quality | null>;
  annotate(state: State, func: FunctionId): Promise<Annotation | null>;
  diffTree(state: State, options: DiffOptions): Promise<DiffTree | null>;
  diffTable(state: State, options: DiffOptions): Promise<DiffTable | null>;
  // Folded lines of the tree as shown (after filters and transforms), as `wick convert --to folded` spells them.
  folded(state: State): Promise<string | null>;
}

// The same questions as the model answers them in the worker: at once, and always.
export type Method = Exclude<keyof Engine, 'loaded'>;
export type Arguments = { [M in Method]: Parameters<Engine[M]> };
export type Results = { [M in Method]: NonNullable<Awaited<ReturnType<Engine[M]>>> };
export type Answers = { [M in Method]: (...args: Arguments[M]) => Results[M] };
