// The row of filters: event, process, thread, CPU, mode, grouping; a chip for each filter that is on; and the
// transforms as a breadcrumb from which later ones can be taken off.

import type { Breakdown, GroupBy } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { transformTitle } from './commands.ts';
import { el, fill } from './dom.ts';
import { choice, clearFilters, sameItems } from './part.ts';
import { Question } from './question.ts';
import { clock, percent, plural, shortLabel, visible } from './text.ts';

const ALL = 'all';
const LONGEST_LIST = 2000;

// A pattern as its writer typed it: search_box.ts wraps those for any case.
const plainPattern = (pattern: string): string => shortLabel(visible(pattern.replace(/^\(\?i:(.*)\)$/, '$1')), 40);

export class Filters {
  readonly element = el('div', { class: 'filters', role: 'toolbar', 'aria-label': 'Filters' });
  private threads: Breakdown | null = null;
  private readonly question = new Question();
  private drawn: unknown[] = [];

  constructor(private readonly app: AppCore) {}

  update(): void {
    const { model } = this.app.state;
    if (this.app.info.hasThreads && this.question.isNew(model.profile, model.event)) void this.loadThreads();
    const drawn = [model, this.app.labels, this.app.state.view];
    if (!sameItems(drawn, this.drawn)) this.draw();
    this.drawn = drawn;
  }

  // Threads by what they cost, so that the busiest comes first.
  private async loadThreads(): Promise<void> {
    const { app } = this,
      { model } = app.state;
    const everything = {
      ...model,
      threads: null,
      processes: null,
      cpus: null,
      mode: '' as const,
      range: null,
      modules: null,
      hiddenModules: [],
      focus: '',
      ignore: '',
      transforms: [],
    };
    this.threads =
      (await this.question.answer(
        app.ask('filters', 'breakdown', () => app.engine.breakdown(everything, 'thread')),
      )) ?? this.threads;
    this.draw();
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
      this.grouping(),
      ...this.chips(),
      app.state.model.transforms.length > 0 ? this.crumbs() : null,
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

  private processChoice(): HTMLElement | null {
    const { app } = this,
      { processes } = app.info,
      { model } = app.state;
    if (processes.length < 2) return null;
    return this.labelled(
      'Process',
      choice(
        'Process',
        [
          [ALL, 'all'],
          ...processes.slice(0, LONGEST_LIST).map((process, i) => [String(i), visible(process.label)] as const),
        ],
        model.processes ? String(model.processes[0]) : ALL,
        (value) => app.changeModel({ processes: value === ALL ? null : [Number(value)] }),
      ),
    );
  }

  private threadChoice(): HTMLElement | null {
    const { app } = this,
      { threads, threadGroups } = app.info,
      { model } = app.state;
    if (!app.info.hasThreads || threads.length < 2) return null;
    const options: [string, string][] = [[ALL, `all ${threads.length}`]];
    for (const group of threadGroups) {
      if (group.threads.length > 1 && group.threads.length < threads.length)
        options.push([
          `g${threadGroups.indexOf(group)}`,
          `${visible(group.label)} (${plural(group.threads.length, 'thread')})`,
        ]);
    }
    const whole = this.threads?.amount.weight || 1,
      order = this.threads ? [...this.threads.key] : threads.map((_, i) => i);
    order.slice(0, LONGEST_LIST).forEach((id, i) => {
      if (id >= 0)
        options.push([
          String(id),
          visible(threads[id].label) + (this.threads ? ` \u2013 ${percent(this.threads.total[i] / whole)}` : ''),
        ]);
    });
    const group = threadGroups.findIndex(({ threads: ids }) => ids.length > 1 && ids.join() === model.threads?.join());
    const value =
      model.threads === null
        ? ALL
        : model.threads.length === 1
          ? String(model.threads[0])
          : group >= 0
            ? `g${group}`
            : 'some';
    if (value === 'some') options.push(['some', plural(model.threads!.length, 'thread')]);
    return this.labelled(
      'Thread',
      choice('Thread', options, value, (chosen) => {
        if (chosen === 'some') return;
        app.changeModel({
          threads:
            chosen === ALL
              ? null
              : chosen.startsWith('g')
                ? [...threadGroups[Number(chosen.slice(1))].threads]
                : [Number(chosen)],
        });
      }),
    );
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

  private grouping(): HTMLElement {
    const { app } = this,
      { model } = app.state,
      { info } = app;
    const options: [string, string][] = [['function', 'function']];
    if (info.hasModules) options.push(['module', 'module']);
    if (app.labels.files.length > 0 || info.hasLines) options.push(['file', 'file']);
    if (info.hasLines) options.push(['line', 'line']);
    if (info.hasThreads) options.push(['thread', 'thread, then function']);
    const value = model.byThread && model.groupBy === 'function' ? 'thread' : model.groupBy;
    return this.labelled(
      'Group by',
      choice('Group by', options, value, (chosen) => {
        app.select(null);
        app.change(
          { zoom: [], selected: -1 },
          chosen === 'thread'
            ? { groupBy: 'function', byThread: true }
            : { groupBy: chosen as GroupBy, byThread: false },
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
      { model } = app.state,
      result: HTMLElement[] = [],
      duration = app.info.duration;
    if (model.range) {
      const [from, to] = model.range;
      result.push(
        this.chip(`${clock(from, duration)} \u2013 ${clock(to, duration)}`, () => app.changeModel({ range: null })),
      );
    }
    for (const module of model.hiddenModules) {
      result.push(
        this.chip(`without ${app.moduleName(module)}`, () =>
          app.changeModel({ hiddenModules: model.hiddenModules.filter((id) => id !== module) }),
        ),
      );
    }
    for (const module of model.modules ?? []) {
      const rest = model.modules!.filter((id) => id !== module);
      result.push(
        this.chip(`through ${app.moduleName(module)}`, () =>
          app.changeModel({ modules: rest.length > 0 ? rest : null }),
        ),
      );
    }
    if (model.focus)
      result.push(this.chip(`only with ${plainPattern(model.focus)}`, () => app.changeModel({ focus: '' })));
    if (model.ignore)
      result.push(this.chip(`without ${plainPattern(model.ignore)}`, () => app.changeModel({ ignore: '' })));
    if (result.length > 1)
      result.push(
        el('button', { type: 'button', class: 'button-link', onclick: () => clearFilters(app) }, 'Clear all'),
      );
    return result;
  }

  private crumbs(): HTMLElement {
    const { app } = this,
      { transforms } = app.state.model;
    const crumb = (text: string, keep: number): HTMLElement =>
      el(
        'li',
        null,
        el(
          'button',
          {
            type: 'button',
            title: keep < transforms.length ? `Back to: ${text}` : text,
            'aria-current': keep === transforms.length ? 'step' : undefined,
            onclick: () => app.change({ zoom: [] }, { transforms: transforms.slice(0, keep) }),
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
