// SPDX-License-Identifier: Apache-2.0
// Text of the flame graph SVG's script: labels, weights and shares in words. web/build.mjs compiles it to text.js, the
// first of the files that src/views/svg joins into one script; the other files use these exports.
//
// Amounts follow src/views/svg/amounts.cc; labels follow src/views/labels.h.
export { amountText, percentText, thousands } from '../ui/amounts.ts';
export { formsOf } from '../ui/label_forms.ts';
export { labelOf, labelsOf } from '../ui/labels.ts';
export { columnsOf, cutText, wrappedLines } from '../ui/text_columns.ts';

// flamegraph.pl's own rule (perl_form.cc).
export function cutLabel(name: string, columns: number): string {
  const characters = [...name];
  return characters.length <= columns ? name : characters.slice(0, columns - 2).join('') + '..';
}
