// SPDX-License-Identifier: Apache-2.0
// Gives the user a file that the page made, and a name for it.

import { el } from './dom.ts';

const LONGEST_WORD = 60;

// "server-flame-graph.svg" from words of which some may be paths or names of functions.
export function fileName(words: readonly string[], ending: string): string {
  const plain = words.map((word) =>
    word
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}_.-]+/gu, '_')
      .replace(/^[._-]+/, '')
      .slice(0, LONGEST_WORD)
      .replace(/[._-]+$/, ''),
  );
  return `${plain.filter(Boolean).join('-') || 'profile'}.${ending}`;
}

export function download(name: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = el('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
