// SPDX-License-Identifier: Apache-2.0
// Shown instead of the page: a sentence that says what is wrong and what to do.

import { el, fill } from './dom.ts';
import { emptyMessage } from './part.ts';
import { applyTheme } from './theme.ts';
import { visible } from './text.ts';

export function showProblem(message: string, root: HTMLElement): void {
  applyTheme();
  fill(
    root,
    el('main', { class: 'problem', role: 'alert' }, emptyMessage('This page cannot be shown', visible(message))),
  );
}
