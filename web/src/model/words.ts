// SPDX-License-Identifier: Apache-2.0
// Words, levels and constants of the C++ side (src/viewer/page_words.h). They travel with the page's data, so that the
// page says what the program says; the page adds only words for what exists here alone.

export interface Words {
  stack_ends: { class: 'complete' | 'truncated' | 'broken' | 'unknown'; advice: string }[]; // by number of the end
  modes: { kernel: boolean }[]; // by number of the mode
  kinds: { name: string; apart: boolean }[]; // apart: namesakes of this kind are other functions
  frame_kinds: number[][]; // rows of kinds, by mode and flags of a frame
  inlined: number; // the flag of a frame
  stitched: string; // how frames were found that come from another sample
  verdicts: { none: string; less: string; more: string; smaller: string; larger: string };
  level: number; // evidence is what chance gives less often than this
  confidence: string; // of intervals: "95 %"
  deviate: number; // half the width of such an interval, in standard errors
  least_samples: number; // rows with fewer are not judged
}

// Labels that are not frames of the profile: what collapse-library leaves, and the roots of threads.
const PAGE_KINDS = ['library', 'thread'] as const;
export const kindNames = ({ kinds }: Words): string[] => [...kinds.map(({ name }) => name), ...PAGE_KINDS];
export const pageKind = ({ kinds }: Words, kind: (typeof PAGE_KINDS)[number]): number =>
  kinds.length + PAGE_KINDS.indexOf(kind);

export const isKernel = ({ modes }: Words, mode: number): boolean => modes[mode]?.kernel ?? false;
export const frameKind = (words: Words, mode: number, flags: number): number => words.frame_kinds[mode]?.[flags] ?? 0;

// What a change of a cost is called: less, more.
export const changeWords = ({ verdicts }: Words, unit: string): [less: string, more: string] =>
  unit === 'bytes' ? [verdicts.smaller, verdicts.larger] : [verdicts.less, verdicts.more];
