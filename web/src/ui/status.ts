// SPDX-License-Identifier: Apache-2.0
// The status line at the bottom, and announcements for screen readers. Hovering changes only the line; choosing is also
// announced.

import { el } from './dom.ts';

class Status {
  line!: HTMLElement;
  live!: HTMLElement;
  private chosen = '';

  // Not at load time: the script also runs in the worker, which has no document.
  start(): void {
    this.line = el('div', { class: 'detail' });
    this.live = el('div', { class: 'sr', 'aria-live': 'polite', role: 'status' });
  }

  hover(text: string): void {
    this.line.textContent = text || this.chosen;
  }

  announce(text: string): void {
    this.chosen = text;
    this.line.textContent = text;
    this.live.textContent = text;
  }

  // The numbers of the chosen frame are out of date.
  clear(): void {
    this.chosen = '';
    this.line.textContent = '';
  }

  // A message that disappears after a while.
  toast(text: string): void {
    this.live.textContent = text;
    document.querySelector('.toast')?.remove();
    const toast = el('div', { class: 'toast' }, text);
    document.body.append(toast);
    setTimeout(() => toast.remove(), Math.max(2600, 55 * text.length)); // time to read it
  }
}

export const status = new Status();
