// SPDX-License-Identifier: Apache-2.0
// The page: header, tabs, time range, filters, one view, status line, and the keys that work everywhere.
//
// Page creates the parts and updates them after every change of the state (AppCore). It creates a view when that is
// first shown. A key goes to the view first, then to the tabs, the page, and the commands for the selected frame.

import type { Engine } from '../model/interface.ts';
import { AppCore } from './app_core.ts';
import { COMMANDS, onMessage } from './commands.ts';
import { el, fill } from './dom.ts';
import { EarlyKeys } from './early_keys.ts';
import { Filters, popTransform } from './filters.ts';
import { showHelp } from './help.ts';
import { tooltip } from './frame_text.ts';
import { openFrameMenu } from './frame_menu.ts';
import { closeMenu } from './menu.ts';
import { Overview } from './overview.ts';
import { cautions, footer, pageHeader, themeButton, viewTab, viewTabs } from './page_frame.ts';
import { button, emptyMessage, unfiltered, type ViewPart, type ViewRow } from './part.ts';
import { PYTHON_SLOT, slotsOf } from './palette.ts';
import { paperLine } from './paper.ts';
import type { PageState } from './page_state.ts';
import { savePicture } from './picture/save.ts';
import { showProblem } from './problem.ts';
import { profileFacts, profileTitle } from './profile_words.ts';
import { SearchBox } from './search_box.ts';
import { status } from './status.ts';
import { applyTheme, startTheme, switchTheme } from './theme.ts';
import { visible } from './text.ts';
import { VIEWS } from './views.ts';

const SLOW_MS = 250;
// A list of choices has the focus after a choice, and most keys select a choice in it. These keys do not.
const KEYS_OUTSIDE_A_LIST = /^([1-9/?]|Escape)$/;

