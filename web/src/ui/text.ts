// SPDX-License-Identifier: Apache-2.0
// Text for display: names without invisible characters, labels cut to a width, amounts with units.
//
// Names are untrusted. They reach the page only through textContent or a canvas, so markup in them has no effect. But
// some characters change how the text around them looks (controls, bidirectional overrides, invisible ones): visible()
// spells these out. label.ts cuts names to a width.
import { shortLabel } from './label.ts';

export { cutText, shortLabel, withoutArguments } from './label.ts';

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

// A name cut to this many pixels; uncut if the width is unknown.
export function fitLabel(name: string, width: number): string {
  return width > 0 ? shortLabel(name, Math.max(8, Math.floor(width / COLUMN_WIDTH))) : name;
}

// The last component of a path.
export function baseName(path: string): string {
  const end = path.lastIndexOf('/');
  return end >= 0 && end + 1 < path.length ? path.slice(end + 1) : path;
}

export const thousands = (value: number): string => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');

const SCALES = new Map<string, [number, string][]>([
  [
    'nanoseconds',
    [
      [1e9, 's'],
      [1e6, 'ms'],
      [1e3, '\u00b5s'],
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

// "1.25 s", "1,234 samples".
export function amount(weight: number, unit: string): string {
  if (weight < 0) return '\u2212' + amount(-weight, unit);
  const scales = SCALES.get(unit);
  if (scales) {
    if (weight === 0) return `0 ${unit === 'bytes' ? 'B' : 's'}`;
    const [factor, suffix] = scales.find(([size]) => weight >= size) ?? scales[scales.length - 1];
    const value = weight / factor;
    return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${suffix}`;
  }
  const whole = Number.isInteger(weight) || weight >= 1e6;
  const number = whole ? thousands(weight) : weight < 1 ? String(Number(weight.toPrecision(4))) : weight.toFixed(2);
  const word = weight === 1 ? unit.replace(/s$/, '') : unit;
  return unit ? `${number} ${word}` : number;
}

// For columns of numbers: with the unit only if it can differ between rows.
export function cellAmount(weight: number, unit: string): string {
  return SCALES.has(unit) ? amount(weight, unit) : amount(weight, '');
}

// "12.34 %"; never rounds a positive share to zero.
export function percent(fraction: number): string {
  if (!(fraction > 0)) return '0 %';
  return fraction < 0.0001 ? 'under 0.01 %' : `${(100 * fraction).toFixed(2)} %`;
}

// For sentences: "57 %", "4.2 %", "under 1 %".
export function roundPercent(fraction: number): string {
  if (fraction > 0 && fraction < 0.001) return 'under 0.1 %';
  return `${(100 * fraction).toFixed(fraction < 0.0995 ? 1 : 0)} %`;
}

export function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : value < 0 ? `\u2212${text.replace(/^\u2212/, '')}` : text;
}

const TIME_UNITS: [number, string][] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, '\u00b5s'],
  [1, 'ns'],
];
const timeUnit = (ns: number): [number, string] => TIME_UNITS.find(([size]) => ns >= 2 * size) ?? [1, 'ns'];

// A time or duration, with digits for a window of `span` nanoseconds.
export function clock(ns: number, span: number): string {
  const [factor, suffix] = timeUnit(span);
  const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(span / factor / 400))));
  return `${(ns / factor).toFixed(digits)} ${suffix}`;
}

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
