// The profile as the worker holds it: wick's own columns (src/profile/profile.h) as typed arrays.
//
// One set of tables; with two runs (before and after) their samples stand one after the other and share the
// tables, so that a stack, a function or a thread has one id in both. Rows of a run are in the order of time.
// Ids that are unknown are -1. Stack 0 is the empty stack; a parent has a smaller id than its children.
import type { ProfileInfo } from './interface.ts';

export interface SourceText {
  file: string;
  firstLine: number;
  lines: string[];
}
export interface CodeText {
  address: string; // of the first instruction, hexadecimal
  instructions: { offset: number; text: string; line: number }[];
}
// What annotate found for one function of a run, by name and module: two builds have two texts.
export interface AnnotationText {
  run: number;
  frameFunction: number; // row of functions
  source: SourceText | null;
  code: CodeText | null;
  note: string; // why there is no code; may be empty
}

// What one of wick's analyses said about a whole event (src/viewer/page_reports.h), by name of section and column.
export interface ReportColumn {
  text: string[]; // one of text and number is empty
  number: Float64Array;
  low: Float64Array; // 95 % interval; empty when there is none
  high: Float64Array;
}
export interface AnalysisReport {
  name: string; // "diff self share"
  event: number;
  notes: string[];
  sections: Record<string, Record<string, ReportColumn>>;
}

export interface Run {
  begin: number; // first sample row
  end: number; // after the last
  info: ProfileInfo;
}

export interface Profile {
  runs: Run[];
  functions: { name: string[]; file: Int32Array; line: Uint32Array };
  files: string[];
  modules: { path: string[]; name: string[] };
  frames: {
    func: Int32Array; // row of functions
    module: Int32Array;
    address: BigUint64Array;
    line: Uint32Array;
    mode: Uint8Array;
    found: Uint8Array;
    flags: Uint8Array;
  };
  stacks: { parent: Int32Array; frame: Int32Array };
  threads: { label: string[]; process: Int32Array };
  processes: { label: string[] };
  samples: {
    time: Float64Array; // since the run's first sample; -1 when unknown
    weight: Float64Array;
    count: Float64Array;
    stack: Int32Array;
    thread: Int32Array;
    event: Uint32Array;
    cpu: Int32Array; // -1 when unknown
    ending: Uint8Array;
  };
  annotations: AnnotationText[];
  reports: AnalysisReport[];
}

// As in src/profile/ids.h.
export const MODE_KERNEL = 2;
export const MODE_HYPERVISOR = 3;
export const MODE_GUEST_KERNEL = 5;
export const MODE_NAMES = ['unknown', 'user', 'kernel', 'hypervisor', 'guest user', 'guest kernel'];
export const FLAG_INLINED = 1;
export const FLAG_JIT = 2;
export const FLAG_WAKER = 4;
export const FOUND_STITCHED = 6;

export const isKernel = (mode: number): boolean =>
  mode === MODE_KERNEL || mode === MODE_GUEST_KERNEL || mode === MODE_HYPERVISOR;

// The part of a path after the last slash; a path that ends in one stays as it is.
export function baseName(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 || slash + 1 === path.length ? path : path.slice(slash + 1);
}

// What to call a frame: the function's name; without one the module and address, "libc.so.6+0x1234".
export function frameName(profile: Profile, frame: number): string {
  const { frames, functions, modules } = profile;
  const func = frames.func[frame];
  if (func >= 0) return functions.name[func] || '[no name]';
  const address = frames.address[frame];
  const module = frames.module[frame];
  if (module < 0 || modules.name[module] === '') return address === 0n ? '[unknown]' : `[0x${address.toString(16)}]`;
  return `${modules.name[module]}+0x${address.toString(16)}`;
}
