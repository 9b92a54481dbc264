// SPDX-License-Identifier: Apache-2.0
// The flame graph: the call tree of the selected samples; the width of a box is its cost.

import type { CallTree } from '../../model/interface.ts';
import type { AppCore } from '../app_core.ts';
import { coloured, plainSchemes, schemeOf, type LegendEntry } from '../colouring.ts';
import { hideModule } from '../commands.ts';
import { el, fill } from '../dom.ts';
import { FlamePanel, zoomKeys } from '../flame_panel.ts';
import { inOneLine, showHovered, treeFacts } from '../frame_text.ts';
import type { ColourBy } from '../page_state.ts';
import {
  button,
  choice,
  labelled,
  nothingLeft,
  sameItems,
  saveButton,
  Segments,
  viewSection,
  type ViewPart,
} from '../part.ts';
import { pictureWidth, type Picture } from '../picture/document.ts';
import { Question } from '../question.ts';
import { nodeOf, pathOf } from '../paths.ts';
import type { Box } from '../scene.ts';
import { openFrameMenu } from '../frame_menu.ts';
import { status } from '../status.ts';
import { TreeScene } from '../tree_scene.ts';

export function legendRow(app: AppCore, entries: LegendEntry[]): HTMLElement {
  return el(
    'div',
    { class: 'legend', 'aria-label': 'Legend' },
    ...entries.map(({ colour, text, module, hatched }) =>
      el(
        'span',
        { class: 'key' },
        el('span', { class: hatched ? 'swatch hatched' : 'swatch', style: `background-color:${colour}` }),
        module === undefined
          ? text
          : el('button', { type: 'button', title: `Hide ${text}`, onclick: () => hideModule(app, module) }, text),
      ),
    ),
  );
}

export class FlameView implements ViewPart {
  readonly element: HTMLElement;
  private readonly panel: FlamePanel;
  private tree: CallTree | null = null;
  private scene: TreeScene | null = null;
  private readonly question = new Question(() => this.element.isConnected);
  private lookKey: unknown[] = [];
  private zoomed = ''; // call path of the last zoom
  private readonly order: Segments<'weight' | 'name'>;
  private readonly direction: Segments<'down' | 'up'>;
  private readonly inverted: Segments<'no' | 'yes'>;
  private readonly colour: HTMLSelectElement;
  private readonly reset: HTMLButtonElement;
  private readonly legend = el('div');
  private readonly body = el('div', { class: 'flame-body' });

  constructor(private readonly app: AppCore) {
    this.panel = new FlamePanel({
      name: 'Flame graph. Arrow keys move between frames, Enter zooms, 0 shows all.',
      theme: () => app.theme,
      chosen: (box) => this.chosen(box),
      hovered: (box, x, y) => showHovered(box && this.tree ? treeFacts(app, this.tree, box.node) : null, x, y),
      menu: (_, x, y) =>
        openFrameMenu(app, x, y, [
          { label: 'Zoom to frame', key: 'Enter', run: () => this.panel.zoomToBox(this.panel.focus) },
        ]),
      zoomedTo: (box) => this.zoomedTo(box),
      moved: () => this.showReset(),
    });
    this.order = new Segments(
      'Order',
      [
        ['weight', 'Left heavy', 'The heaviest frames are on the left'],
        ['name', 'By name', 'Alphabetical, so frames have the same order in every picture'],
      ],
      (order) => app.change({ order }),
    );
    this.direction = new Segments(
      'Direction',
      [
        ['down', 'Icicle', 'The root is at the top'],
        ['up', 'Flame', 'The root is at the bottom'],
      ],
      (value) => app.change({ rootBelow: value === 'up' }),
    );
    this.inverted = new Segments(
      'Stacks',
      [
        ['no', 'Callees', 'From the start of the program to the functions that spend the time'],
        ['yes', 'Inverted', 'From the functions that spend the time to their callers (i)'],
      ],
      (value) => app.change({ inverted: value === 'yes', zoom: [] }),
    );
    this.colour = choice(
      'Colour by',
      [...plainSchemes(app), ...(app.info.hasThreads ? [['thread', 'thread'] as const] : []), ['heat', 'self time']],
      app.state.colour,
      (value) => this.changeColour(value as ColourBy),
    );
    this.reset = button('Reset zoom', () => this.panel.zoomOut());
    this.body.append(this.panel.element);
    this.element = viewSection(
      'Flame graph',
      [
        this.order.element,
        this.direction.element,
        this.inverted.element,
        labelled('Colour by', this.colour),
        el('span', { class: 'grow' }),
        this.reset,
        saveButton(app),
      ],
      this.body,
      this.legend,
    );
  }

  readonly keys: Record<string, () => void> = {
    ...zoomKeys(() => this.panel),
    l: () => this.app.change({ order: this.app.state.order === 'weight' ? 'name' : 'weight' }),
    v: () => this.app.change({ rootBelow: !this.app.state.rootBelow }),
    b: () => this.nextColour(),
  };

  private nextColour(): void {
    const options = [...this.colour.options].map((option) => option.value as ColourBy);
    const colour = options[(options.indexOf(schemeOf(this.app)) + 1) % options.length];
    this.changeColour(colour);
  }

