// SPDX-License-Identifier: Apache-2.0
// The settings of the controls in words, for printing: a printed page has no controls.

import { el } from './dom.ts';
import { onPrinting } from './theme.ts';

// "Mode: kernel" for each choice in the filters and in the view's own toolbar. Chips and transforms are already text.
function choices(page: HTMLElement): string[] {
  const words: string[] = [];
  for (const select of page.querySelectorAll<HTMLSelectElement>('.filters select, .toolbar select'))
    words.push(`${select.getAttribute('aria-label') ?? ''}: ${select.selectedOptions[0]?.text ?? ''}`);
  for (const group of page.querySelectorAll('.toolbar [role=radiogroup]'))
    words.push(
      `${group.getAttribute('aria-label') ?? ''}: ${group.querySelector('[aria-checked=true]')?.textContent ?? ''}`,
    );
  return words;
}

// A line for the top of a printed page; empty on screens.
export function paperLine(page: HTMLElement, title: () => string): HTMLElement {
  const line = el('p', { class: 'on-paper' });
  onPrinting((printing) => (line.textContent = printing ? [title(), ...choices(page)].join(' \u00b7 ') : ''));
  return line;
}
