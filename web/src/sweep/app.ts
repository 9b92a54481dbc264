// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: header, tabs, one view, the chosen point at the bottom, and the keys that work everywhere.
import type { Words } from '../model/words.ts';
import { el, fill, oncePerFrame } from '../ui/dom.ts';
import { footer, pageHeader, showDialog, themeButton, viewTab, viewTabs } from '../ui/page_frame.ts';
import { button, emptyMessage } from '../ui/part.ts';
import { status } from '../ui/status.ts';
import { onPrinting, startTheme, switchTheme } from '../ui/theme.ts';
import { plural, visible } from '../ui/text.ts';
import { Core, type SweepView } from './core.ts';
import { findPoint, numberOf, troubleOf, type Sweep } from './data.ts';
import { withUnit } from './numbers.ts';
import { profileLink } from './point_parts.ts';
import { areas } from './views/areas.ts';
import { compare } from './views/compare.ts';
import { heat } from './views/heat.ts';
import { overview } from './views/overview.ts';
import { plots } from './views/plots.ts';
import { ranking } from './views/ranking.ts';
import { raw } from './views/table.ts';
import { scaling } from './views/scaling.ts';

const VIEWS: SweepView[] = [overview, plots, scaling, heat, areas, compare, ranking, raw];
const MAX_METRICS = 6;

class Page {
  private readonly core: Core;
  private readonly main = el('main', { id: 'view', tabindex: '-1' });
  private readonly tabs: HTMLElement;
  private readonly chosen = el('section', { class: 'chosen', 'aria-label': 'Chosen point', hidden: true });
  private width = 0;

  constructor(sweep: Sweep, words: Words, root: HTMLElement) {
    this.core = new Core(sweep, words);
    status.start();
    startTheme(() => this.draw());
    this.tabs = viewTabs(VIEWS.map((view) => this.tab(view)));
    this.tabs.addEventListener('keydown', (event) => this.moveInTabs(event));
    fill(
      root,
      el('a', { class: 'skip', href: '#view', onclick: (event: Event) => this.skip(event) }, 'Skip to the view'),
      this.header(),
      this.tabs,
      this.main,
      this.chosen,
      footer(),
      status.live,
    );
    this.core.onChange = () => this.draw();
    document.addEventListener('keydown', (event) => this.key(event));
    const redraw = oncePerFrame(() => {
      if (this.main.clientWidth !== this.width) this.draw();
    });
    new ResizeObserver(redraw).observe(this.main);
    onPrinting(() => this.draw());
    document.title = `${visible(sweep.plan.name)} \u2013 wick sweep`;
    this.draw();
  }

  private skip(event: Event): void {
    event.preventDefault();
    this.main.focus();
  }

  private header(): HTMLElement {
    const { sweep } = this.core,
      { plan, points } = sweep;
    return pageHeader(
      this.core.sweeps.map((one) => (sweep.other ? this.core.sweepName(one) : visible(plan.name))).join(' \u2192 '),
      plural(points.length, 'point'),
      themeButton(() => switchTheme(() => this.draw())),
      button('?', () => this.help(), { class: 'button icon', title: 'Keys (?)', 'aria-label': 'Keys' }),
    );
  }

  private tab(view: SweepView): HTMLElement {
    const tab = viewTab(view, () => this.core.change({ view: view.id }));
    tab.classList.toggle('faded', Boolean(view.missing?.(this.core)));
    return tab;
  }

  private moveInTabs(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = VIEWS[(VIEWS.indexOf(this.view()) + by + VIEWS.length) % VIEWS.length];
    this.core.change({ view: next.id });
    document.getElementById(`tab-${next.id}`)?.focus();
  }

  private view(): SweepView {
    return VIEWS.find(({ id }) => id === this.core.state.view) ?? overview;
  }

