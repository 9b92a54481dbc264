// SPDX-License-Identifier: Apache-2.0
// The colour of each node of a tree, and the legend of the colours.

import type { CallTree, DiffTree, FunctionId } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import type { ColourBy } from './page_state.ts';
import { selfTimes } from './self_time.ts';
import { hash, mixed, mixedHex, palette, PYTHON_SLOT, rampStep, slotsOf, type Theme } from './palette.ts';
import type { Look } from './scene.ts';

export interface LegendEntry {
  colour: string;
  text: string;
  module?: number; // a click hides it
  hatched?: boolean;
}

export interface Coloured {
  look: Look;
  legend: LegendEntry[];
}

// The columns of nodes that colouring needs; call trees and charts have them.
export interface Nodes {
  func: Int32Array;
  parent: Int32Array;
  self?: Float64Array;
}

const ODD_PALER = 0.1;
// Functions of a module differ a little, so that adjacent boxes do.
const SHADES = [0, 0.09, 0.18];
const MISS_PALER = 0.72;

// One colour per value: for each node an index into `colours`.
function byIndex(app: AppCore, nodes: Nodes, theme: Theme, colours: string[], indexOf: (node: number) => number): Look {
  const { background, hit: hitColour } = palette(theme),
    size = nodes.func.length,
    searching = app.searchResult !== null;
  const even = colours.map((colour) => mixed(colour, background, searching ? MISS_PALER : 0));
  const odd = colours.map((colour) => mixed(colour, background, searching ? MISS_PALER + 0.05 : ODD_PALER));
  const colour = new Uint32Array(2 * size),
    hit = searching ? new Uint8Array(size) : null,
    hitPixel = mixed(hitColour, background, 0);
  for (let n = 0; n < size; n++) {
    if (hit && app.isHit(nodes.func[n])) {
      hit[n] = 1;
      colour[2 * n] = colour[2 * n + 1] = hitPixel;
      continue;
    }
    const index = indexOf(n);
    colour[2 * n] = even[index];
    colour[2 * n + 1] = odd[index];
  }
  return {
    colour,
    hit,
    striped: null,
    name: (node) => app.name(nodes.func[node]),
    forms: (node) => app.forms(nodes.func[node]),
  };
}

// The modules with a colour, heaviest first. Source files have one together: that of their kind.
export function moduleLegend(app: AppCore): { slot: number; text: string; module?: number }[] {
  const modules = [...app.moduleSlots.keys()]
    .filter((module) => app.moduleSlots[module] >= 0)
    .sort((a, b) => app.moduleWeights[b] - app.moduleWeights[a]);
  const kinds = new Set(modules.map((module) => app.info.modules[module].kind).filter((kind) => kind !== 0));
  return [
    ...modules
      .filter((module) => app.info.modules[module].kind === 0)
      .map((module) => ({ slot: app.moduleSlots[module], text: app.moduleName(module) || '[unknown]', module })),
    ...[...kinds].map((kind) => ({ slot: PYTHON_SLOT, text: app.labels.kinds[kind] })),
  ];
}

function byModule(app: AppCore, nodes: Nodes, theme: Theme): Coloured {
  const { slots, other, root, background } = palette(theme),
    colours = [...slots, other, root],
    shades = colours.flatMap((colour) => SHADES.map((share) => mixedHex(colour, background, share)));
  const look = byIndex(app, nodes, theme, shades, (n) => {
    const func = nodes.func[n];
    if (func < 0) return 9 * SHADES.length;
    const slot = app.moduleSlots[app.moduleOf(func)];
    return (slot === undefined || slot < 0 ? 8 : slot) * SHADES.length + ((func * 7) % SHADES.length);
  });
  const legend = moduleLegend(app).map(({ slot, ...entry }): LegendEntry => ({ colour: colours[slot], ...entry }));
  legend.push({ colour: other, text: 'other modules' });
  return { look, legend };
}

function byName(app: AppCore, nodes: Nodes, theme: Theme): Coloured {
  const { warm, root } = palette(theme),
    colours = [...warm, root],
    tones = new Int8Array(app.labels.name.length).fill(-1);
  const toneOf = (func: FunctionId): number => {
    if (tones[func] < 0) tones[func] = hash(app.labels.name[func].slice(0, 300)) % warm.length;
    return tones[func];
  };
  return {
    look: byIndex(app, nodes, theme, colours, (n) => (nodes.func[n] < 0 ? warm.length : toneOf(nodes.func[n]))),
    legend: [{ colour: warm[0], text: 'colours only separate frames' }],
  };
}

// Colours by kind; all others have one colour.
const KIND_SLOTS: Record<string, number> = {
  user: 0,
  kernel: 1,
  inlined: 2,
  jit: 3,
  waker: 4,
  python: PYTHON_SLOT,
  process: 7, // never beside threads in one row
  library: 6,
  thread: 7,
};
export const slotOf = (kind: string): number => KIND_SLOTS[kind] ?? 8;

function byMode(app: AppCore, nodes: Nodes, theme: Theme): Coloured {
  const { slots, other, root } = palette(theme),
    colours = [...slots, other, root],
    seen = new Set<number>();
  const look = byIndex(app, nodes, theme, colours, (n) => {
    if (nodes.func[n] < 0) return 9;
    const kind = app.kind(nodes.func[n]);
    seen.add(kind);
    return slotOf(app.labels.kinds[kind]);
  });
  const legend = [...seen]
    .sort((a, b) => a - b)
    .map((kind) => ({ colour: colours[slotOf(app.labels.kinds[kind])], text: app.labels.kinds[kind] || 'unknown' }));
  return { look, legend };
}

