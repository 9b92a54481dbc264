// SPDX-License-Identifier: Apache-2.0
// Words, levels and constants of the C++ side (src/viewer/page_words.h). They are a part of the page's data, so
// the page uses the words of the program. The page adds only words for what exists in the page only.

export type ChangeWords = [less: string, more: string];

// Kernel functions whose samples a timer took late (src/profile/late_samples.h).
export interface LateWords {
  events: string[]; // timers
  functions: Record<string, string>; // by name: the code that ran before
  mode: number; // of frames
  mark: string;
  note: string; // with {share} and {event}
  function_note: string; // with {event} and {ran}
  least_share: number; // less is not marked
}

// Functions of interpreted programs (src/profile/interpreted_samples.h).
export interface InterpretedWords {
  native_code: string; // the name of the frame for stacks without functions
  missing: number; // the origin of frames that stand for unknown callers
  evaluator: number; // the flag of an interpreter's evaluator
  evaluator_mark: number; // the mark that it gives its stack
  marks: number[]; // the mark of a frame, by origin; 0: an interpreter has not reported it
  placed: number; // the marks of functions that are in their place between native frames
  states: { name: string; reason: string; advice: string }[]; // of samples
  state_of: [incomplete: number, complete: number][]; // by the marks of the stack
}

export interface Words {
  stack_ends: {
    class: 'complete' | 'truncated' | 'broken' | 'unknown';
    advice: string;
  }[]; // by number of the end
  origin_meanings: string[]; // how frames were found, by number of the origin; may be empty
  modes: { kernel: boolean }[]; // by number of the mode
  kinds: { name: string; apart: boolean }[]; // apart: a separate function, even if another kind has the same name
  frame_kinds: number[][]; // rows of kinds, by mode and flags of a frame
  language_kinds: number[]; // rows of kinds, by language of a frame; 0: as its mode and flags say
  interpreted: InterpretedWords;
  inlined: number; // the flag of a frame
  stitched: string; // the origin of frames that are from another sample
  late: LateWords;
  verdicts: { none: string; time: ChangeWords; size: ChangeWords; share: ChangeWords };
  whole: { text: string; same: string; less: string; more: string; chance: string }; // how the cost of everything changed
  level: number; // a smaller probability is evidence
  confidence: string; // of intervals: "95 %"
  deviate: number; // half the width of such an interval, in standard errors
  least_samples: number; // rows with fewer are not compared
}

// Labels that are not frames of the profile: collapsed libraries, and processes and threads as roots of stacks.
const PAGE_KINDS = ['library', 'process', 'thread'] as const;
export const kindNames = ({ kinds }: Words): string[] => [...kinds.map(({ name }) => name), ...PAGE_KINDS];
export const pageKind = ({ kinds }: Words, kind: (typeof PAGE_KINDS)[number]): number =>
  kinds.length + PAGE_KINDS.indexOf(kind);

export const isKernel = ({ modes }: Words, mode: number): boolean => modes[mode]?.kernel ?? false;
export const frameKind = (words: Words, mode: number, flags: number, language: number): number =>
  words.language_kinds[language] || (words.frame_kinds[mode]?.[flags] ?? 0);

// The words for a change of a share of the whole, or of a cost.
export const changeWords = ({ verdicts }: Words, unit: string, ofShares: boolean): ChangeWords =>
  ofShares ? verdicts.share : unit === 'bytes' ? verdicts.size : verdicts.time;

// "After costs 25.0 % less: 800 samples before, 600 samples after."
export function wholeText({ whole }: Words, before: number, after: number, amount: (weight: number) => string): string {
  const ratio = before > 0 ? after / before - 1 : 0,
    percent = (100 * Math.abs(ratio)).toFixed(1);
  const [text, gaps] =
    after === before
      ? [whole.same, ['After', amount(after)]]
      : [whole.text, ['After', percent, ratio < 0 ? whole.less : whole.more, amount(before), amount(after)]];
  return `${text.replaceAll('{}', () => gaps.shift() ?? '')}.`;
}

const withoutModifiers = (event: string): string => event.replace(/[:/].*/s, '');
export const isTimer = ({ late }: Words, event: string): boolean => late.events.includes(withoutModifiers(event));
// The code that ran before the function, or undefined if its samples are not late.
export function ranBefore({ late }: Words, name: string): string | undefined {
  const plain = name.replace(/\..*/s, '');
  return Object.hasOwn(late.functions, plain) ? late.functions[plain] : undefined;
}
export const lateNote = ({ late }: Words, event: string, share: number): string =>
  late.note.replace('{share}', `${(100 * share).toFixed(0)} %`).replace('{event}', withoutModifiers(event));
export const lateFunctionNote = ({ late }: Words, event: string, ran: string): string =>
  late.function_note.replace('{event}', withoutModifiers(event)).replace('{ran}', ran);
