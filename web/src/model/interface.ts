// SPDX-License-Identifier: Apache-2.0
// The interface between the page and the model: the data that is loaded, the state, the questions and their answers.
//
// The model runs in a worker (worker.ts) and owns the profile's columns. The page (ui/) has one State, and every
// question takes it, so all views show the same samples. Answers are columns: typed arrays of equal length with one
// element per node or function, never one object per row. They are transferred, not copied: the page owns them.
//
// Weights are raw: divide by the event's `scale` to get its `unit`. Times are nanoseconds since the first sample.
// Names are untrusted: put them into the page as text, never as markup.
import type {
  EventRow,
  LossMomentColumns,
  MarkColumns,
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

// ---- The loaded data ---------------------------------------------------------------------------------------

// Rows of the profile's tables have the columns that tables.ts reads.
export type { LossMomentColumns, MarkColumns, MarkInfo, ProcessInfo, SourceInfo, SpanColumns } from './tables.ts';
export { baseName, markAt, SPAN_STATES } from './tables.ts';
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
  dataLoss: boolean; // false: no data is missing; this is a notice
}
// A label of samples, spans or marks.
export interface LabelInfo {
  key: string;
  value: string; // "17 bytes"
}
// A quantity over time, with its points.
export interface CounterInfo extends SeriesInfo, PointColumns {
  label: string; // "heap", "heap of worker 7", "temperature of CPU 3 (host)"
}
// Piecewise linear: at time[i] the second clock showed value[i]. Both increase.
export interface SecondClock {
  time: Float64Array;
  value: Float64Array;
}

// Tracks of a report of wick (tracks.ts): what wick knows and the page cannot compute. Times as everywhere.
export interface ReportLine {
  name: string;
  unit: string;
  time: Float64Array; // increasing; a value holds to the next time
  value: Float64Array; // NaN: unknown
  low: Float64Array; // bounds; empty when there are none
  high: Float64Array;
}
export interface ReportGaps {
  begin: Float64Array;
  end: Float64Array;
  reason: string[];
}
// In the order of begin; those of one depth do not overlap.
export interface ReportSpans {
  begin: Float64Array;
  end: Float64Array;
  depth: Int32Array;
  state: Uint8Array; // into SPAN_STATES
  name: Int32Array; // into names
  names: string[];
  kind: Int32Array; // into kinds
  kinds: string[];
  frame: Int32Array; // innermost, into ReportTracks.frames; -1: unknown
}
export interface ReportTrack {
  title: string;
  level: number;
  kind: string; // which of the next three has rows: "series", "spans", "marks"
  lines: ReportLine[];
  spans: ReportSpans;
  marks: { time: Float64Array; name: string[]; value: Float64Array; unit: string };
  gaps: ReportGaps;
}
export interface ReportArrows {
  from: Int32Array; // tracks
  to: Int32Array;
  begin: Float64Array;
  end: Float64Array;
  name: string[];
  frame: Int32Array;
}
export interface ReportTracks {
  tracks: ReportTrack[];
  arrows: ReportArrows;
  frames: { name: string[]; parent: Int32Array }; // -1: outermost
}

export interface ProfileInfo {
  title: string; // the user's title, or the name of the file
  repeats: number; // how many runs of the program it adds up: more than one only on a side of a comparison
  facts: { key: string; value: string }[]; // command, host, format ...
  losses: LossInfo[];
  notes: string[]; // whole sentences
  cautions: string[]; // of all profiles of the page, to read before the numbers
  events: EventInfo[];
  modules: ModuleInfo[];
  sources: SourceInfo[];
  hosts: string[]; // the machines that were recorded, without guests; empty when unknown
  processes: ProcessInfo[];
  threads: ThreadInfo[];
  threadGroups: ThreadGroup[];
  ownThreads: ThreadId[]; // those with samples in this profile; two compared profiles share their tables
  ownProcesses: ProcessId[];
  labelKeys: string[]; // of the labels of samples
  labels: LabelInfo[]; // these labels; only the first of very many
  cpus: number[]; // of the samples, ascending; empty when unknown
  samples: number; // of all events
  rows: number; // sample rows; one row may represent several samples
  stacks: number; // nodes of the stack tree
  hasTime: boolean; // if false: no timeline, no chart, no range
  hasThreads: boolean;
  hasModules: boolean;
  isInterpreted: boolean; // some stacks have functions of an interpreted program
  hasModes: boolean; // frames say whether they are user or kernel code
  hasLines: boolean;
  hasAddresses: boolean;
  startTime: number; // of the first sample on the recorder's clock, ns (for display; not exact)
  duration: number; // ns from the first sample to the end of what the last one represents
  marks: MarkColumns;
  counters: CounterInfo[];
  lossMoments: LossMomentColumns; // in the order of time
  spans: SpanColumns;
  secondClock: SecondClock | null; // from marks that have a value
  tracks: ReportTracks[]; // of reports
  annotated: FunctionId[]; // functions that have source or assembly text (by 'function')
}

