// SPDX-License-Identifier: Apache-2.0
// The Summary view: where the time went in one sentence, then the numbers and one picture.
//
// Each element leads to a view with more detail: a bar to its function, module or thread, a box to the flame graph, the
// share of complete stacks to the Quality view.

import type { Breakdown, CallTree, FunctionTable, Quality } from '../../model/interface.ts';
import type { AppCore } from '../app_core.ts';
import { coloured } from '../colouring.ts';
import { el, fill } from '../dom.ts';
import { fitNames } from '../fitted_names.ts';
import { FlamePanel } from '../flame_panel.ts';
import { inOneLine, tooltip, treeFacts } from '../frame_text.ts';
import { nothingLeft, stepThroughHits, type ViewPart } from '../part.ts';
import { Question } from '../question.ts';
import { pathOf } from '../paths.ts';
import { laneUnit, timeName } from '../profile_words.ts';
import { headline, type Phrase } from '../headline.ts';
import { status } from '../status.ts';
import { formsOfText, type NameForms } from '../label_forms.ts';
import { amount, percent, plural, shortLabel, thousands, visible } from '../text.ts';
import { TreeScene } from '../tree_scene.ts';

interface Answers {
  functions: FunctionTable;
  modules: Breakdown | null;
  threads: Breakdown | null;
  tree: CallTree;
  quality: Quality | null;
}

const TOP = 10;
const FIRST_FACTS = ['started', 'recorded by', 'kernel', 'host', 'command line', 'command']; // in reverse order

const HEADLINE_LETTER = 11.5; // the width of a name's letter, in pixels
const HEADLINE_MARGIN = 40;

// A row of a list, with a bar for its share.
interface Bar {
  forms: NameForms;
  origin: string; // may be empty
  weight: number;
  isHit: boolean;
  open: () => void;
}

export class SummaryView implements ViewPart {
  readonly element: HTMLElement;
  private readonly page = el('div', { class: 'summary' });
  private readonly panel: FlamePanel;
  private answers: Answers | null = null;
  private readonly question = new Question(() => this.element.isConnected);

  constructor(private readonly app: AppCore) {
    this.element = el('section', { 'aria-label': 'Summary' }, el('div', { class: 'scroll' }, this.page));
    this.panel = new FlamePanel({
      name: 'Small call tree. Enter opens the frame in the flame graph.',
      theme: () => app.theme,
      chosen: (box) => box && this.answers && status.announce(inOneLine(treeFacts(app, this.answers.tree, box.node))),
      hovered: (box, x, y) =>
        tooltip.show(box && this.answers ? treeFacts(app, this.answers.tree, box.node) : null, x, y),
      menu: () => {},
      zoomedTo: (box) =>
        box && app.change({ view: 'flame', inverted: false, zoom: pathOf(this.answers!.tree, box.node) }),
      moved: () => {},
    });
    this.panel.scrolls = false;
  }

  update(): void {
    if (this.question.isNew(this.app.state.model)) void this.load();
    else this.draw();
  }

  private async load(): Promise<void> {
    const answers = await this.question.answer(this.ask());
    if (!answers) return;
    this.answers = answers;
    this.draw();
  }

  private async ask(): Promise<Answers | null> {
    const { app } = this,
      { engine, info } = app,
      { model } = app.state;
    // All at once: the tracks' questions come after those that are asked now.
    const [functions, tree, quality, modules, threads] = await Promise.all([
      app.ask('summary functions', 'functions', () => engine.functions(model)),
      app.ask('summary tree', 'callTree', () => engine.callTree(model, { order: 'weight', inverted: false })),
      app.ask('summary quality', 'quality', () => engine.quality(model)),
      info.hasModules ? app.ask('summary modules', 'breakdown', () => engine.breakdown(model, 'module')) : null,
      info.ownThreads.length > 1
        ? app.ask('summary threads', 'breakdown', () => engine.breakdown(model, 'thread'))
        : null,
    ]);
    return functions && tree ? { functions, modules, threads, tree, quality } : null;
  }

