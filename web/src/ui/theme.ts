// SPDX-License-Identifier: Apache-2.0
// Dark or light: the user's choice, else the system's. The browser stores the choice. Printed pages are always light.

import type { Theme } from './palette.ts';

const KEY = 'wick-theme';
const system = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

function chosen(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'dark' || value === 'light' ? value : null;
  } catch {
    return null; // storage may be forbidden
  }
}

function apply(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

const wanted = (): Theme => chosen() ?? (system().matches ? 'dark' : 'light');

export function applyTheme(): void {
  apply(wanted());
}

export function startTheme(changed: () => void): void {
  applyTheme();
  system().addEventListener('change', () => {
    apply(wanted());
    changed();
  });
  onPrinting((printing) => {
    apply(printing ? 'light' : wanted());
    changed();
  });
}

export function switchTheme(changed: () => void): void {
  const theme: Theme = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark';
  apply(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Then the choice is valid until the page is closed.
  }
  changed();
}

// Calls the listener before and after printing. The listener must draw for the printed page before it returns.
export function onPrinting(listener: (printing: boolean) => void): void {
  let printing = false;
  const notify = (now: boolean): void => {
    if (now === printing) return;
    printing = now;
    listener(now);
  };
  window.addEventListener('beforeprint', () => notify(true));
  window.addEventListener('afterprint', () => notify(false));
  matchMedia('print').addEventListener('change', ({ matches }) => notify(matches));
}