// The profiles of a page: one, or before and after.
export interface Loaded {
  profiles: ProfileInfo[];
  words: Words;
}

// The page cannot be shown; `message` says why and what to do next.
export class LoadError extends Error {}

// Regular expressions that the page stopped because they took too long.
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

// The names of FunctionIds. Rows depend on State.groupBy. After the groups come one row per module ('library', for
// collapse-library), the roots of State.levels ('process', 'thread') and "[empty stack]".
export interface Labels {
  name: string[];
  ladder: Uint32Array; // into ladders; 0 if the name is not that of a function
  ladders: string[]; // the shorter forms of names (ui/label_forms.ts); the first is empty
  module: Int32Array; // ModuleId or -1
  kind: Uint8Array; // into kinds
  kinds: string[]; // '' when unknown
  file: Int32Array; // into files, -1 when unknown
  line: Uint32Array; // where it is declared, 0 when unknown
  files: string[];
  late: Uint8Array; // 1: kernel functions that turn interrupts on, and their lines
}

// ---- State -------------------------------------------------------------------------------------------------

// The transforms of Firefox Profiler, with its names. `by` is the grouping of the ids: the state's when the transform
// was made. Transforms apply in order, each to the result of the previous one. A path starts at the root of the tree as
// shown (at the leaf if `inverted`).
export type Transform =
  | { type: 'merge-function'; by: GroupBy; func: FunctionId } // its frames are removed; callers get the cost
  | { type: 'merge-node'; by: GroupBy; path: FunctionId[]; inverted: boolean } // removes this call path's frame only
  | { type: 'focus-function'; by: GroupBy; func: FunctionId } // stacks start at its outermost frame; others are dropped
  | { type: 'focus-self'; by: GroupBy; func: FunctionId } // only samples in the function itself
  | { type: 'focus-subtree'; by: GroupBy; path: FunctionId[]; inverted: boolean } // only below this call path
  | { type: 'focus-module'; module: ModuleId } // ("category") only frames of the module remain
  | { type: 'drop-function'; by: GroupBy; func: FunctionId } // drops samples that contain it
  | { type: 'collapse-function'; by: GroupBy; func: FunctionId } // what it calls becomes its own cost
  | { type: 'collapse-subtree'; by: GroupBy; path: FunctionId[] } // the same below one call path only
  | { type: 'collapse-library'; module: ModuleId } // adjacent frames of the module become one
  | { type: 'collapse-recursion'; by: GroupBy; func: FunctionId } // from the first to the last call: one frame
  | { type: 'collapse-direct-recursion'; by: GroupBy; func: FunctionId }; // f calls f: one frame

// Samples pass that have a label with this key and a value that matches the expression, like --label KEY=PATTERN.
export interface LabelFilter {
  key: string;
  pattern: string;
}

// Frames that are not functions, at the root of every stack: the process, or the process and below it the thread, as
// with --by of `wick flame`. Those of one name share a frame.
export type Levels = 'none' | 'process' | 'thread';

// Which frames of interpreted programs the stacks show, as with --stacks.
export type ShownFrames = 'mixed' | 'runtime' | 'native';

export interface State {
  profile: 0 | 1; // of two; the diff shows both
  event: number;
  threads: ThreadId[] | null; // null: all
  processes: ProcessId[] | null;
  cpus: number[] | null;
  mode: '' | 'user' | 'kernel'; // of the leaf
  labels: LabelFilter[]; // samples match each of them
  range: [number, number] | null; // both ends included
  modules: ModuleId[] | null; // keep samples with a frame in one of them
  hiddenModules: ModuleId[]; // their frames are removed from all stacks
  focus: string[]; // regular expressions for function name, file and module path: a stack passes with a match of each
  ignore: string[]; // ... and none of these
  groupBy: GroupBy;
  levels: Levels;
  stacks: ShownFrames;
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
    levels: 'none',
    stacks: 'mixed',
    transforms: [],
  };
}

// ---- Answers -----------------------------------------------------------------------------------------------

// The sums of the samples that pass the filters.
export interface Amount {
  weight: number;
  samples: number;
  effective: number; // number of equally weighted samples with the same confidence; 0: unknown, no intervals
  lateShare: number; // share of functions whose samples a timer took late; 0 if it is too small to matter
}