  // Draws everything again: a sweep has few points. The focus stays.
  private draw(): void {
    const focused = document.activeElement,
      control = focused?.getAttribute('data-control'),
      reference = focused?.getAttribute('data-reference'),
      segment =
        focused?.getAttribute('role') === 'radio'
          ? focused.closest('[role=radiogroup]')?.getAttribute('aria-label')
          : null,
      top = this.main.scrollTop;
    const view = this.view(),
      same = this.main.dataset['view'] === view.id;
    this.main.dataset['view'] = view.id;
    for (const { id } of VIEWS) {
      const tab = document.getElementById(`tab-${id}`)!;
      tab.setAttribute('aria-selected', String(id === view.id));
      tab.setAttribute('tabindex', id === view.id ? '0' : '-1');
      if (id === view.id && !same) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    this.main.setAttribute('aria-labelledby', `tab-${view.id}`);
    this.width = this.main.clientWidth;
    const section = el('section', { class: 'view', 'aria-label': view.title });
    fill(this.main, section);
    const missing = view.missing?.(this.core) ?? null;
    if (missing) section.append(emptyMessage(`${view.title} cannot be shown`, missing));
    else view.draw(this.core, section);
    this.drawChosen();
    this.main.scrollTop = same ? top : 0;
    const find = (name: string, value: string | null | undefined): HTMLElement | null =>
      value ? this.main.querySelector<HTMLElement>(`[${name}="${CSS.escape(value)}"]`) : null;
    const again =
      find('data-control', control) ??
      find('data-reference', reference) ??
      (segment
        ? this.main.querySelector<HTMLElement>(`[aria-label="${CSS.escape(segment)}"] [aria-checked=true]`)
        : null);
    again?.focus({ preventScroll: true });
    document.documentElement.dataset['busy'] = 'false';
  }

  private drawChosen(): void {
    const { core } = this,
      { point: reference, before, after } = core.state,
      found = findPoint(core.sweep, reference);
    this.chosen.hidden = !found;
    if (!found) return fill(this.chosen);
    const { sweep, point } = found,
      trouble = visible(troubleOf(point));
    const numbers = sweep.plan.metrics.flatMap((metric) => {
      const number = numberOf(point, metric);
      return number ? [`${visible(metric.name)} ${withUnit(number.median, metric.unit)}`] : [];
    });
    const rest = numbers.length - MAX_METRICS;
    fill(
      this.chosen,
      el('b', { class: 'name' }, core.name(sweep, point)),
      el('span', { class: 'numbers' }, numbers.slice(0, MAX_METRICS).join(', ') + (rest > 0 ? `, ${rest} more` : '')),
      trouble ? el('span', { class: 'bad' }, trouble) : null,
      el('span', { class: 'grow' }),
      point.page ? el('span', null, 'Open its ', profileLink(point)) : el('span', { class: 'faint' }, 'no profile'),
      button('Before', () => core.change({ before: reference }), {
        'aria-pressed': String(before === reference),
        title: 'Compare: use this point as the first',
      }),
      button(
        'After',
        () => core.change({ after: reference, view: before && before !== reference ? 'compare' : core.state.view }),
        { 'aria-pressed': String(after === reference), title: 'Compare: use this point as the second' },
      ),
      button('\u2715', () => core.change({ point: '' }), { class: 'button icon', 'aria-label': 'Unselect' }),
    );
  }

  private key(event: KeyboardEvent): void {
    const target = event.target,
      typing = target instanceof HTMLSelectElement || target instanceof HTMLInputElement;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const view = VIEWS.find(({ key }) => key === event.key);
    if (event.key === 'Escape') this.core.change({ point: '' });
    else if (typing) return;
    else if (view) this.core.change({ view: view.id });
    else if (event.key === 'D') switchTheme(() => this.draw());
    else if (event.key === '?') this.help();
    else if (event.key === 'o' && this.core.state.point) this.core.open(this.core.state.point);
    else return;
    event.preventDefault();
  }

  private help(): void {
    const keys: [string, string][] = [
      ...VIEWS.map(({ key, title, about }): [string, string] => [key, `${title}: ${about}`]),
      ['arrows', 'go from point to point in a plot or heat map'],
      ['Enter', 'choose the point'],
      ['o  double click', 'open the profile of the point'],
      ['Escape', 'unselect the point'],
      ['D', 'switch between dark and light'],
      ['?', 'show this help'],
    ];
    const dialog = el(
      'dialog',
      { 'aria-label': 'Keys' },
      el('h2', null, 'Keys'),
      el(
        'dl',
        { class: 'facts-list' },
        ...keys.flatMap(([key, about]) => [el('dt', null, el('kbd', null, key)), el('dd', null, about)]),
      ),
      button('Close', () => dialog.close()),
    );
    showDialog(dialog);
  }
}

export function startSweep(sweep: Sweep, words: Words, root: HTMLElement): void {
  new Page(sweep, words, root);
}
