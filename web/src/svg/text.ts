// SPDX-License-Identifier: Apache-2.0
// Text of the flame graph SVG's script: labels, weights and shares in words. web/build.mjs compiles it to text.js, the
// first of the files that src/views/svg joins into one script; the other files use these exports.
//
// The rules are those of src/views/svg/label.cc and src/views/svg/amounts.cc.
export { amountText, percentText, thousands } from '../ui/amounts.ts';
export { columnsOf, cutText, shortLabel, wrappedLines } from '../ui/label.ts';

// flamegraph.pl's own rule (perl_form.cc).
export function cutLabel(name: string, columns: number): string {
  const characters = [...name];
  return characters.length <= columns ? name : characters.slice(0, columns - 2).join('') + '..';
}