  private draw(): void {
    const { answers, app } = this;
    if (!answers) return;
    if (answers.functions.amount.weight <= 0) return fill(this.page, nothingLeft(app));
    fill(
      this.page,
      this.head(answers),
      this.figures(answers),
      this.topFunctions(answers),
      this.picture(),
      answers.modules
        ? this.breakdown(
            'Modules',
            'by self time',
            answers.modules,
            (ids) => app.change({ view: 'functions' }, { modules: ids[0] >= 0 ? ids : null }),
            { isHit: (label) => app.isHitModule(label), name: (id) => app.moduleName(id) },
          )
        : null,
      answers.threads
        ? this.breakdown('Threads', plural(answers.threads.key.length, 'thread'), answers.threads, (ids) =>
            app.changeModel({ threads: ids[0] >= 0 ? ids : null }),
          )
        : null,
      this.about(),
    );
    const { look } = coloured(app, answers.tree);
    this.panel.show(new TreeScene(answers.tree), look, { rootBelow: false });
  }

  private head({ functions, tree, threads }: Answers): HTMLElement {
    const { app } = this,
      { lead, rest } = headline(app, functions, tree, threads);
    const columns = Math.max(24, Math.min(64, Math.floor((this.page.clientWidth - HEADLINE_MARGIN) / HEADLINE_LETTER)));
    const words = (phrase: Phrase): Node | string => {
      if (typeof phrase === 'string') return phrase;
      if ('strong' in phrase) return el('b', null, phrase.strong);
      const name = el('span', { class: 'name', title: app.name(phrase.func) }, app.shortName(phrase.func, columns));
      return phrase.module ? el('span', null, name, ` of ${phrase.module}`) : name;
    };
    return el(
      'div',
      null,
      el('p', { class: 'headline' }, ...lead.map(words)),
      el('p', { class: 'subline' }, ...rest.map(words)),
    );
  }

  private figures({ functions, quality, threads }: Answers): HTMLElement {
    const { app } = this,
      { info } = app,
      event = info.events[app.state.model.event],
      figure = (value: string, label: string): HTMLElement =>
        el('div', { class: 'card fact' }, el('span', { class: 'value' }, value), el('span', { class: 'label' }, label));
    const span = app.state.model.range ? app.state.model.range[1] - app.state.model.range[0] : info.duration;
    const figures = [];
    if (info.hasTime && span > 0)
      figures.push(figure(amount(span, 'nanoseconds'), app.state.model.range ? 'selected time' : 'duration'));
    figures.push(
      figure(
        app.cell(functions.amount.weight),
        event.unit === 'nanoseconds' ? `${timeName(event)} (${visible(event.name)})` : visible(event.name),
      ),
    );
    if (event.unit !== 'samples' && functions.amount.samples > 0)
      figures.push(figure(thousands(functions.amount.samples), functions.amount.samples === 1 ? 'sample' : 'samples'));
    if (info.hasTime && span > 0 && event.unit === 'nanoseconds')
      figures.push(
        figure(
          (functions.amount.weight / app.scale / span).toFixed(2),
          laneUnit(event) === 'CPU' ? 'CPUs busy on average' : 'threads on average',
        ),
      );
    const running = threads?.key.length ?? info.ownThreads.length; // those that pass the filters
    if (info.hasThreads) figures.push(figure(thousands(running), running === 1 ? 'thread' : 'threads'));
    if (quality) figures.push(this.qualityFigure(quality));
    return el('div', { class: 'cards' }, ...figures);
  }

  private qualityFigure(quality: Quality): HTMLElement {
    const classified = quality.complete + quality.truncated + quality.broken,
      all = classified + quality.lost;
    const [value, label] =
      quality.lost > 0
        ? [percent(quality.lost / (all + quality.unknown)), 'of the samples were lost']
        : classified > 0
          ? [percent(quality.complete / classified), 'of the stacks are complete']
          : ['\u2013', 'stack quality is unknown'];
    return el(
      'button',
      { type: 'button', class: 'card fact button-card', onclick: () => this.app.change({ view: 'quality' }) },
      el('span', { class: 'value' }, value),
      el('span', { class: 'label' }, `${label} \u2192`),
    );
  }

  private picture(): HTMLElement {
    const more = el(
      'button',
      { type: 'button', class: 'button-link more', onclick: () => this.app.change({ view: 'flame' }) },
      'Open the flame graph \u2192',
    );
    return el(
      'div',
      { class: 'card seven' },
      el(
        'h2',
        null,
        'Call tree',
        el('span', { class: 'faint' }, 'wider frames cost more; double-click a frame to zoom in'),
        more,
      ),
      el('div', { class: 'mini-flame' }, this.panel.element),
    );
  }