// Nodes in drawing order, depth first: node 0 is the whole, a parent precedes its children, the descendants of n are
// n+1 .. end[n]-1. Every node has a weight.
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
  // Inverted trees and callers end where nodes are too small to be seen (TreeOptions.minTotal): nodes with `cut` set
  // have more children. To get these, ask again with `within`.
  cut: Uint8Array | null;
}

export interface TreeOptions {
  order: 'weight' | 'name'; // of siblings, from left to right
  inverted: boolean;
  minTotal?: number; // only for inverted: lighter nodes are not split (default: a 4000th)
  within?: FunctionId[]; // only for inverted: the path that is always split (its subtree with minTotal of it)
}

// Sorted by self, then total, both descending, then name, like `wick report`.
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
  late: Uint8Array; // 1: a timer took the samples late
  amount: Amount;
}

export type BreakdownBy = 'module' | 'thread' | 'process' | 'cpu' | 'mode';
// Rows by something other than functions. `self` equals `total` for thread, process and cpu.
export interface Breakdown {
  key: Int32Array; // id of the module, thread ..., or -1
  // All ids of a row: a thread that has executed another program of the same name has one for each.
  ids: number[][];
  label: string[];
  self: Float64Array;
  total: Float64Array;
  amount: Amount;
}

// Node 0 of both trees is the function. Callers: depth 1 calls it, depth 2 calls depth 1.
export interface Sandwich {
  func: FunctionId;
  self: number;
  total: number;
  amount: Amount; // of the whole selection, for shares
  callers: CallTree;
  callees: CallTree;
}

// Activity over time. All filters apply; the time range applies to `weight` only, because the picture also shows the
// time around it. In band c and bucket b, the weight of all lanes is sum[c * buckets + b]. A lane with detail d >= 0 has
// its own: values[(d * bands + c) * buckets + b].
export interface Timeline {
  from: number;
  to: number;
  buckets: number;
  bands: number;
  lanes: Int32Array; // ids of threads, groups of threads or processes, or CPU numbers, heaviest first; -1: unknown
  detail: Int32Array; // by lane; -1: not asked for, or too many
  weight: Float64Array; // by lane, within the range
  first: Float64Array; // time of its first and last sample
  last: Float64Array;
  values: Float32Array;
  sum: Float32Array;
  hits: MarkedActivity | null; // of stacks with a frame of TimelineOptions.hits
  chosen: MarkedActivity | null; // of stacks with TimelineOptions.chosen
}
export interface MarkedActivity {
  values: Float32Array; // [d * buckets + b]
  sum: Float32Array; // by bucket
}
export type Lanes = 'thread' | 'cpu' | 'process' | 'group';
export interface TimelineOptions {
  lanes: Lanes;
  from: number;
  to: number;
  buckets: number;
  only?: number[]; // lanes that need values; default: the heaviest
  colours?: Bands;
  hits?: Uint8Array | undefined; // by FunctionId
  chosen?: FunctionId | undefined;
}
// The division of a lane's activity: by the thread, by the function of the leaf, or by the value of a label.
export interface Bands {
  count: number; // the last band is for all others
  threads?: Uint8Array; // by ThreadId
  bands?: Uint8Array; // by FunctionId
  label?: { key: string; values: string[] };
}

// One sample: the question of a pointer on a drawing over time.
export interface SampleOptions {
  time: number;
  reach: number; // how far away the sample may be, ns
  lanes: Lanes;
  ids: number[] | null; // of these lanes; null: of all
}
export interface SampleAt {
  row: number; // -1: there is none within reach
  time: number;
  thread: ThreadId; // -1: unknown
  cpu: number;
  weight: number;
  samples: number;
  path: FunctionId[]; // as the tree shows it, root first
  labels: string[]; // "key=value"
}

// The frames of a stack of the profile, as the tree shows them, root first.
export interface StackPath {
  path: FunctionId[];
}

// Marks and spans within the time range and of the chosen threads; those of no thread always pass.
export interface MomentOptions {
  search: string; // matches names and kinds; empty: all
  ignoreCase: boolean;
  sort: 'time' | 'duration';
}
export interface MomentList {
  error: string; // why the expression is invalid, else empty
  rows: Int32Array; // of ProfileInfo.marks; after them those of ProfileInfo.spans
  all: number; // without the search
}

