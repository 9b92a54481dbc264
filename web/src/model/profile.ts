// SPDX-License-Identifier: Apache-2.0
// The profile in the worker: wick's own columns (src/profile/profile.h) as typed arrays; tables.ts lists them.
//
// There is one set of tables. The samples of two runs (before and after) follow one another and share the tables, so a
// stack, a function or a thread has one id in both. Rows of a run are in time order. Unknown ids are -1. Stack 0 is the
// empty stack; a parent has a smaller id than its children.
import type { Columns } from './columns.ts';
import type { ProfileInfo } from './interface.ts';
import type {
  Code,
  EnumNames,
  LabelColumns,
  LabelSetColumns,
  ModuleColumns,
  SampleColumns,
  StackColumns,
} from './tables.ts';
import type { Words } from './words.ts';

export interface SourceText {
  file: string;
  firstLine: number;
  lines: string[];
}
export interface CodeText {
  address: string; // of the first instruction, hexadecimal
  instructions: { offset: number; text: string; line: number }[];
}
// The text of one function of a run. Two builds have two texts.
export interface AnnotationText {
  run: number;
  frameFunction: number; // row of functions
  source: SourceText | null;
  code: CodeText | null;
  note: string; // why there is no code; may be empty
}

// A report of one of wick's analyses for a whole event (src/viewer/page_reports.h), by name of section and column.
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
  columns: Columns; // all columns of the page, by name
  functions: Code['functions'];
  files: string[];
  ladders: string[];
  modules: ModuleColumns;
  frames: Code['frames'];
  stacks: StackColumns;
  threads: { label: string[]; process: Int32Array };
  processes: { label: string[] };
  labels: LabelColumns;
  labelSets: LabelSetColumns;
  names: EnumNames;
  words: Words;
  advice: Map<string, string>; // about ends of stacks, by adviceKey; instead of that in the words
  samples: SampleColumns;
  annotations: AnnotationText[];
  reports: AnalysisReport[];
}

// The name of a frame: its function's, else its module and address, "libc.so.6+0x1234".
export function frameName(profile: Profile, frame: number): string {
  const { frames, functions, modules } = profile;
  const func = frames.func[frame];
  if (func >= 0) return functions.name[func] || '[no name]';
  const address = frames.address[frame];
  const module = frames.module[frame];
  if (module < 0 || modules.name[module] === '') return address === 0n ? '[unknown]' : `[0x${address.toString(16)}]`;
  return `${modules.name[module]}+0x${address.toString(16)}`;
}
