// SPDX-License-Identifier: Apache-2.0
// Shared by all parts of the page: the engine, the state and its history, names, search hits, the selected frame.
//
// Views do not call each other. A view calls change(); the state goes into the URL, and every part is updated and asks
// the engine again for its data.

import {
  initialState,
  SlowPattern,
  type Engine,
  type FunctionId,
  type Labels,
  type ProfileInfo,
  type SearchResult,
  type ThreadId,
  type Words,
} from '../model/interface.ts';
import { fitTo, fromFragment, toFragment, type PageState, type Selection } from './page_state.ts';
import type { Theme } from './palette.ts';
import { laneUnit } from './profile_words.ts';
import { formsOf, formsOfText, type NameForms } from './label_forms.ts';
import { amount, cellAmount, clock, distinctPaths, labelOf, visible } from './text.ts';

export type { Selection } from './page_state.ts';

const WRITE_DELAY_MS = 120;
const SHORT_PAUSE_MS = 20;

export type Listener = (before: PageState | null) => void;

export class AppCore {
  state: PageState;
  labels!: Labels;
  readonly invalidPatterns: string[]; // invalid expressions of the first link
  searchResult: SearchResult | null = null; // of state.search; null: no search
  moduleWeights: Float64Array = new Float64Array(0);
  moduleSlots: Int8Array = new Int8Array(0);
  private hitModules: { of: SearchResult | null; names: Set<string> } = { of: null, names: new Set() };
  private moduleNames: string[] | null = null;
  private names: (string | undefined)[] = [];
  private knownForms: (NameForms | undefined)[] = []; // by function + 1: -1 is the root
  private readonly listeners: Listener[] = [];
  private readonly selectionListeners: (() => void)[] = [];
  private announcedSelection: Selection | null | undefined = null; // undefined: announce it again
  chosenTime: number | null = null;
  private readonly themeListeners: (() => void)[] = [];
  private written = '';
  private before: PageState | null = null;
  private pendingWrite: Promise<void> | null = null;
  private pending = 0;
  savePicture: (() => void) | null = null; // of the view that is shown; null if it has no picture
  timeColumn: () => HTMLElement | null = () => null; // of the view that is shown: the strip has its axis
  onTimeColumn: () => void = () => {}; // it may have another width
  onBusy: (busy: boolean) => void = () => {};
  onNewNumbers: () => void = () => {}; // shown costs are out of date
  onError: (message: string) => void = () => {};
  private readonly tickets = new Map<string, number>();
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(readonly engine: Engine) {
    this.state = fromFragment(location.hash);
    this.written = location.hash.replace(/^#/, '');
    this.invalidPatterns = fitTo(this.state, engine.loaded.profiles);
    window.addEventListener('popstate', () => this.restore());
    window.addEventListener('hashchange', () => this.restore());
  }

  get info(): ProfileInfo {
    return this.engine.loaded.profiles[this.state.model.profile];
  }

  get eventName(): string {
    return this.info.events[this.state.model.event]?.name ?? '';
  }

  get unit(): string {
    return this.info.events[this.state.model.event]?.unit ?? 'samples';
  }

  get laneUnit(): string {
    return laneUnit(this.info.events[this.state.model.event]);
  }

  get scale(): number {
    return this.info.events[this.state.model.event]?.scale || 1;
  }

  get theme(): Theme {
    return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  onSelection(listener: () => void): void {
    this.selectionListeners.push(listener);
  }

  onTheme(listener: () => void): void {
    this.themeListeners.push(listener);
  }

  themeChanged(): void {
    for (const listener of this.themeListeners) listener();
  }

  // `quiet` changes (moving, zooming) replace the history's entry; others add one.
  change(page: Partial<PageState>, model: Partial<PageState['model']> = {}, quiet = false): void {
    const before = this.state;
    if (model.range === null) page = { zooms: [], ...page };
    const sameModel = Object.keys(model).length === 0 && !page.model;
    this.state = { ...before, ...page, model: sameModel ? before.model : { ...before.model, ...page.model, ...model } };
    this.before = before;
    if (!sameModel) this.onNewNumbers();
    this.write(quiet);
    void this.updateParts(before);
  }

  // The time that the tracks show.
  get shownTime(): [number, number] {
    return this.state.zooms.at(-1) ?? [0, Math.max(1, this.info.duration)];
  }

  // A time in the tracks, with the digits that pixels have there.
  clock(time: number): string {
    const [from, to] = this.shownTime;
    return clock(time, to - from, to);
  }

  // A range for all views; null: all that the tracks show.
  chooseTime(range: [number, number] | null, quiet = false): void {
    const { zooms } = this.state;
    this.change({ zooms }, { range: range ?? zooms.at(-1) ?? null }, quiet);
  }

  // Shows only the range in the tracks, so that a part of it can be chosen.
  zoomIn(): void {
    const { model, zooms } = this.state,
      [from, to] = this.shownTime;
    if (model.range && model.range[0] < model.range[1] && (model.range[0] > from || model.range[1] < to))
      this.change({ zooms: [...zooms, model.range] });
  }

  // Back to one of the zooms; 0: to the whole recording.
  zoomOutTo(count: number): void {
    const zooms = this.state.zooms.slice(0, count);
    this.change({ zooms }, { range: zooms.at(-1) ?? null });
  }

  // For changes that only concern the address, such as the zoom of a picture.
  note(page: Partial<PageState>): void {
    this.before = this.state;
    this.state = { ...this.state, ...page };
    this.write(true);
  }

  changeModel(model: Partial<PageState['model']>, quiet = false): void {
    this.change({}, model, quiet);
  }

  // The threads of the profile, the busiest first: the colours of CPU lanes. Empty until they are asked for.
  rankedThreads: ThreadId[] = [];
  private ranking: { of: string; done: Promise<void> } | null = null; // the last question, of a profile and an event
  rankThreads(): Promise<void> {
    const { profile, event } = this.state.model,
      of = `${profile} ${event}`;
    if (this.ranking?.of !== of)
      this.ranking = { of, done: this.askRanking(of, { ...initialState(), profile, event }) };
    return this.ranking.done;
  }

  // Without an answer (a newer question has replaced this one) it is asked again next time.
  private async askRanking(of: string, state: PageState['model']): Promise<void> {
    const answer = await this.engine.breakdown(state, 'thread').catch(() => null);
    if (this.ranking?.of !== of) return;
    if (answer) this.rankedThreads = answer.ids.flat().filter((id) => id >= 0);
    else this.ranking = null;
  }

  get selection(): Selection | null {
    return this.state.frame;
  }

  // `time` is that of the sample or span that was chosen, where there is one: pictures over time mark it.
  select(selection: Selection | null, time: number | null = null): void {
    const isMoved = time !== this.chosenTime;
    this.chosenTime = time;
    if (selection !== this.state.frame) this.note({ frame: selection });
    else if (isMoved) this.announcedSelection = undefined;
    this.announceSelection();
  }

  private announceSelection(): void {
    if (this.announcedSelection === this.state.frame) return;
    this.announcedSelection = this.state.frame;
    for (const listener of this.selectionListeners) listener();
  }

  // Labels and search hits first, then every part of the page.
  updateParts(before: PageState | null): Promise<void> {
    return this.whileBusy(() => this.updateEach(before).catch((error: unknown) => this.reportError(error)));
  }

  private async updateEach(before: PageState | null): Promise<void> {
    const { model, search, ignoreCase } = this.state;
    const labels = await this.engine.labels(model);
    if (model !== this.state.model) return; // a newer change updates the parts
    if (labels !== this.labels) {
      this.labels = labels;
      this.names = [];
      this.knownForms = [];
    }
    this.fitSelection();
    if (before === null || before.search !== search || before.ignoreCase !== ignoreCase || before.model !== model)
      await this.searchAgain();
    if (model !== this.state.model) return;
    this.announceSelection();
    for (const listener of this.listeners) listener(before);
  }

  // A link may be from another profile.
  private fitSelection(): void {
    const { frame } = this.state,
      isKnown = (func: FunctionId): boolean => func < this.labels.name.length;
    if (frame && !(isKnown(frame.func) && frame.path.every(isKnown))) this.state = { ...this.state, frame: null };
  }

  private async searchAgain(): Promise<void> {
    const { model, search, ignoreCase } = this.state;
    if (search === '') {
      this.searchResult = null;
      return;
    }
    const result = await this.engine.search(model, search, ignoreCase).catch((error: unknown) => {
      if (!(error instanceof SlowPattern) || !error.patterns.includes(search)) throw error;
      return { error: error.message, matches: new Uint8Array(0), functions: 0, weight: 0, share: 0 };
    });
    const { state } = this;
    // The search was cleared or changed in the meantime; the new one has its own answer.
    if (!result || state.model !== model || state.search !== search || state.ignoreCase !== ignoreCase) return;
    this.searchResult = result;
  }

  // Puts the state into the address. Movements arrive sixty times a second, and browsers refuse that many entries, so
  // quiet changes are written after a delay.
  private write(quiet: boolean): void {
    if (quiet) {
      this.pendingWrite ??= this.whileBusy(() => new Promise((rest) => setTimeout(rest, WRITE_DELAY_MS))).then(() =>
        this.replace(),
      );
      return;
    }
    // A pending write belongs to the previous entry.
    if (this.pendingWrite && this.before) this.putFragment(this.before, true);
    this.putFragment(this.state, false);
  }

  private replace(): void {
    this.pendingWrite = null;
    this.putFragment(this.state, true);
  }

  private putFragment(state: PageState, replace: boolean): void {
    const fragment = toFragment(state);
    if (fragment === this.written) return;
    this.written = fragment;
    const url = fragment ? `#${fragment}` : location.pathname + location.search;
    try {
      if (replace) history.replaceState(null, '', url);
      else history.pushState(null, '', url);
    } catch {
      // Some browsers forbid history in files: the page works, but Back and links do not.
    }
  }

  private restore(): void {
    const fragment = location.hash.replace(/^#/, '');
    if (fragment === this.written) return;
    this.written = fragment;
    const before = this.state;
    this.state = fromFragment(fragment);
    fitTo(this.state, this.engine.loaded.profiles);
    this.onNewNumbers();
    void this.updateParts(before);
  }

  // Asks the engine for one part of the page. The engine answers only the newest call of a method; parts that ask the
  // same method therefore queue here. A part that asks again drops its older question, which returns null.
  async ask<T>(part: string, method: string, question: () => Promise<T | null>): Promise<T | null> {
    const ticket = (this.tickets.get(part) ?? 0) + 1;
    this.tickets.set(part, ticket);
    const current = (): boolean => this.tickets.get(part) === ticket;
    const turn = (this.queues.get(method) ?? Promise.resolve()).then(() => (current() ? question() : null));
    this.queues.set(
      method,
      turn.catch(() => undefined),
    );
    return this.whileBusy(async () => {
      const answer = await turn.catch((error: unknown) => {
        this.reportError(error);
        return null;
      });
      return current() ? answer : null;
    });
  }

  private reportError(error: unknown): void {
    if (error instanceof SlowPattern) this.dropPatterns(error.patterns);
    this.onError(error instanceof Error ? error.message : String(error));
  }

  private dropPatterns(patterns: string[]): void {
    const { focus, ignore, labels } = this.state.model,
      fine = (pattern: string): boolean => !patterns.includes(pattern),
      fineLabels = labels.filter(({ pattern }) => fine(pattern));
    if (!focus.every(fine) || !ignore.every(fine) || fineLabels.length < labels.length)
      this.changeModel({ focus: focus.filter(fine), ignore: ignore.filter(fine), labels: fineLabels });
  }

  // Waits until no part of the page waits for an answer, also after the next frame.
  async answered(): Promise<void> {
    // Not a frame: a hidden tab has none.
    do await new Promise((go) => setTimeout(go, SHORT_PAUSE_MS));
    while (this.pending > 0);
  }

  private async whileBusy<T>(work: () => Promise<T>): Promise<T> {
    this.pending++;
    this.onBusy(true);
    try {
      return await work();
    } finally {
      this.pending--;
      this.onBusy(this.pending > 0);
    }
  }

  // ---- Names and amounts ----

  amount(weight: number): string {
    return amount(weight / this.scale, this.unit);
  }

  cell(weight: number): string {
    return cellAmount(weight / this.scale, this.unit);
  }

  name(func: FunctionId): string {
    if (func < 0) return 'all';
    return (this.names[func] ??= visible(this.labels.name[func] ?? '') || '[no name]');
  }

  // The forms of a name; always the same object for a function.
  forms(func: FunctionId): NameForms {
    return (this.knownForms[func + 1] ??= this.formsOfRow(func));
  }

  private formsOfRow(func: FunctionId): NameForms {
    const { name, ladder, ladders } = this.labels,
      shown = this.name(func),
      origin = [this.moduleName(this.moduleOf(func)), this.kindName(func)].join(' ').trim();
    // Invisible characters are spelled out: lengths do not fit such a name.
    return func >= 0 && ladder[func] > 0 && shown === name[func]
      ? formsOf(shown, ladders[ladder[func]] ?? '', origin)
      : formsOfText(shown, origin);
  }

  // At most `columns` columns of a name.
  shortName(func: FunctionId, columns: number): string {
    return labelOf(this.forms(func), columns);
  }

  kind(func: FunctionId): number {
    return func < 0 ? 0 : (this.labels.kind[func] ?? 0);
  }

  // '' when unknown.
  kindName(func: FunctionId): string {
    return this.labels.kinds[this.kind(func)] ?? '';
  }

  get words(): Words {
    return this.engine.loaded.words;
  }

  moduleOf(func: FunctionId): number {
    return func < 0 ? -1 : (this.labels.module[func] ?? -1);
  }

  // The file; with directories if another module has this file name.
  moduleName(module: number): string {
    this.moduleNames ??= distinctPaths(this.info.modules.map(({ path }) => visible(path)));
    return this.moduleNames[module] ?? '';
  }

  fileOf(func: FunctionId): string {
    const file = func < 0 ? -1 : (this.labels.file[func] ?? -1);
    return file < 0 ? '' : visible(this.labels.files[file] ?? '');
  }

  // Changes when colours may change: movements do not compute colours again.
  lookKey(): unknown[] {
    return [this.labels, this.searchResult, this.theme, this.state.colour, this.moduleSlots];
  }

  // The search matches a module, by its name.
  isHitModule(name: string): boolean {
    const matches = this.searchResult?.matches;
    if (!matches || matches.length === 0) return false;
    if (this.hitModules.of !== this.searchResult) {
      const names = new Set<string>();
      matches.forEach((hit, func) => {
        if (hit === 1 && this.kindName(func) === 'library') names.add(this.labels.name[func]);
      });
      this.hitModules = { of: this.searchResult, names };
    }
    return this.hitModules.names.has(name);
  }

  isHit(func: FunctionId): boolean {
    return func >= 0 && this.searchResult !== null && this.searchResult.matches[func] === 1;
  }
}
