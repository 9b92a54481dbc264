// SPDX-License-Identifier: Apache-2.0
// Numbers with their units, for display.
import { amount, thousands } from '../ui/text.ts';

const NANOSECONDS: Record<string, number> = {
  s: 1e9,
  seconds: 1e9,
  ms: 1e6,
  us: 1e3,
  '\u00b5s': 1e3,
  ns: 1,
  nanoseconds: 1,
};
const BYTES: Record<string, number> = { bytes: 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const known = (units: Record<string, number>, unit: string): number => (Object.hasOwn(units, unit) ? units[unit] : 0);

// Four significant digits.
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '\u221e' : '\u2013';
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(3).replace('e+', 'e');
  if (size >= 1000) return `${value < 0 ? '\u2212' : ''}${thousands(size)}`;
  return String(Number(value.toPrecision(4))).replace('-', '\u2212');
}

// "1.25 s", "31.2 %", "12,345 1/s".
export function withUnit(value: number, unit: string): string {
  if (!Number.isFinite(value)) return plainNumber(value);
  if (unit === 'share') return `${Number((100 * value).toPrecision(3))} %`;
  const time = known(NANOSECONDS, unit);
  if (time > 0) return amount(value * time, 'nanoseconds');
  const bytes = known(BYTES, unit);
  if (bytes > 0) return amount(value * bytes, 'bytes');
  return unit ? `${plainNumber(value)} ${unit}` : plainNumber(value);
}

const COMPACT: [number, string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

// For axes: short.
export function tickText(value: number, unit: string): string {
  if (value === 0) return '0';
  if (unit === 'share') return `${Number((100 * value).toPrecision(3))} %`;
  if (known(NANOSECONDS, unit) || known(BYTES, unit))
    return withUnit(value, unit)
      .replace(/(\.\d*?)0+(?= )/, '$1')
      .replace('. ', ' ');
  const [size, letter] = COMPACT.find(([least]) => Math.abs(value) >= least) ?? [1, ''];
  const small = Math.abs(value) < 1e-4;
  return small ? value.toExponential(0) : `${Number((value / size).toPrecision(3))}${letter}`;
}

// "1.2 to 1.4 s", or empty if unknown.
export function intervalText(low: number | null, high: number | null, unit: string): string {
  return low === null && high === null ? '' : `${withUnit(low ?? 0, unit)} to ${withUnit(high ?? Infinity, unit)}`;
}
