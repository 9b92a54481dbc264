// SPDX-License-Identifier: Apache-2.0
// Search by regular expression: the share that matches, and steps to the next or previous hit.

import type { AppCore } from './app_core.ts';
import { el } from './dom.ts';
import { button } from './part.ts';
import { status } from './status.ts';
import { isExpression } from './page_state.ts';
import { percent, plural } from './text.ts';

const PAUSE_MS = 120;

export class SearchBox {
  readonly element: HTMLElement;
  private readonly input = el('input', {
    type: 'search',
    placeholder: 'Search (regex)  /',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-label': 'Search functions by regular expression',
  });
  private readonly result = el('output', { 'aria-live': 'polite' });
  private readonly cased: HTMLButtonElement;
  private readonly only: HTMLButtonElement;
  private readonly without: HTMLButtonElement;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly app: AppCore,
    private readonly step: (direction: 1 | -1) => void,
    private readonly leave: () => void,
  ) {
    this.cased = button('Aa', () => app.change({ ignoreCase: !app.state.ignoreCase }), {
      title: 'Match case',
      'aria-label': 'Match case',
      class: 'button icon',
    });
    this.input.addEventListener('input', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.send(), PAUSE_MS);
    });
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.only = button('Only', () => this.filter('focus'), {
      title: 'Show only samples with a match. Several filters combine.',
    });
    this.without = button('Without', () => this.filter('ignore'), { title: 'Drop samples with a match.' });
    this.element = el(
      'div',
      { class: 'search', role: 'search' },
      this.result,
      this.input,
      this.cased,
      button('\u2191', () => step(-1), {
        class: 'button icon',
        title: 'Previous hit (N)',
        'aria-label': 'Previous hit',
      }),
      button('\u2193', () => step(1), { class: 'button icon', title: 'Next hit (n)', 'aria-label': 'Next hit' }),
      this.only,
      this.without,
    );
  }

  // Makes the search a filter: every view then shows the samples with, or without, a match.
  private filter(kind: 'focus' | 'ignore'): void {
    const { search, ignoreCase, model } = this.app.state,
      pattern = ignoreCase ? anyCase(search) : search,
      others = model[kind].filter((known) => known !== pattern);
    this.app.change({ search: '', zoom: [] }, { [kind]: [...others, pattern] });
  }

  private send(): void {
    clearTimeout(this.timer);
    if (this.input.value !== this.app.state.search)
      this.app.change({ search: this.input.value }, {}, this.app.state.search !== '');
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Enter') {
      event.preventDefault();
      this.send();
      // The hits may not have arrived yet.
      setTimeout(() => this.step(event.shiftKey ? -1 : 1), 0);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (this.input.value !== '') this.app.change({ search: '' });
      this.leave();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      this.leave();
    }
  }

  update(): void {
    const { searchResult: result, state } = this.app;
    if (document.activeElement !== this.input || state.search === '') this.input.value = state.search;
    this.cased.setAttribute('aria-pressed', state.ignoreCase ? 'false' : 'true');
    this.input.setAttribute('aria-invalid', result?.error ? 'true' : 'false');
    const text = !result
      ? ''
      : result.error
        ? result.matches.length > 0
          ? 'invalid expression'
          : 'stopped: it took too long'
        : result.functions === 0
          ? 'no match'
          : `${percent(result.share)} in ${plural(result.functions, 'name')}`;
    this.result.textContent = text;
    this.only.hidden = this.without.hidden = !result || result.functions === 0;
    this.result.title = result?.error ?? '';
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  clear(): boolean {
    if (this.app.state.search === '') return false;
    this.app.change({ search: '' });
    status.announce('The search was cleared.');
    return true;
  }
}

// The expression that ignores case.
function anyCase(pattern: string): string {
  const written = `(?i)${pattern}`;
  return isExpression(written) && pattern.toLowerCase() !== pattern.toUpperCase() ? written : pattern;
}
