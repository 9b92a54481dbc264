// SPDX-License-Identifier: Apache-2.0
// Names in elements whose width the browser chooses: each is cut to its room as soon as it is known, and those of one
// list differ.

import type { NameForms } from './label_forms.ts';
import { labelsOf } from './labels.ts';
import { columnsOf } from './text_columns.ts';

export interface FittedName {
  element: HTMLElement; // of a fixed-width font; it may shrink
  forms: NameForms;
}

// The columns of an element that contains this text.
function roomOf(element: HTMLElement, text: string): number {
  const { clientWidth, scrollWidth } = element;
  if (clientWidth === 0 || scrollWidth <= clientWidth) return Number.POSITIVE_INFINITY;
  return Math.floor((clientWidth * columnsOf(text)) / scrollWidth);
}

// Again whenever the container changes its size.
export function fitNames(container: HTMLElement, names: readonly FittedName[]): void {
  new ResizeObserver(() => {
    for (const { element, forms } of names) {
      element.style.flexShrink = '';
      element.textContent = forms.forms[0];
    }
    const rows = names.map(({ element, forms }) => ({ forms, columns: roomOf(element, forms.forms[0]) }));
    labelsOf(rows, 'numbered').forEach((label, i) => {
      const { element } = names[i];
      element.textContent = label;
      element.style.flexShrink = '0'; // it has its room; its neighbours share the rest
    });
  }).observe(container);
}