  private topFunctions({ functions }: Answers): HTMLElement {
    const { app } = this,
      whole = functions.amount.weight,
      bars: Bar[] = [];
    for (let i = 0; i < Math.min(TOP, functions.func.length); i++) {
      if (functions.self[i] <= 0) break;
      const func = functions.func[i],
        module = app.moduleName(app.moduleOf(func));
      bars.push({
        forms: app.forms(func),
        origin: functions.late[i] ? [app.words.late.mark, module].filter(Boolean).join(', ') : module,
        weight: functions.self[i],
        isHit: app.isHit(func),
        open: () => app.change({ view: 'functions', selected: func }),
      });
    }
    return this.list('Functions', 'by self time', bars, whole, () => app.change({ view: 'functions' }), 'five');
  }

  private breakdown(
    title: string,
    note: string,
    { key, ids, label, self, amount: { weight } }: Breakdown,
    open: (ids: number[]) => void,
    {
      isHit = () => false,
      name = () => '',
    }: { isHit?: (label: string) => boolean; name?: (id: number) => string } = {},
  ): HTMLElement {
    const order = [...key.keys()]
      .sort((a, b) => self[b] - self[a])
      .slice(0, TOP)
      .filter((i) => self[i] > 0);
    const bars = order.map((i) => ({
      forms: formsOfText(name(ids[i][0] ?? -1) || visible(label[i]) || '[unknown]'),
      origin: '',
      weight: self[i],
      isHit: isHit(label[i]),
      open: () => open(ids[i]),
    }));
    return this.list(title, note, bars, weight);
  }

  private list(title: string, note: string, bars: Bar[], whole: number, more?: () => void, size = 'half'): HTMLElement {
    const names = bars.map(({ forms }) => ({ forms, element: el('span', { class: 'mono' }, forms.forms[0]) })),
      list = el('ul', { class: 'bars' }, ...bars.map((bar, i) => this.bar(bar, names[i].element, whole)));
    fitNames(list, names);
    return el(
      'div',
      { class: `card ${size}` },
      el(
        'h2',
        null,
        title,
        el('span', { class: 'faint' }, note),
        more ? el('button', { type: 'button', class: 'button-link more', onclick: more }, 'All \u2192') : null,
      ),
      list,
    );
  }

  private bar({ forms, origin, weight, isHit, open }: Bar, name: HTMLElement, whole: number): HTMLElement {
    const share = weight / whole;
    return el(
      'li',
      null,
      el(
        'button',
        { type: 'button', class: 'bar', onclick: open, title: forms.name, 'data-hit': isHit },
        el('i', { style: `width:${(share * 100).toFixed(2)}%` }),
        name,
        origin ? el('span', { class: 'faint' }, origin) : null,
      ),
      el('span', { class: 'share number', title: amount(weight / this.app.scale, this.app.unit) }, percent(share)),
    );
  }

  private about(): HTMLElement {
    const { info } = this.app;
    // The most important facts first; counts of records are only in wick info.
    const rank = (key: string): number => FIRST_FACTS.indexOf(key);
    const rows = info.facts
      .filter(({ key }) => !key.startsWith('records '))
      .sort((a, b) => rank(b.key) - rank(a.key))
      .map(({ key, value }): [string, string] => [visible(key), visible(value)]);
    const losses = info.losses.filter((loss) => loss.dataLoss);
    return el(
      'div',
      { class: 'card half' },
      el('h2', null, 'About this profile'),
      el(
        'dl',
        { class: 'facts-list' },
        ...rows.flatMap(([key, value]) => [el('dt', null, key), el('dd', null, shortLabel(value, 300))]),
      ),
      ...info.notes.map((note) => el('p', { class: 'note' }, visible(note))),
      losses.length > 0
        ? el(
            'p',
            { class: 'note bad' },
            `${plural(losses.length, 'kind of loss', 'kinds of loss')}: ${losses.map((loss) => visible(loss.reason)).join('; ')}.`,
          )
        : null,
    );
  }

  step(direction: 1 | -1): void {
    stepThroughHits(this.page, direction);
  }

  theme(): void {
    this.draw();
  }

  focus(): void {
    this.page.querySelector<HTMLElement>('.bar')?.focus();
  }
}
