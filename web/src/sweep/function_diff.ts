// SPDX-License-Identifier: Apache-2.0
// Compares the profiles of two points by function: shares of self, with verdicts as in the viewer's Diff view.
import { judgeInPage } from '../model/judgement.ts';
import type { Words } from '../model/words.ts';
import type { Point } from './data.ts';

export interface FunctionChange {
  name: string;
  before: number | null; // null: among the smallest, which are not in the page
  after: number | null;
  change: number;
  verdict: number; // -1 less, 1 more, 0 no evidence
  chance: number;
}

// A profile lists its largest functions; the self of any other is at most `least_self`.
const selfOf = (point: Point): Map<string, number> =>
  new Map((point.functions ?? []).map(([name, self]) => [name, self]));
const unlisted = (point: Point): number | null => ((point.least_self ?? 0) > 0 ? null : 0);

export function functionDiff(before: Point, after: Point, words: Words): FunctionChange[] {
  const first = selfOf(before),
    second = selfOf(after),
    names = [...new Set([...first.keys(), ...second.keys()])].filter(
      (name) => (first.get(name) ?? 0) > 0 || (second.get(name) ?? 0) > 0,
    );
  const shares = (of: Map<string, number>, point: Point): (number | null)[] =>
    names.map((name) => of.get(name) ?? unlisted(point));
  const one = shares(first, before),
    two = shares(second, after);
  const known = (i: number): boolean => one[i] !== null && two[i] !== null;
  const samples = [before.samples ?? 0, after.samples ?? 0];
  const column = (values: (number | null)[], factor: number): Float64Array =>
    Float64Array.from(values, (value, i) => (known(i) ? value! * factor : 0));
  const judged = judgeInPage(
    {
      before: column(one, 1),
      after: column(two, 1),
      samplesBefore: column(one, samples[0]),
      samplesAfter: column(two, samples[1]),
    },
    [
      { weight: 1, samples: samples[0], effective: samples[0], lateShare: 0 },
      { weight: 1, samples: samples[1], effective: samples[1], lateShare: 0 },
    ],
    true,
    words,
  );
  return names
    .map((name, i): FunctionChange => ({
      name,
      before: one[i],
      after: two[i],
      change: (two[i] ?? 0) - (one[i] ?? 0),
      verdict: known(i) ? judged.verdict[i] : 0,
      chance: known(i) ? judged.chance[i] : NaN,
    }))
    .sort((a, b) => Math.abs(b.verdict) - Math.abs(a.verdict) || Math.abs(b.change) - Math.abs(a.change));
}

// Quotes one word of a shell's command line.
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function diffCommand(directories: [string, string], profiles: [string, string]): string {
  const words = profiles.map((profile, i) =>
    shellWord(directories[i] ? `${directories[i].replace(/\/$/, '')}/${profile}` : profile),
  );
  return `wick diff ${words.join(' ')}`;
}