  // Colours by thread are available only while threads are a level.
  private changeColour(colour: ColourBy): void {
    const { app } = this;
    app.change(
      { colour },
      colour === 'thread' ? { levels: 'thread' } : app.state.colour === 'thread' ? { levels: 'none' } : {},
    );
  }

  update(): void {
    const { state } = this.app;
    this.order.show(state.order);
    this.direction.show(state.rootBelow ? 'up' : 'down');
    this.inverted.show(state.inverted ? 'yes' : 'no');
    this.colour.value = schemeOf(this.app);
    const within = state.inverted ? state.zoom : [];
    if (this.question.isNew(state.model, state.order, state.inverted, within)) {
      void this.load(within);
    } else {
      this.recolour();
      if (this.scene && this.panel.view.rootBelow !== state.rootBelow) this.show(true);
      this.restoreFocus();
      this.restoreZoom(true);
    }
  }

  private async load(within: number[]): Promise<void> {
    const { app } = this,
      { model, order, inverted } = app.state;
    const tree = await this.question.answer(
      app.ask('flame', 'callTree', () =>
        app.engine.callTree(model, { order, inverted, ...(within.length > 0 ? { within } : {}) }),
      ),
    );
    if (!tree) return;
    this.tree = tree;
    if (tree.amount.weight <= 0) {
      this.scene = null;
      fill(this.body, nothingLeft(app));
      fill(this.legend);
      return;
    }
    if (!this.panel.element.isConnected) fill(this.body, this.panel.element);
    this.scene = new TreeScene(tree);
    this.show(false);
    this.restoreZoom(false);
  }

  private show(keepView: boolean): void {
    if (!this.scene || !this.tree) return;
    this.lookKey = this.app.lookKey();
    const { look, legend } = coloured(this.app, this.tree);
    this.panel.show(this.scene, look, { rootBelow: this.app.state.rootBelow, keepView });
    fill(this.legend, legendRow(this.app, legend));
    this.restoreFocus();
    this.showReset();
  }

  // The chosen frame of another view, or of the address.
  private restoreFocus(): void {
    const { app, tree, scene } = this,
      { selection } = app;
    if (!tree || !scene || !selection || selection.path.length === 0 || selection.inverted !== app.state.inverted)
      return;
    const { node, whole } = nodeOf(tree, selection.path);
    if (!whole || this.panel.focus?.node === node) return;
    this.panel.setFocus(scene.boxOfNode(node), false);
    status.announce(inOneLine(treeFacts(app, tree, node)));
  }

  private recolour(): void {
    if (!this.tree || !this.scene || sameItems(this.lookKey, this.app.lookKey())) return;
    this.lookKey = this.app.lookKey();
    const { look, legend } = coloured(this.app, this.tree);
    this.panel.recolour(look);
    fill(this.legend, legendRow(this.app, legend));
  }

  // Zooms to the frame of the state; if that has not changed, the user's own movements stay.
  private restoreZoom(animate: boolean): void {
    const zoom = this.app.state.zoom.join();
    if (!this.tree || !this.scene || (animate && zoom === this.zoomed)) return;
    this.zoomed = zoom;
    this.panel.zoomToBox(this.scene.boxOfNode(nodeOf(this.tree, this.app.state.zoom).node), animate);
    this.showReset();
  }

  private zoomedTo(box: Box | null): void {
    if (!this.tree) return;
    const zoom = box ? pathOf(this.tree, box.node) : [];
    this.zoomed = zoom.join();
    if (this.zoomed !== this.app.state.zoom.join()) this.app.change({ zoom });
  }

  private showReset(): void {
    this.reset.disabled = !this.panel.isZoomed();
  }

  private chosen(box: Box | null): void {
    const { app, tree } = this;
    if (!tree || !box) return app.select(null);
    status.announce(inOneLine(treeFacts(app, tree, box.node)));
    if (box.node === 0) return app.select(null);
    app.select({ func: tree.func[box.node], path: pathOf(tree, box.node), inverted: app.state.inverted });
  }

  step(direction: 1 | -1): void {
    const { tree, scene } = this;
    if (!tree || !scene || !this.app.searchResult) return;
    const from = this.panel.focus?.node ?? 0;
    for (let i = 1; i <= tree.size; i++) {
      const node = (from + direction * i + tree.size * 2) % tree.size;
      if (this.app.isHit(tree.func[node])) return this.panel.chooseAndReveal(scene.boxOfNode(node));
    }
  }

  savedPicture(): Picture | null {
    const { app, tree } = this;
    if (!tree) return null;
    const { look, legend } = coloured(app, tree, 'light'),
      width = pictureWidth(this.panel.canvas.clientWidth),
      rows = this.panel.rows(look, width, (box) => inOneLine(treeFacts(app, tree, box.node)));
    const title = app.state.inverted ? 'Flame graph, inverted: from functions to their callers' : 'Flame graph';
    return rows && { name: 'flame-graph', title, lines: [], width, parts: [rows], legend };
  }

  focus(): void {
    this.panel.canvas.focus({ preventScroll: true });
  }

  theme(): void {
    this.recolour();
  }
}
