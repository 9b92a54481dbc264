// SPDX-License-Identifier: Apache-2.0
// Amounts and shares with their units, for the page and for the script of flame graph SVGs (web/src/svg/text.ts). The
// rules are those of src/views/numbers.cc and src/views/svg/amounts.cc, so the page, pictures and tables agree.

export type Scale = readonly (readonly [size: number, suffix: string])[];

export const TIME_SCALE: Scale = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'us'],
  [1, 'ns'],
];
const SIZE_SCALE: Scale = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'B'],
];

// Null for units that are written as they are.
export const scaleOf = (unit: string): Scale | null =>
  unit === 'nanoseconds' ? TIME_SCALE : unit === 'bytes' ? SIZE_SCALE : null;

export const thousands = (value: number): string => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');

// "sample" of "samples", as in src/base/plural.cc.
function singular(unit: string): string {
  if (unit.length <= 3 || unit === 'series' || unit.endsWith('/s')) return unit;
  return unit.endsWith('ries') ? `${unit.slice(0, -3)}y` : unit.replace(/((?<=ss|ch)es|s)$/, '');
}

// "1.25 s", "1,234 samples", "1 sample". `weight` is not negative.
export function amountText(weight: number, unit: string): string {
  const scale = scaleOf(unit);
  if (scale !== null) {
    if (weight === 0) return unit === 'bytes' ? '0 B' : '0 s';
    const [size, suffix] = scale.find(([least]) => weight >= least) ?? scale[scale.length - 1];
    const value = weight / size;
    return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${suffix}`;
  }
  const whole = Number.isInteger(weight) || weight >= 1e6;
  const number = whole ? thousands(weight) : weight < 1 ? String(Number(weight.toPrecision(4))) : weight.toFixed(2);
  return unit ? `${number} ${number === '1' ? singular(unit) : unit}` : number;
}

// "12.34 %"; never rounds a positive share to zero.
export function percentText(fraction: number): string {
  if (!(fraction > 0)) return '0 %';
  return fraction < 0.0001 ? 'under 0.01 %' : `${(100 * fraction).toFixed(2)} %`;
}
