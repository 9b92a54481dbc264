// SPDX-License-Identifier: Apache-2.0
// Colours of frames, light and dark: the hues of the flame graph SVG (src/views/svg/flame.css).
//
// Eight hues that colour-blind readers can distinguish are for modules, modes or threads; a warm ramp is heat; blue to
// orange is change. Names without a module have warm tones without a meaning. Colours are packed like the pixels of an
// ImageData (little endian: ABGR).

export type Theme = 'light' | 'dark';

interface Palette {
  slots: string[];
  other: string;
  root: string;
  warm: string[];
  heat: string[];
  change: string[];
  background: string;
  text: string;
  faintText: string;
  hit: string;
  hitText: string;
  outline: string;
  focus: string;
  lost: string; // of losses
  lineOfOne: string; // one CPU
  band: string; // between the bounds of a line
  lines: string[]; // further lines of a series; the first one has the focus' colour
  gap: string; // below the hatching
  states: { running: string; ready: string; blocked: string };
  arrow: string;
}

const LIGHT: Palette = {
  slots: ['#ffbf80', '#8fb8e8', '#f2e394', '#5fc7ad', '#ffb3c1', '#a6dff7', '#c9d65a', '#c8b0e0'],
  other: '#d6d0c8',
  root: '#e3e3e3',
  warm: [
    '#ff9f6b',
    '#ffb066',
    '#ffc163',
    '#ffd166',
    '#f7a072',
    '#f4b678',
    '#f0c674',
    '#f9d98c',
    '#ff8f70',
    '#fca55d',
    '#eebb60',
    '#ffe08a',
  ],
  heat: ['#f3efe6', '#fdeac0', '#fddc9a', '#fdc878', '#fcae5f', '#f88f4f', '#ee7045', '#e0533f'],
  change: [
    '#5c9fe0',
    '#80b5e8',
    '#a0c8ee',
    '#bfdaf4',
    '#dcebf9',
    '#e6e6e6',
    '#fdebd3',
    '#fcd9ab',
    '#fbc481',
    '#f7ad58',
    '#ee9130',
  ],
  background: '#ffffff',
  text: '#16181c',
  faintText: '#5f6368',
  hit: '#d100d1',
  hitText: '#ffffff',
  outline: '#000000',
  focus: '#0047d6',
  lost: '#c5221f',
  lineOfOne: '#8d877c',
  band: '#f9cfa3',
  lines: ['#a33d00', '#1d6b3a', '#6a3fa0'],
  gap: '#efece6',
  states: { running: '#5fb878', ready: '#f2c14e', blocked: '#c9c4bb' },
  arrow: '#a0006a',
};

const DARK: Palette = {
  slots: ['#9c5a1a', '#2f65a7', '#8a7412', '#1a7a5c', '#9a4460', '#1f7291', '#5f7320', '#6d4b97'],
  other: '#4f4b45',
  root: '#3c3f45',
  warm: [
    '#8f3f1c',
    '#8a4a18',
    '#7f5514',
    '#775e12',
    '#853c24',
    '#80501f',
    '#745a1c',
    '#6b5f1e',
    '#923524',
    '#8c4512',
    '#6f5413',
    '#66601c',
  ],
  heat: ['#33312d', '#463a22', '#5a431d', '#6e4a1a', '#824c18', '#964818', '#a83f1b', '#b93425'],
  change: [
    '#1c66b3',
    '#1f5994',
    '#224c77',
    '#26405c',
    '#2b3746',
    '#363636',
    '#473827',
    '#5d4220',
    '#744b19',
    '#8b5312',
    '#a35b09',
  ],
  background: '#16181c',
  text: '#ffffff',
  faintText: '#a4a8ae',
  hit: '#c800c8',
  hitText: '#ffffff',
  outline: '#ffffff',
  focus: '#7fb0ff',
  lost: '#ff7b72',
  lineOfOne: '#858b94',
  band: '#6e4a1a',
  lines: ['#ffb27a', '#7fd49b', '#c9a8f0'],
  gap: '#22252b',
  states: { running: '#1f6b3a', ready: '#8a6a12', blocked: '#4a4a4a' },
  arrow: '#ff8ad0',
};

export const palette = (theme: Theme): Palette => (theme === 'dark' ? DARK : LIGHT);

function channels(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function mix(hex: string, towards: string, share: number): number[] {
  const other = channels(towards);
  return channels(hex).map((value, i) => Math.round(value + (other[i] - value) * share));
}

// `hex` mixed with a share of `towards`, as a pixel.
export function mixed(hex: string, towards: string, share: number): number {
  const [red, green, blue] = mix(hex, towards, share);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function mixedHex(hex: string, towards: string, share: number): string {
  return `#${mix(hex, towards, share)
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')}`;
}

export function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

// Of functions of Python, also among modules, as in SVGs.
export const PYTHON_SLOT = 5;

// The slot of each name: the heaviest eight get the slot of their hash, or the next free one, so a module usually has
// the same colour in every picture; -1 for the others.
export function slotsOf(
  names: readonly string[],
  weights: ArrayLike<number>,
  reserved: readonly number[] = [],
): Int8Array {
  const slots = new Int8Array(names.length).fill(-1);
  const heaviest = names
    .map((_, i) => i)
    .filter((i) => (weights[i] ?? 0) > 0)
    .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0))
    .slice(0, 8 - reserved.length);
  const taken = new Set(reserved);
  for (const i of heaviest) {
    let slot = hash(names[i] ?? '') % 8;
    while (taken.has(slot)) slot = (slot + 1) % 8;
    taken.add(slot);
    slots[i] = slot;
  }
  return slots;
}

// The step of a ramp for a share of the largest value, by the square root, so that small values also differ.
export function rampStep(share: number, steps: number): number {
  return Math.min(steps - 1, Math.floor(Math.sqrt(Math.max(0, share)) * steps));
}
