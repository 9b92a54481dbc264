// SPDX-License-Identifier: Apache-2.0
// Text for display: names without invisible characters, labels cut to a width, amounts with units.
//
// Names are untrusted. They reach the page only through textContent or a canvas, so markup in them has no effect. But
// some characters change how the text around them looks (controls, bidirectional overrides, invisible ones): visible()
// spells these out. labels.ts cuts names to a width.
import { baseName } from '../model/interface.ts';
import { amountText, scaleOf, thousands, TIME_SCALE } from './amounts.ts';
import type { NameForms } from './label_forms.ts';
import { labelsOf } from './labels.ts';
import { columnsOf } from './text_columns.ts';

export { baseName } from '../model/interface.ts';
export { percentText as percent, thousands } from './amounts.ts';
export { formsOfText } from './label_forms.ts';
export { labelOf, labelsOf, shortLabel } from './labels.ts';
export { cutText } from './text_columns.ts';

// The middle of longer names is replaced by its length.
const LONGEST_NAME = 4096;

const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e0fff}]/gu;

function spellOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

// The name without characters that hide or reorder text, and of limited length.
export function visible(name: string): string {
  let text = name;
  if (text.length > LONGEST_NAME) {
    const left = text.slice(0, LONGEST_NAME - 512),
      right = text.slice(-512);
    text = `${left} \u2026 ${thousands(name.length - LONGEST_NAME)} more characters \u2026 ${right}`;
  }
  return text.replace(HIDDEN, spellOut);
}

// In pixels, of the fixed-width font in tables.
const COLUMN_WIDTH = 7.4;
const FEWEST_COLUMNS = 8;

// The labels of the rows [first, last) of a table, each in its own width; uncut if the width is unknown. `widthOf` is
// the width of a label in a proportional font.
export function rowLabels(
  first: number,
  last: number,
  forms: (row: number) => NameForms,
  width: (row: number) => number,
  widthOf: (row: number, label: string) => number = (_, label) => COLUMN_WIDTH * columnsOf(label),
): (row: number) => string {
  const columnsFor = (row: number, label: string): number =>
      Math.max(FEWEST_COLUMNS, Math.floor((columnsOf(label) * width(row)) / Math.max(1, widthOf(row, label)))),
    rows = Array.from({ length: last - first }, (_, i) => {
      const own = forms(first + i);
      return { forms: own, columns: width(first + i) > 0 ? columnsFor(first + i, own.forms[0]) : Infinity };
    });
  let labels = labelsOf(rows, 'numbered');
  // Of wide letters there is room for fewer.
  const isTooWide = rows.map(
    ({ columns }, i) => columns < Infinity && widthOf(first + i, labels[i]) > width(first + i),
  );
  if (isTooWide.includes(true)) {
    rows.forEach((row, i) => {
      if (isTooWide[i]) row.columns = columnsFor(first + i, labels[i]);
    });
    labels = labelsOf(rows, 'numbered');
  }
  return (row) => labels[row - first] ?? '';
}

// The file name of each path; where two are equal, as many directories as distinguish them.
export function distinctPaths(paths: string[]): string[] {
  const parts = paths.map((path) => path.split('/').filter(Boolean)),
    names = paths.map(baseName);
  for (let depth = 2; ; depth++) {
    const count = new Map<string, Set<string>>();
    names.forEach((name, i) => count.set(name, (count.get(name) ?? new Set()).add(paths[i])));
    const alike = names.flatMap((name, i) => (count.get(name)!.size > 1 && parts[i].length >= depth ? [i] : []));
    if (alike.length === 0) return names;
    for (const i of alike) {
      const more = parts[i].slice(-depth).join('/');
      names[i] = parts[i].length > depth ? `..${more}` : paths[i];
    }
  }
}

// "1.25 s", "1,234 samples", "1 sample", "\u22125 samples".
export function amount(weight: number, unit: string): string {
  if (weight < 0) return '\u2212' + amount(-weight, unit);
  return amountText(weight, unit);
}

// A value over time: "2.76 s", "3.49 IPC", "12,345 requests".
export function valueText(value: number, unit: string): string {
  if (scaleOf(unit)) return amount(value, unit);
  const text = Math.abs(value) >= 1000 ? thousands(value) : String(Number(value.toPrecision(4)));
  return unit === '' ? text : `${text} ${visible(unit)}`;
}

// "1.5 and 2.5 IPC", "1.50 s and 2.50 s".
export const boundsText = (low: number, high: number, unit: string): string =>
  `${valueText(low, scaleOf(unit) ? unit : '')} and ${valueText(high, unit)}`;

// For columns of numbers: with the unit only if it can differ between rows.
export function cellAmount(weight: number, unit: string): string {
  return amount(weight, scaleOf(unit) ? unit : '');
}

// For sentences: "57 %", "4.2 %", "under 1 %".
export function roundPercent(fraction: number): string {
  if (fraction > 0 && fraction < 0.001) return 'under 0.1 %';
  return `${(100 * fraction).toFixed(fraction < 0.0995 ? 1 : 0)} %`;
}

export function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : value < 0 ? `\u2212${text.replace(/^\u2212/, '')}` : text;
}

const timeUnit = (ns: number): readonly [size: number, suffix: string] =>
  TIME_SCALE.find(([size]) => ns >= 2 * size) ?? [1, 'ns'];

// A time or duration, with digits for a window of `span` nanoseconds, in the unit of the `largest` time.
export function clock(ns: number, span: number, largest = span): string {
  const [factor, suffix] = timeUnit(largest);
  const digits = Math.max(0, Math.min(Math.log10(factor), Math.ceil(-Math.log10(span / factor / 400))));
  return `${(ns / factor).toFixed(digits)} ${suffix}`;
}

// A range of time, with the digits that distinguish its ends.
export const rangeText = (from: number, to: number, largest: number, between: ' to ' | ' \u2013 '): string =>
  `${clock(from, to - from, largest)}${between}${clock(to, to - from, largest)}`;

// A round time on an axis, with as many digits as its steps need.
export function tickText(ns: number, step: number, largest: number): string {
  const [factor, suffix] = timeUnit(largest);
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / factor) - 1e-9)));
  return `${(ns / factor).toFixed(digits)} ${suffix}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

// "alpha", "alpha and beta", "alpha, beta and gamma"; "5 hosts" if there are more.
export function listed(names: string[], many: string): string {
  if (names.length < 2) return names.join('');
  return names.length > 3
    ? `${thousands(names.length)} ${many}`
    : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

// A probability in a table; a dash if unknown.
export function chanceText(chance: number): string {
  if (Number.isNaN(chance)) return '\u2013';
  return chance < 0.001 ? '< 0.001' : chance.toFixed(3);
}

// "2 functions are more of the whole than before, 1 is less."
export function verdictCounts(less: number, more: number, [lessWord, moreWord]: [string, string]): string {
  const [first, second] = (
    [
      [more, moreWord],
      [less, lessWord],
    ] as const
  ).filter(([count]) => count > 0);
  if (first === undefined) return 'No function shows evidence of a change in its share.';
  const others = second === undefined ? '' : `, ${plural(second[0], 'is', 'are')} ${second[1]}`;
  return `${plural(first[0], 'function is', 'functions are')} ${first[1]} of the whole than before${others}.`;
}