function byHeat(app: AppCore, nodes: Nodes, theme: Theme): Coloured {
  const { heat } = palette(theme),
    self = nodes.self ?? new Float64Array(nodes.func.length);
  let largest = 0;
  for (const value of self) largest = Math.max(largest, value);
  return {
    look: byIndex(app, nodes, theme, heat, (n) => (largest > 0 ? rampStep(self[n] / largest, heat.length) : 0)),
    legend: [
      { colour: heat[0], text: 'low self time' },
      { colour: heat[4], text: 'medium' },
      { colour: heat[7], text: 'high self time' },
    ],
  };
}

// Threads are a level of the tree (State.levels); frames have the colour of their thread.
function byThread(app: AppCore, nodes: Nodes, theme: Theme): Coloured {
  const { slots, other, root } = palette(theme),
    colours = [...slots, other, root];
  const top = new Int32Array(nodes.func.length).fill(-1),
    weights: number[] = [],
    names: string[] = [],
    rows = new Map<FunctionId, number>();
  const rowOf = (func: FunctionId): number => {
    let row = rows.get(func);
    if (row === undefined) {
      rows.set(func, (row = names.length));
      names.push(app.name(func));
      weights.push(1);
    }
    return row;
  };
  for (let n = 1; n < nodes.func.length; n++) {
    const func = nodes.func[n];
    top[n] = app.kindName(func) === 'thread' ? rowOf(func) : top[nodes.parent[n]];
    if (nodes.self && top[n] >= 0) weights[top[n]] += nodes.self[n];
  }
  const slotOf = slotsOf(names, weights);
  const legend: LegendEntry[] = [];
  slotOf.forEach((slot, row) => {
    if (slot >= 0) legend.push({ colour: colours[slot], text: names[row] });
  });
  return {
    look: byIndex(app, nodes, theme, colours, (n) => (top[n] < 0 ? 9 : slotOf[top[n]] < 0 ? 8 : slotOf[top[n]])),
    legend,
  };
}

const SCHEMES: Record<ColourBy, (app: AppCore, nodes: Nodes, theme: Theme) => Coloured> = {
  module: byModule,
  name: byName,
  mode: byMode,
  thread: byThread,
  heat: byHeat,
};

// The schemes that do not depend on costs, if the profile has the data for them.
export const plainSchemes = (app: AppCore): (readonly [ColourBy, string])[] => [
  ...(app.info.modules.length > 1 ? [['module', 'module'] as const] : []),
  ['name', 'name'],
  ...(app.info.hasModes ? [['mode', 'kind'] as const] : []),
];

// By module if there are several, else by name: one colour for everything says nothing.
export function schemeOf(app: AppCore): ColourBy {
  const { colour, model } = app.state,
    chosen = colour === 'thread' && model.levels !== 'thread' ? 'module' : colour;
  return chosen === 'module' && app.info.modules.length < 2 ? 'name' : chosen;
}

// For pictures of stacks without costs: the scheme of the other pictures if it needs none, else the first that does not.
export function plainSchemeOf(app: AppCore): ColourBy {
  const scheme = schemeOf(app),
    plain = plainSchemes(app).map(([id]) => id);
  return plain.includes(scheme) ? scheme : plain[0];
}

// In the theme of the page, or in another one for a saved picture.
export function coloured(
  app: AppCore,
  nodes: Nodes | CallTree,
  theme: Theme = app.theme,
  scheme: ColourBy = schemeOf(app),
): Coloured {
  const withSelf = 'cut' in nodes ? { ...nodes, self: selfTimes(nodes) } : nodes,
    { look, legend } = SCHEMES[scheme](app, withSelf, theme);
  return {
    look,
    legend: app.searchResult ? [{ colour: palette(theme).hit, text: 'search hits' }, ...legend] : legend,
  };
}

// Blue for less, orange for more; frames of only one side are hatched.
export function colouredDiff(app: AppCore, tree: DiffTree, theme: Theme = app.theme): Coloured {
  const { change } = palette(theme),
    self = app.state.diffBy === 'self',
    middle = (change.length - 1) / 2;
  const delta = (n: number): number =>
    self ? tree.selfAfter[n] - tree.selfBefore[n] : tree.totalAfter[n] - tree.totalBefore[n];
  let largest = 0;
  for (let n = 1; n < tree.size; n++) largest = Math.max(largest, Math.abs(delta(n)));
  const look = byIndex(app, tree, theme, change, (n) => {
    const share = largest > 0 ? Math.max(-1, Math.min(1, delta(n) / largest)) : 0;
    if (Math.abs(share) < 0.005) return middle;
    return middle + Math.sign(share) * (1 + rampStep(Math.abs(share), middle));
  });
  look.striped = new Uint8Array(tree.size);
  for (let n = 1; n < tree.size; n++) look.striped[n] = tree.totalBefore[n] === 0 || tree.totalAfter[n] === 0 ? 1 : 0;
  const last = change.length - 1;
  return {
    look,
    legend: [
      { colour: change[0], text: 'less than before' },
      { colour: change[3], text: '' },
      { colour: change[middle], text: 'unchanged' },
      { colour: change[last - 3], text: '' },
      { colour: change[last], text: 'more than before' },
      { colour: change[last], text: 'new', hatched: true },
      { colour: change[0], text: 'gone', hatched: true },
    ],
  };
}
