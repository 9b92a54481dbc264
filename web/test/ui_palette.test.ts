// SPDX-License-Identifier: Apache-2.0
// Text in pictures and on the page can be read on every colour that is behind it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { palette, type Theme } from '../src/ui/palette.ts';
import { SOURCE } from './support.ts';

const LEAST = 4.5; // WCAG 2, level AA

// Relative luminance.
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const TEXTS = ['text', 'faint', 'accent', 'link', 'focus', 'warn', 'bad', 'up', 'down'];
const GROUNDS = ['page', 'card', 'raised', 'select', 'hover'];

// By name: the colours of the style sheet, light and dark.
function sheetColours(): Record<Theme, Map<string, string>> {
  const [, light, dark] = readFileSync(`${SOURCE}/web/src/ui/styles/colours.css`, 'utf8').split(/^:root/m),
    named = (rules: string): Map<string, string> =>
      new Map(Array.from(rules.matchAll(/--([\w-]+): (#\w{6});/g), ([, name, colour]) => [name, colour]));
  return { light: named(light), dark: named(dark) };
}

describe('the contrast of text', () => {
  for (const theme of ['light', 'dark'] as Theme[]) {
    it(`is high enough on the page and in chosen rows, ${theme}`, () => {
      const colours = sheetColours()[theme];
      for (const text of TEXTS)
        for (const ground of GROUNDS) {
          const found = contrast(colours.get(text)!, colours.get(ground)!);
          assert.ok(found >= LEAST, `${text} on ${ground}: ${found}`);
        }
    });
  }

  for (const theme of ['light', 'dark'] as Theme[]) {
    const { text, faintText, background, slots, other, root, warm, heat, change, states, band, gap, hit, hitText } =
      palette(theme);
    it(`is high enough on every colour, ${theme}`, () => {
      const boxes = [
        ...slots,
        other,
        root,
        ...warm,
        ...heat,
        ...change,
        ...Object.values(states),
        band,
        gap,
        background,
      ];
      for (const colour of boxes) assert.ok(contrast(text, colour) >= LEAST, `${colour}: ${contrast(text, colour)}`);
      assert.ok(contrast(faintText, background) >= LEAST);
      assert.ok(contrast(hitText, hit) >= LEAST);
    });
  }
});
