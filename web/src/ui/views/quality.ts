// SPDX-License-Identifier: Apache-2.0
// How far the numbers can be trusted: losses, truncated and broken stacks, missing names, and what to do about them.

import type { Quality } from '../../model/interface.ts';
import type { AppCore } from '../app_core.ts';
import { el, fill } from '../dom.ts';
import { stepThroughHits, type ViewPart } from '../part.ts';
import { Question } from '../question.ts';
import { palette } from '../palette.ts';
import { isUncounted } from '../profile_words.ts';
import { percent, plural, thousands, visible } from '../text.ts';

const MAX_ROWS = 40;

export class QualityView implements ViewPart {
  readonly element: HTMLElement;
  private readonly page = el('div', { class: 'summary' });
  private quality: Quality | null = null;
  private readonly question = new Question(() => this.element.isConnected);

  constructor(private readonly app: AppCore) {
    this.element = el('section', { 'aria-label': 'Quality' }, el('div', { class: 'scroll', tabindex: '0' }, this.page));
  }

  update(): void {
    if (this.question.isNew(this.app.state.model)) void this.load();
    else this.draw();
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model } = app.state,
      quality = await this.question.answer(app.ask('quality', 'quality', () => app.engine.quality(model)));
    if (!quality) return;
    this.quality = quality;
    this.draw();
  }

  private draw(): void {
    const { quality } = this;
    if (!quality) return;
    fill(
      this.page,
      this.verdict(quality),
      this.stackBar(quality),
      this.losses(),
      this.reasons(quality),
      this.interpreters(quality),
      this.origins(quality),
      this.unnamed(quality),
      this.modules(quality),
    );
  }

  private verdict(quality: Quality): HTMLElement {
    const classified = quality.complete + quality.truncated + quality.broken,
      all = classified + quality.unknown + quality.lost;
    const text =
      all === 0
        ? isUncounted(this.app.info)
          ? 'The input does not say how many samples its numbers come from.'
          : 'There are no samples.'
        : quality.lost > 0
          ? `${percent(quality.lost / all)} of the samples were lost and are not in the numbers.`
          : classified === 0
            ? 'No loss is known. This file format does not say whether stacks are complete.'
            : quality.complete === classified
              ? 'Nothing was lost and every stack is complete.'
              : `Nothing was lost; ${percent(quality.complete / classified)} of the stacks are complete.`;
    return el('p', { class: 'headline' }, text);
  }

  private stackBar(quality: Quality): HTMLElement {
    const { slots, other } = palette(this.app.theme),
      all = quality.complete + quality.truncated + quality.broken + quality.unknown + quality.lost || 1;
    const parts: [string, number, string][] = [
      ['complete', quality.complete, slots[3]],
      ['truncated', quality.truncated, slots[2]],
      ['broken', quality.broken, slots[0]],
      ['unknown', quality.unknown, other],
      ['lost', quality.lost, slots[4]],
    ];
    const shown = parts.filter(([, count]) => count > 0);
    return el(
      'div',
      { class: 'card' },
      el('h2', null, 'Stacks'),
      el(
        'div',
        { class: 'stack-bar', 'aria-hidden': 'true' },
        ...shown.map(([, count, colour]) => el('i', { style: `flex:${count / all};background-color:${colour}` })),
      ),
      el(
        'ul',
        { class: 'legend plain' },
        ...shown.map(([name, count, colour]) =>
          el(
            'li',
            { class: 'key' },
            el('span', { class: 'swatch', style: `background-color:${colour}` }),
            `${name} ${thousands(count)} (${percent(count / all)})`,
          ),
        ),
      ),
      quality.stitched > 0
        ? el(
            'p',
            { class: 'faint' },
            `${plural(quality.stitched, 'sample')} had outer frames joined from another sample of the same thread.`,
          )
        : null,
    );
  }

  private table(title: string, note: string, head: string[], rows: (string | number)[][]): HTMLElement {
    const cell = (value: string | number, column: number): HTMLElement =>
      el(
        'td',
        { class: typeof value === 'number' ? 'right' : undefined, 'data-label': head[column] },
        typeof value === 'number' ? thousands(value) : visible(value),
      );
    return el(
      'div',
      { class: 'card' },
      el('h2', null, title, el('span', { class: 'faint' }, note)),
      el(
        'div',
        { class: 'wide' },
        el(
          'table',
          { class: 'plain-table' },
          el('thead', null, el('tr', null, ...head.map((text) => el('th', { scope: 'col' }, text)))),
          el('tbody', null, ...rows.slice(0, MAX_ROWS).map((row) => el('tr', this.marked(row), ...row.map(cell)))),
        ),
      ),
      rows.length > MAX_ROWS
        ? el('p', { class: 'faint' }, `${plural(rows.length - MAX_ROWS, 'more row')}; wick quality lists them all.`)
        : null,
    );
  }

  // Rows of modules that the search matches.
  private marked(row: (string | number)[]): Record<string, unknown> {
    return row.some((value) => typeof value === 'string' && this.app.isHitModule(value))
      ? { 'data-hit': true, tabindex: '-1' }
      : {};
  }

  private losses(): HTMLElement | null {
    const { losses } = this.app.info;
    if (losses.length === 0) return null;
    return this.table(
      'Loss and notices',
      'data that is missing from the numbers, and other notices',
      ['count', 'what', 'reason', 'first occurrence'],
      losses.map((loss) => [
        loss.count || '?',
        loss.dataLoss ? loss.what : `${loss.what} (notice)`,
        loss.reason,
        loss.detail,
      ]),
    );
  }

  private reasons({ reasons }: Quality): HTMLElement | null {
    if (reasons.length === 0) return null;
    return this.table(
      'Why stacks are incomplete',
      'and what to do about it',
      ['samples', 'module', 'reason', 'what to do'],
      reasons.map(({ samples, module, reason, fix }) => [samples, module, reason, fix]),
    );
  }

  private interpreters({ interpreters }: Quality): HTMLElement | null {
    if (interpreters.length === 0) return null;
    return this.table(
      'Functions of interpreted programs',
      'how far to trust them',
      ['samples', 'state', 'reason', 'what to do'],
      interpreters.map(({ samples, state, reason, advice }) => [samples, state, reason, advice]),
    );
  }

  private origins({ origins }: Quality): HTMLElement | null {
    if (origins.length === 0) return null;
    return this.table(
      'How frames were found',
      'samples whose stack has such a frame',
      ['samples', 'origin', 'meaning'],
      origins.map(({ samples, origin, meaning }) => [samples, origin, meaning]),
    );
  }

  private unnamed({ unnamed }: Quality): HTMLElement | null {
    if (unnamed.length === 0) return null;
    return this.table(
      'Missing names',
      'samples whose leaf frame has no function name; install symbols or debug information for these modules',
      ['samples', 'module'],
      unnamed.map(({ samples, module }) => [samples, module || '[unknown]']),
    );
  }

  private modules({ modules }: Quality): HTMLElement | null {
    if (modules.length === 0) return null;
    return this.table(
      'By module of the outermost frame',
      '',
      ['samples', 'complete', 'truncated', 'broken', 'unknown', 'module'],
      modules.map(({ module, samples, complete, truncated, broken, unknown }) => [
        samples,
        complete,
        truncated,
        broken,
        unknown,
        module || '[unknown]',
      ]),
    );
  }

  step(direction: 1 | -1): void {
    stepThroughHits(this.element, direction);
  }

  theme(): void {
    this.draw();
  }

  focus(): void {
    this.element.querySelector<HTMLElement>('.scroll')?.focus();
  }
}
