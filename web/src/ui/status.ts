// SPDX-License-Identifier: Apache-2.0
// The line at the bottom, and what screen readers are told. Hovering changes the line only; choosing is said aloud.

import { el } from './dom.ts';

class Status {
  line!: HTMLElement;
  live!: HTMLElement;
  private chosen = '';

  // Not when the script is read: that also happens in the worker, where there is no document.
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

  // What was said about a frame holds no longer: the numbers are others now.
  clear(): void {
    this.chosen = '';
    this.line.textContent = '';
  }

  // A message that comes and goes.
  toast(text: string): void {
    this.live.textContent = text;
    document.querySelector('.toast')?.remove();
    const toast = el('div', { class: 'toast' }, text);
    document.body.append(toast);
    setTimeout(() => toast.remove(), Math.max(2600, 55 * text.length)); // as long as reading it takes
  }
}

export const status = new Status();
