// SPDX-License-Identifier: Apache-2.0
// Text of the flame graph SVG's script: labels, weights and shares in words. web/build.mjs compiles it to text.js, the
// first of the files that src/views/svg joins into one script; the other files use these exports.
//
// The rules are those of label.cc and amounts.h beside them.
import { firstColumns } from '../ui/label.ts';

export { columnsOf, cutText, shortLabel } from '../ui/label.ts';

// flamegraph.pl's own rule (perl_form.cc).
export function cutLabel(name: string, columns: number): string {
  const characters = [...name];
  return characters.length <= columns ? name : characters.slice(0, columns - 2).join('') + '..';
}

export const thousands = (value: number): string => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');

const SCALES = new Map<string, [number, string][]>([
  [
    'nanoseconds',
    [
      [1e9, 's'],
      [1e6, 'ms'],
      [1e3, 'us'],
      [1, 'ns'],
    ],
  ],
  [
    'bytes',
    [
      [2 ** 30, 'GiB'],
      [2 ** 20, 'MiB'],
      [2 ** 10, 'KiB'],
      [1, 'B'],
    ],
  ],
]);

export function amountText(weight: number, unit: string): string {
  const scales = SCALES.get(unit);
  if (scales) {
    const [factor, suffix] = scales.find(([size]) => weight >= size) || scales[scales.length - 1];
    const value = weight / factor;
    return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + ' ' + suffix;
  }
  const whole = Number.isInteger(weight) || weight >= 1e6;
  const number = whole ? thousands(weight) : weight < 1 ? String(Number(weight.toPrecision(4))) : weight.toFixed(2);
  return unit ? number + ' ' + unit : number;
}

export function percentText(fraction: number): string {
  if (!(fraction > 0)) return '0 %';
  return fraction < 0.0001 ? 'under 0.01 %' : (100 * fraction).toFixed(2) + ' %';
}

export function wrappedLines(text: string, columns: number): string[] {
  const lines: string[] = [];
  while (text) {
    let line = firstColumns(text, Math.max(1, columns)) || text[0];
    const space = line.lastIndexOf(' ');
    if (line.length < text.length && text[line.length] !== ' ' && space > 0) line = line.slice(0, space);
    lines.push(line);
    text = text.slice(line.length).replace(/^ +/, '');
  }
  return lines;
}
