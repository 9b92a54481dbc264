// SPDX-License-Identifier: Apache-2.0
// The row of filters: event, process, thread, CPU, mode, stacks, grouping; a chip for each active filter; and the transforms as
// a breadcrumb, which can remove the later ones.

import type { Breakdown, GroupBy, LabelInfo, Levels, ShownFrames } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { transformTitle } from './commands.ts';
import { el, fill } from './dom.ts';
import { activeFilters, levelWords } from './filter_words.ts';
import { choice, clearFilters, LONGEST_LIST, sameItems, unfiltered } from './part.ts';
import { processLabels, threadLabels } from './profile_words.ts';
import { Question } from './question.ts';
import { percent, plural, shortLabel, thousands, visible } from './text.ts';

const ALL = 'all';

// The expression for exactly this text.
const exactly = (text: string): string => `^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;

export class Filters {
  readonly element = el('div', { class: 'filters', role: 'toolbar', 'aria-label': 'Filters' });
  private threads: Breakdown | null = null;
  private readonly question = new Question();
  private readonly amountQuestion = new Question();
  private readonly left = el('output', { class: 'left', 'aria-live': 'polite' });
  private drawn: unknown[] = [];

  constructor(private readonly app: AppCore) {}

  update(): void {
    const { model } = this.app.state;
    if (this.app.info.hasThreads && this.question.isNew(model.profile, model.event)) void this.loadThreads();
    if (this.amountQuestion.isNew(model, this.app.state.view)) void this.showRemaining();
    const drawn = [model, this.app.labels, this.app.state.view];
    if (!sameItems(drawn, this.drawn)) this.draw();
    this.drawn = drawn;
  }

  // Threads by cost, the busiest first.
  private async loadThreads(): Promise<void> {
    const { app } = this,
      { model } = app.state;
    const everything = unfiltered(model);
    this.threads =
      (await this.question.answer(app.ask('filters', 'breakdown', () => app.engine.breakdown(everything, 'thread')))) ??
      this.threads;
    this.draw();
  }

  // Shows the share of the profile that passes filters and transforms, if it is not all.
  private async showRemaining(): Promise<void> {
    const { app } = this,
      { model, view } = app.state,
      whole = app.info.events[model.event]?.weight ?? 0,
      amount = await this.amountQuestion.answer(app.ask('left', 'amount', () => app.engine.amount(model)));
    if (!amount) return;
    const share = whole > 0 ? amount.weight / whole : 1,
      text = view === 'diff' || share >= 1 ? '' : `${percent(share)} of the profile passes the filters`;
    if (this.left.textContent !== text) this.left.textContent = text;
  }

  private draw(): void {
    const { app } = this,
      focused = document.activeElement?.getAttribute('data-filter');
    const parts = [
      this.profiles(),
      this.events(),
      this.processChoice(),
      this.threadChoice(),
      this.cpuChoice(),
      this.modeChoice(),
      this.labelChoice(),
      this.stacks(),
      this.grouping(),
      ...this.chips(),
      app.state.model.transforms.length > 0 ? this.crumbs() : null,
      this.left,
    ];
    fill(this.element, ...parts);
    if (focused) this.element.querySelector<HTMLElement>(`[data-filter="${focused}"]`)?.focus();
  }

  private labelled(name: string, select: HTMLSelectElement): HTMLElement {
    select.dataset['filter'] = name;
    return el('label', null, name, select);
  }

  private profiles(): HTMLElement | null {
    const { app } = this,
      { profiles } = app.engine.loaded;
    if (profiles.length < 2 || app.state.view === 'diff') return null;
    return this.labelled(
      'Profile',
      choice(
        'Profile',
        [
          ['0', `before: ${profiles[0].title}`],
          ['1', `after: ${profiles[1].title}`],
        ],
        String(app.state.model.profile),
        (value) =>
          app.changeModel({ profile: value === '1' ? 1 : 0, threads: null, processes: null, cpus: null, range: null }),
      ),
    );
  }

  private events(): HTMLElement | null {
    const { app } = this,
      { events } = app.info;
    if (events.length < 2) return null;
    return this.labelled(
      'Event',
      choice(
        'Event',
        events.map((event, i) => [String(i), visible(event.name)] as const),
        String(app.state.model.event),
        (value) => app.changeModel({ event: Number(value) }),
      ),
    );
  }

  // Two runs have names in common, not ids: if both are shown, threads and processes are chosen by name.
  private byName(names: string[], own: number[][]): [string, number[]][] {
    const ids = new Map<string, number[]>();
    for (const id of new Set(own.flat())) ids.set(names[id], [...(ids.get(names[id]) ?? []), id]);
    return [...ids].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  private idChoice(
    name: 'Process' | 'Thread',
    rows: [label: string, ids: number[]][],
    chosen: number[] | null,
    all: string,
    change: (ids: number[] | null) => void,
  ): HTMLElement | null {
    if (rows.length < 2 && !chosen) return null;
    const at = chosen ? rows.findIndex(([, ids]) => sameItems(ids, chosen)) : -1,
      value = chosen === null ? ALL : at >= 0 ? String(at) : 'some',
      options: [string, string][] = [[ALL, all]];
    rows.slice(0, LONGEST_LIST).forEach(([label], i) => options.push([String(i), visible(label)]));
    if (value === 'some')
      options.push(['some', plural(chosen!.length, name.toLowerCase(), name === 'Thread' ? 'threads' : 'processes')]);
    return this.labelled(
      name,
      choice(name, options, value, (picked) => {
        if (picked !== 'some') change(picked === ALL ? null : rows[Number(picked)][1]);
      }),
    );
  }

  private processChoice(): HTMLElement | null {
    const { app } = this,
      { processes, ownProcesses } = app.info,
      { profiles } = app.engine.loaded;
    const rows: [string, number[]][] =
      app.state.view === 'diff'
        ? this.byName(
            processes.map(({ name, label }) => name || label),
            profiles.map((profile) => profile.ownProcesses),
          )
        : ownProcesses.map((id) => [processLabels(app.info)[id], [id]]);
    return this.idChoice('Process', rows, app.state.model.processes, 'all', (ids) =>
      app.changeModel({ processes: ids }),
    );
  }

  private threadChoice(): HTMLElement | null {
    const { app } = this,
      { profiles } = app.engine.loaded,
      { model, view } = app.state,
      rows =
        view === 'diff'
          ? this.byName(
              app.info.threads.map(({ name }) => name || '[no name]'),
              profiles.map((profile) => profile.ownThreads),
            )
          : this.threadRows();
    const own = view === 'diff' ? '' : ` ${thousands(app.info.ownThreads.length)}`;
    return this.idChoice('Thread', rows, model.threads, `all${own}`, (ids) => app.changeModel({ threads: ids }));
  }

  // Groups of threads whose names differ in numbers only, then threads, the busiest first.
  private threadRows(): [string, number[]][] {
    const { threadGroups, ownThreads } = this.app.info,
      labels = threadLabels(this.app.info),
      own = new Set(ownThreads),
      rows: [string, number[]][] = [];
    for (const group of threadGroups) {
      const ids = group.threads.filter((id) => own.has(id));
      if (ids.length > 1 && ids.length < own.size) rows.push([`${group.label} (${plural(ids.length, 'thread')})`, ids]);
    }
    const whole = this.threads?.amount.weight || 1;
    if (!this.threads) return [...rows, ...ownThreads.map((id): [string, number[]] => [labels[id], [id]])];
    this.threads.ids.forEach((ids, i) => {
      if (ids[0] >= 0) rows.push([`${labels[ids[0]]} \u2013 ${percent(this.threads!.total[i] / whole)}`, ids]);
    });
    return rows;
  }

  private cpuChoice(): HTMLElement | null {
    const { app } = this,
      { cpus } = app.info,
      { model } = app.state;
    if (cpus.length < 2) return null;
    return this.labelled(
      'CPU',
      choice(
        'CPU',
        [[ALL, 'all'], ...cpus.map((cpu) => [String(cpu), String(cpu)] as const)],
        model.cpus ? String(model.cpus[0]) : ALL,
        (value) => app.changeModel({ cpus: value === ALL ? null : [Number(value)] }),
      ),
    );
  }

  private modeChoice(): HTMLElement | null {
    const { app } = this;
    if (!app.info.hasModes) return null;
    return this.labelled(
      'Mode',
      choice(
        'Mode',
        [
          ['', 'user and kernel'],
          ['user', 'user'],
          ['kernel', 'kernel'],
        ],
        app.state.model.mode,
        (value) => app.changeModel({ mode: value as '' | 'user' | 'kernel' }),
      ),
    );
  }

  private labelChoice(): HTMLElement | null {
    const { app } = this,
      { labels } = app.info,
      chosen = app.state.model.labels,
      isChosen = ({ key, value }: LabelInfo): boolean =>
        chosen.length === 1 && chosen[0].key === key && chosen[0].pattern === exactly(value);
    if (labels.length === 0) return null;
    const options: [string, string][] = [[ALL, 'all']];
    labels.forEach(({ key, value }, i) => options.push([String(i), shortLabel(visible(`${key}=${value}`), 60)]));
    const at = labels.findIndex(isChosen),
      value = chosen.length === 0 ? ALL : at >= 0 ? String(at) : 'some';
    if (value === 'some') options.push(['some', plural(chosen.length, 'pattern')]);
    return this.labelled(
      'Label',
      choice('Label', options, value, (picked) => {
        if (picked === 'some') return;
        const label = labels[Number(picked)] as LabelInfo | undefined;
        app.changeModel({ labels: label ? [{ key: label.key, pattern: exactly(label.value) }] : [] });
      }),
    );
  }

  private stacks(): HTMLElement | null {
    const { app } = this;
    if (!app.info.isInterpreted) return null;
    return this.labelled(
      'Stacks',
      choice(
        'Stacks',
        [
          ['mixed', 'mixed'],
          ['runtime', 'runtime only'],
          ['native', 'native only'],
        ],
        app.state.model.stacks,
        (stacks) => app.change({ zoom: [], frame: null }, { stacks: stacks as ShownFrames }),
      ),
    );
  }

  private grouping(): HTMLElement {
    const { app } = this,
      { model } = app.state,
      { info } = app;
    const options: [string, string][] = [['function', 'function']];
    if (info.hasModules) options.push(['module', 'module']);
    if (app.labels.files.length > 0 || info.hasLines) options.push(['file', 'file']);
    if (info.hasLines) options.push(['line', 'line']);
    if (info.hasThreads) options.push(...Object.entries(levelWords));
    const value = model.levels !== 'none' && model.groupBy === 'function' ? model.levels : model.groupBy;
    return this.labelled(
      'Group by',
      choice('Group by', options, value, (chosen) => {
        app.change(
          { zoom: [], selected: -1, frame: null },
          Object.hasOwn(levelWords, chosen)
            ? { groupBy: 'function', levels: chosen as Levels }
            : { groupBy: chosen as GroupBy, levels: 'none' },
        );
      }),
    );
  }

  private chip(text: string, remove: () => void): HTMLElement {
    return el(
      'span',
      { class: 'chip' },
      el('span', { title: text }, text),
      el('button', { type: 'button', 'aria-label': `Remove ${text}`, onclick: remove }, '\u2715'),
    );
  }

  private chips(): HTMLElement[] {
    const { app } = this,
      result = activeFilters(app).map(({ text, without }) => this.chip(text, () => app.changeModel(without)));
    if (result.length > 1)
      result.push(
        el('button', { type: 'button', class: 'button-link', onclick: () => clearFilters(app) }, 'Clear all'),
      );
    return result;
  }

  private crumbs(): HTMLElement {
    const { app } = this,
      { transforms } = app.state.model;
    const crumb = (text: string, count: number): HTMLElement =>
      el(
        'li',
        null,
        el(
          'button',
          {
            type: 'button',
            title: count < transforms.length ? `Back to: ${text}` : text,
            'aria-current': count === transforms.length ? 'step' : undefined,
            onclick: () => app.change({ zoom: [] }, { transforms: transforms.slice(0, count) }),
          },
          text,
        ),
      );
    return el(
      'nav',
      { 'aria-label': 'Transforms' },
      el(
        'ol',
        { class: 'crumbs' },
        crumb('Everything', 0),
        ...transforms.map((transform, i) => crumb(transformTitle(app, transform), i + 1)),
      ),
    );
  }
}

export function popTransform(app: AppCore): boolean {
  const { transforms } = app.state.model;
  if (transforms.length === 0) return false;
  app.change({ zoom: [] }, { transforms: transforms.slice(0, -1) });
  return true;
}
