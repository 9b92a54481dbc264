// Dark or light: what the reader chose before, else what the system says. The choice is kept by the browser.

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

export function startTheme(changed: () => void): void {
  apply(chosen() ?? (system().matches ? 'dark' : 'light'));
  system().addEventListener('change', () => {
    if (chosen()) return;
    apply(system().matches ? 'dark' : 'light');
    changed();
  });
}

export function switchTheme(changed: () => void): void {
  const theme: Theme = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark';
  apply(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Then it lasts as long as the page.
  }
  changed();
}
