// SPDX-License-Identifier: Apache-2.0
// The other cases of a letter, by Unicode's simple case folding, which RE2 uses: k, K and the Kelvin sign are one.
//
// JavaScript has the same folding, but only inside of its expressions with the flag i. There it also changes \b and
// negated classes, unlike RE2. So the page adds the other cases itself (pattern.ts).

export type Range = [number, number];

const LAST_CASED = 0x1e943; // no letter above has cases
const LAST_ASCII = 0x7f;
const isLetter = (code: number): boolean => /^[A-Za-z]$/.test(String.fromCharCode(code));

let groups: Map<number, Set<number>> | null = null;

function joinGroups(all: Map<number, Set<number>>, first: number, second: number): void {
  const joined = new Set([...(all.get(first) ?? [first]), ...(all.get(second) ?? [second])]);
  for (const code of joined) all.set(code, joined);
}

// Names without letters beyond ASCII never need this: it takes some 20 ms.
function allGroups(): Map<number, Set<number>> {
  if (groups !== null) return groups;
  groups = new Map();
  for (let code = 0; code <= LAST_CASED; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue; // halves of characters
    const char = String.fromCodePoint(code);
    for (const other of [char.toLowerCase(), char.toUpperCase()]) {
      const otherCode = other.codePointAt(0) ?? code;
      if (otherCode === code || other.length !== String.fromCodePoint(otherCode).length) continue;
      // Upper and lower case are more than folding: I is not a case of the Turkish dotless i.
      if (new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(other)) joinGroups(groups, code, otherCode);
    }
  }
  return groups;
}

function casesOf(code: number): number[] {
  if (code > LAST_ASCII) return [...(allGroups().get(code) ?? [code])];
  if (!isLetter(code)) return [code];
  const lower = code | 0x20;
  const beyond = lower === 0x6b ? [0x212a] : lower === 0x73 ? [0x17f] : []; // k: Kelvin sign, s: long s
  return [lower, lower ^ 0x20, ...beyond];
}

// In ascending order and without overlaps.
function normalized(ranges: Range[]): Range[] {
  const out: Range[] = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out[out.length - 1];
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else out.push([low, high]);
  }
  return out;
}

// The characters of the ranges in all their cases.
export function inAllCases(ranges: Range[]): Range[] {
  const out = [...ranges];
  for (const [low, high] of ranges) {
    const codes = high > LAST_ASCII ? allGroups().keys() : Array.from({ length: LAST_ASCII + 1 }, (_, code) => code);
    for (const code of codes)
      if (code >= low && code <= high) for (const other of casesOf(code)) out.push([other, other]);
  }
  return normalized(out.map(([low, high]) => [low, high]));
}