class Page {
  private readonly app: AppCore;
  private readonly overview: Overview;
  private readonly filters: Filters;
  private readonly search: SearchBox;
  private readonly main = el('main', { id: 'view', tabindex: '-1' });
  private readonly tabs: HTMLElement;
  private readonly parts = new Map<string, ViewPart>();
  private shown: ViewRow | null = null;
  private readonly title: string;
  private readonly busy = el('div', { class: 'busy', hidden: true, role: 'status' }, 'Calculating\u2026');
  private busyTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: Engine, root: HTMLElement) {
    status.start();
    this.app = new AppCore(engine);
    this.title = profileTitle(engine.loaded.profiles, document.title.replace(/ - wick$/, ''));
    startTheme(() => this.themeChanged());
    onMessage((message) => status.toast(message));
    if (!VIEWS.some(({ id }) => id === this.app.state.view))
      this.app.state.view = engine.loaded.profiles.length > 1 ? 'diff' : 'summary';
    this.overview = new Overview(this.app);
    this.filters = new Filters(this.app);
    this.search = new SearchBox(
      this.app,
      (direction) => this.part()?.step?.(direction),
      () => this.part()?.focus(),
    );
    this.tabs = viewTabs(
      VIEWS.filter(({ id }) => id !== 'diff' || engine.loaded.profiles.length > 1).map((view) =>
        viewTab(view, () => this.app.change({ view: view.id })),
      ),
    );
    this.tabs.addEventListener('keydown', (event) => this.moveInTabs(event));
    fill(
      root,
      el(
        'a',
        {
          class: 'skip',
          href: '#',
          onclick: (event: Event) => {
            event.preventDefault();
            this.part()?.focus();
          },
        },
        'Skip to the view',
      ),
      this.header(),
      cautions(this.app.info.cautions),
      this.tabs,
      this.overview.element,
      this.filters.element,
      paperLine(root, () => this.shown?.title ?? ''),
      el('div', { class: 'middle' }, this.main, this.busy),
      footer(),
      status.live,
    );
    this.app.listen((before) => this.update(before));
    this.app.onError = (message) => status.toast(message);
    this.app.onNewNumbers = () => status.clear();
    this.app.timeColumn = () => this.part()?.timeColumn?.() ?? null;
    this.app.onBusy = (busy) => this.showBusy(busy);
    document.addEventListener('keydown', (event) => this.key(event));
    // No pointer leaves what a finger touched: the next touch removes the tooltip.
    document.addEventListener('pointerdown', () => tooltip.show(null, 0, 0), true);
  }

  // Only slow answers are announced.
  private showBusy(busy: boolean): void {
    document.documentElement.dataset['busy'] = String(busy);
    if (!busy) {
      clearTimeout(this.busyTimer);
      this.busyTimer = undefined;
      this.busy.hidden = true;
    } else {
      this.busyTimer ??= setTimeout(() => (this.busy.hidden = false), SLOW_MS);
    }
  }

  async start(): Promise<void> {
    const { app } = this;
    if (app.info.hasModules) {
      // Colours of modules depend on the whole profile, so filters do not change them.
      const modules = await app.engine.breakdown(unfiltered(app.state.model), 'module');
      const weights = new Float64Array(app.info.modules.length);
      modules?.key.forEach((module, i) => {
        if (module >= 0) weights[module] = modules.self[i];
      });
      app.moduleWeights = weights;
      const { modules: infos } = app.info,
        hasSources = infos.some(({ kind }) => kind !== 0);
      app.moduleSlots = slotsOf(
        infos.map(({ name }) => name),
        weights.map((weight, module) => (infos[module].kind === 0 ? weight : 0)),
        hasSources ? [PYTHON_SLOT] : [],
      ).map((slot, module) => (infos[module].kind === 0 ? slot : PYTHON_SLOT));
    }
    await app.updateParts(null);
    if (app.invalidPatterns.length > 0)
      status.toast(
        `The page ignores filters of the link that are not regular expressions: ${app.invalidPatterns.map(visible).join(', ')}`,
      );
    document.title = `${this.title} \u2013 wick`;
    await earlyKeys.replay(() => app.answered());
  }

  private header(): HTMLElement {
    const { profiles } = this.app.engine.loaded;
    const help = button('?', showHelp, {
      class: 'button icon',
      title: 'Keys and gestures (?)',
      'aria-label': 'Keys and gestures',
    });
    return pageHeader(
      this.title,
      profileFacts(profiles),
      this.search.element,
      themeButton(() => this.switchTheme()),
      help,
    );
  }

  private moveInTabs(event: KeyboardEvent): void {
    const tabs = [...this.tabs.querySelectorAll<HTMLElement>('.tab')],
      at = tabs.indexOf(document.activeElement as HTMLElement);
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(at + by + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }

  private part(): ViewPart | undefined {
    return this.shown ? this.parts.get(this.shown.id) : undefined;
  }

  private update(before: PageState | null): void {
    this.search.update();
    // The model answers in the order of the questions: the view first.
    this.updateView(before);
    this.filters.update();
    this.overview.update();
  }

  private updateView(before: PageState | null): void {
    const { app } = this,
      view = VIEWS.find(({ id }) => id === app.state.view) ?? VIEWS[0];
    for (const tab of this.tabs.children) {
      const selected = tab.id === `tab-${view.id}`;
      tab.setAttribute('aria-selected', String(selected));
      tab.classList.toggle('faded', Boolean(VIEWS.find(({ id }) => tab.id === `tab-${id}`)?.missing?.(app)));
      (tab as HTMLElement).tabIndex = selected ? 0 : -1;
      if (selected && view !== this.shown) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    const missing = view.missing?.(app) ?? null,
      changed = view !== this.shown;
    this.shown = view;
    app.savePicture = view.hasPicture && !missing ? () => this.savePicture() : null;
    if (missing) return fill(this.main, el('section', null, emptyMessage(`${view.title} cannot be shown`, missing)));
    let part = this.parts.get(view.id);
    if (!part) this.parts.set(view.id, (part = view.create(app)));
    if (changed || part.element.parentElement !== this.main) {
      const inTabs = this.tabs.contains(document.activeElement),
        first = before === null;
      tooltip.show(null, 0, 0);
      fill(this.main, part.element);
      part.update(null);
      if (!inTabs && !first) part.focus();
    } else {
      part.update(before);
    }
  }

  private savePicture(): void {
    const picture = this.part()?.savedPicture?.();
    if (picture) return status.toast(`The browser saves the picture as ${savePicture(this.app, this.title, picture)}.`);
    const titles = VIEWS.filter(({ hasPicture, missing }) => hasPicture && !missing?.(this.app)).map(
      (row) => row.title,
    );
    status.toast(
      this.app.savePicture
        ? 'The view is empty: there is nothing to save.'
        : `This view has no picture to save. These views have one: ${titles.join(', ')}.`,
    );
  }

  private switchTheme(): void {
    switchTheme(() => this.themeChanged());
  }

  private themeChanged(): void {
    this.app.themeChanged();
    this.part()?.theme?.();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement,
      typing =
        target instanceof HTMLInputElement ||
        target instanceof HTMLTextAreaElement ||
        (target instanceof HTMLSelectElement && !KEYS_OUTSIDE_A_LIST.test(event.key));
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key === 'f') {
      event.preventDefault();
      return this.search.focus();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector('dialog[open]')) return;
    if (target instanceof HTMLSelectElement) {
      event.preventDefault();
      this.part()?.focus();
      if (event.key === 'Escape') return;
    }
    if (this.enterView(event) || this.runKey(event.key)) event.preventDefault();
  }

  // Nothing has the focus, as after opening the page: arrow keys go to the view.
  private enterView(event: KeyboardEvent): boolean {
    if (!event.key.startsWith('Arrow') || document.activeElement !== document.body) return false;
    this.part()?.focus();
    const entered = document.activeElement;
    if (!entered || entered === document.body) return false;
    entered.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, shiftKey: event.shiftKey, bubbles: false }));
    return true;
  }

  private runKey(key: string): boolean {
    const { app } = this,
      { selection } = app;
    const general: Record<string, () => void> = {
      '/': () => this.search.focus(),
      '?': showHelp,
      n: () => this.part()?.step?.(1),
      N: () => this.part()?.step?.(-1),
      D: () => this.switchTheme(),
      T: () => this.overview.focus(),
      z: () => app.zoomIn(),
      P: () => this.savePicture(),
      i: () => app.change({ inverted: !app.state.inverted, zoom: [] }),
      Backspace: () => void popTransform(app),
      Escape: () => this.escape(),
      ContextMenu: () => this.menuByKey(),
    };
    const view = VIEWS.find((row) => row.key === key && this.tabs.querySelector(`#tab-${row.id}`));
    const own = this.part()?.keys?.[key],
      command = COMMANDS.find((row) => row.key === key);
    if (own) own();
    else if (view) app.change({ view: view.id });
    else if (general[key]) general[key]();
    else if (command && selection && (command.usable?.(app, selection) ?? true)) command.run(app, selection);
    else if (command && !selection) status.toast('Select a frame first: click it, or use the arrow keys.');
    else return false;
    return true;
  }

  private menuByKey(): void {
    const bounds = this.main.getBoundingClientRect();
    openFrameMenu(this.app, bounds.left + 60, bounds.top + 60);
  }

  private escape(): void {
    const { app } = this;
    if (closeMenu() || this.search.clear()) return;
    if (app.selection) return app.select(null);
    if (app.state.zoom.length > 0) return app.change({ zoom: [] });
    const { range } = app.state.model,
      [from, to] = app.shownTime;
    if (range && (range[0] > from || range[1] < to)) return app.chooseTime(null);
    if (app.state.zooms.length > 0) app.zoomOutTo(app.state.zooms.length - 1);
  }
}

const earlyKeys = new EarlyKeys();

export function startApp(engine: Engine, root: HTMLElement): void {
  const page = new Page(engine, root);
  page.start().catch((error: unknown) => showFailure(error, root));
}

export function showFailure(error: unknown, root: HTMLElement): void {
  earlyKeys.stop();
  showProblem(error instanceof Error ? error.message : String(error), root);
}

// Shown while the page unpacks the profile, which takes a second for large ones.
export function showWaiting(root: HTMLElement): void {
  applyTheme();
  earlyKeys.start();
  const note = el('p', { class: 'empty', role: 'status', hidden: true }, 'Reading the profile\u2026');
  setTimeout(() => (note.hidden = false), SLOW_MS);
  fill(root, el('main', { class: 'problem' }, note));
}