// The time-order chart of threads (or CPUs): step i shows the stack of node[i] from begin[i] to end[i]. Lane l of
// ChartOptions.ids has the steps first[l] .. first[l + 1]-1, which do not overlap and are in time order. Adjacent steps
// with common ancestors appear as one call. Millions of steps are ordinary: draw by pixel column (find the step of a
// column by binary search, then its ancestors), not by frame.
export interface Chart {
  begin: Float64Array;
  end: Float64Array;
  node: Int32Array; // in the columns below
  first: Int32Array; // by lane, and the number of steps
  maxDepth: Int32Array; // by lane
  parent: Int32Array; // -1 for node 0; a parent precedes its children
  depth: Int32Array;
  func: Int32Array;
  byTime: boolean; // false: the profile has no time, x is the weight in input order
}
export interface ChartOptions {
  lane: 'thread' | 'cpu';
  ids: number[]; // ThreadIds or CPUs; -1 for samples without one
}

export interface SearchResult {
  error: string; // why the expression is invalid, else empty
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
  origins: { samples: number; origin: string; meaning: string }[]; // how frames were found
  // How far to trust the functions of interpreted programs.
  interpreters: { samples: number; state: string; reason: string; advice: string }[];
  // Samples whose leaf frame has no name, by module, heaviest first.
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
  source: AnnotatedLine[]; // with text if the page has it, else only lines with a cost
  assembly: AnnotatedInstruction[];
  hasSource: boolean; // `source` has text
  hasAssembly: boolean;
  note: string; // what is missing and what to do; may be empty
}

// The union of both trees. `total`, `self` and `left` are for drawing (DiffOptions.width).
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
// The evidence for the changes of a table; rows as in the table. From `wick diff` itself if nothing is filtered or
// transformed, else from the page, which treats samples as independent.
export interface Judgement {
  byWick: boolean;
  chance: Float64Array; // probability of such a change without a cause, corrected for all rows; NaN: too few samples
  verdict: Int8Array; // -1: less than before, 1: more, 0: no evidence
  low: Float64Array; // 95 % interval of the change: a share when normalised, else in the event's unit; NaN: unknown
  high: Float64Array;
  detectable: Float64Array; // the relative change that is detected four times in five; NaN: unknown
  rank: Int32Array; // position of a row in `wick diff --sort evidence`
  whole: number; // verdict on the whole; NaN: not compared
  notes: string[]; // whole sentences
}
// Largest change first. Values of `before` are scaled when normalised. Values of a side with several runs are those of
// one run: the typical ones of `wick diff` if nothing is filtered, else means.
export interface DiffTable {
  func: Int32Array; // rows of labels(state), which are the same for both profiles
  selfBefore: Float64Array;
  selfAfter: Float64Array;
  totalBefore: Float64Array;
  totalAfter: Float64Array;
  self: Judgement;
  total: Judgement;
  amountBefore: Amount;
  amountAfter: Amount;
  costBefore: number; // weight of the run before, never scaled
  costAfter: number;
}

// ---- Questions ---------------------------------------------------------------------------------------------

// A method returns null if a newer call of it arrives before the model starts on it: dragging a range asks far more
// often than the model can answer, and only the last answer counts. Errors reject with a sentence.
export interface Engine {
  readonly loaded: Loaded;
  // Of the state's grouping. Two profiles have the same ids, also in the diff. The page caches the answer.
  labels(state: State): Promise<Labels>;
  amount(state: State): Promise<Amount | null>;
  callTree(state: State, options: TreeOptions): Promise<CallTree | null>;
  functions(state: State): Promise<FunctionTable | null>;
  breakdown(state: State, by: BreakdownBy): Promise<Breakdown | null>;
  sandwich(state: State, func: FunctionId, options: TreeOptions): Promise<Sandwich | null>;
  timeline(state: State, options: TimelineOptions): Promise<Timeline | null>;
  sampleAt(state: State, options: SampleOptions): Promise<SampleAt | null>;
  stackPath(state: State, stack: number): Promise<StackPath | null>;
  moments(state: State, options: MomentOptions): Promise<MomentList | null>;
  chart(state: State, options: ChartOptions): Promise<Chart | null>;
  search(state: State, pattern: string, ignoreCase: boolean): Promise<SearchResult | null>;
  quality(state: State): Promise<Quality | null>;
  annotate(state: State, func: FunctionId): Promise<Annotation | null>;
  diffTree(state: State, options: DiffOptions): Promise<DiffTree | null>;
  diffTable(state: State, options: DiffOptions): Promise<DiffTable | null>;
  // Folded lines of the tree as shown (after filters and transforms), as `wick convert --to folded` spells them.
  folded(state: State): Promise<string | null>;
}

// The same questions in the worker: the model answers synchronously, and always.
export type Method = Exclude<keyof Engine, 'loaded'>;
export type Arguments = { [M in Method]: Parameters<Engine[M]> };
export type Results = { [M in Method]: NonNullable<Awaited<ReturnType<Engine[M]>>> };
export type Answers = { [M in Method]: (...args: Arguments[M]) => Results[M] };
