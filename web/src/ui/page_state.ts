// SPDX-License-Identifier: Apache-2.0
// The state of the page. All that the page shows depends on this value, which is in the URL's fragment: a link, a
// reload or the back button restores the same picture. The theme is not in it: the browser stores the user's choice.
//
// The fragment has name=value pairs of the fields that differ from the initial state. Fragments are untrusted, so
// reading one never fails: a field with an invalid value has its initial value.

import {
  initialState,
  type FunctionId,
  type GroupBy,
  type LabelFilter,
  type ProfileInfo,
  type State,
  type Transform,
} from '../model/interface.ts';
import { compile } from '../model/pattern.ts';
import { flag, integer, integers, oneOf, readFields, text, wordsOf, writeFields, type Field } from './fragment.ts';

export type ColourBy = 'module' | 'name' | 'mode' | 'thread' | 'heat';

// The frame that commands are about. The path goes from the root of the tree as shown; it may be empty.
export interface Selection {
  func: FunctionId;
  path: FunctionId[];
  inverted: boolean;
}

export interface PageState {
  view: string;
  model: State;
  search: string;
  ignoreCase: boolean;
  order: 'weight' | 'name';
  rootBelow: boolean; // false: an icicle graph, with the root on top
  inverted: boolean;
  colour: ColourBy;
  zoom: FunctionId[]; // call path of the flame graph's zoom, root first
  selected: FunctionId; // the function of sandwich and source; -1: none
  frame: Selection | null; // the chosen frame
  sort: string; // of the function table; ascending with a leading "-"
  lane: 'thread' | 'cpu';
  moments: boolean; // the Timeline view lists marks and spans
  momentSort: 'time' | 'duration';
  chartLane: number; // thread or CPU of the time-order chart; -2: all
  pins: number[] | null; // lanes of the chart with their whole stacks, on top; null: the busiest
  window: [number, number] | null; // zoom of the chart
  zooms: [number, number][]; // of the tracks, each within the one before; model.range is within the last
  tracks: '' | 'open' | 'closed'; // below the strip; '': open where there is room
  bands: string; // of the tracks' areas: 'module', 'mode', 'label:KEY'; '': the first that the profile has
  diffWidth: 'larger' | 'before' | 'after';
  diffBy: 'total' | 'self';
  normalised: boolean;
  diffSort: string;
}

export function startState(): PageState {
  return {
    view: '',
    model: initialState(),
    search: '',
    ignoreCase: true,
    order: 'weight',
    rootBelow: false,
    inverted: false,
    colour: 'module',
    zoom: [],
    selected: -1,
    frame: null,
    sort: 'self',
    lane: 'thread',
    moments: false,
    momentSort: 'time',
    chartLane: -2,
    pins: null,
    window: null,
    zooms: [],
    tracks: '',
    bands: '',
    diffWidth: 'larger',
    diffBy: 'self', // the default of wick diff
    normalised: true,
    diffSort: 'evidence',
  };
}

const integersOrAll: Field<number[] | null> = {
  write: (value) => (value ? integers.write(value) : ''),
  read: (value) => integers.read(value) ?? null,
};
const range: Field<[number, number] | null> = {
  write: (value) => (value ? value.map((ns) => Math.round(ns)).join('-') : ''),
  read: (value) => {
    const match = /^(\d{1,16})-(\d{1,16})$/.exec(value);
    return match && Number(match[1]) <= Number(match[2]) ? [Number(match[1]), Number(match[2])] : null;
  },
};

const isRange = (value: number[]): value is [number, number] => value.length === 2;
const ranges: Field<[number, number][]> = {
  write: (value) => value.map(range.write).join('~'),
  read: (value) => value.split('~').flatMap((text) => [range.read(text) ?? []].filter(isRange)),
};

// One per line: text of a search box has no line ends.
const patterns: Field<string[]> = {
  write: (value) => value.join('\n'),
  read: (value) => value.slice(0, 2000).split('\n').filter(Boolean),
};

// "KEY=PATTERN", one per line; "=" in a key is %3D.
const labelFilters: Field<LabelFilter[]> = {
  write: (value) =>
    patterns.write(value.map(({ key, pattern }) => `${key.replace(/[%=]/g, encodeURIComponent)}=${pattern}`)),
  read: (value) =>
    patterns.read(value)?.flatMap((line) => {
      const equals = line.indexOf('='),
        key = line.slice(0, Math.max(0, equals)).replaceAll('%3D', '=').replaceAll('%25', '%');
      return key === '' ? [] : [{ key, pattern: line.slice(equals + 1) }];
    }),
};

// "1.5.12", with "!" before the path of an inverted tree; "~12" for a function without a path. Addresses have limited
// room, so a very deep frame is stored as its function.
const DEEPEST_FRAME = 300;
const frame: Field<Selection | null> = {
  write: (value) =>
    value === null
      ? ''
      : value.path.length === 0 || value.path.length > DEEPEST_FRAME
        ? `~${value.func}`
        : `${value.inverted ? '!' : ''}${value.path.join('.')}`,
  read: (value) => {
    const match = /^(~|!)?(\d{1,9}(?:\.\d{1,9})*)$/.exec(value);
    if (!match) return null;
    const path = match[2].split('.').map(Number),
      func = path[path.length - 1];
    return { func, path: match[1] === '~' ? [] : path, inverted: match[1] === '!' };
  },
};

const GROUPS: GroupBy[] = ['function', 'module', 'file', 'line'];
const groupLetter = (by: GroupBy): string => (by === 'file' ? 'i' : by.charAt(0));

// "focus-function:f12", "focus-subtree:f1.5.12" with "!" before the path of an inverted tree; the letter is the
// grouping.
function writeTransform(transform: Transform): string {
  if ('module' in transform) return `${transform.type}:${transform.module}`;
  const by = groupLetter(transform.by);
  if ('func' in transform) return `${transform.type}:${by}${transform.func}`;
  const inverted = 'inverted' in transform && transform.inverted;
  return `${transform.type}:${by}${inverted ? '!' : ''}${transform.path.join('.')}`;
}

function readTransform(word: string): Transform | undefined {
  const match = /^([a-z-]+):([fmil])?(!)?(\d{1,9}(?:\.\d{1,9})*)$/.exec(word);
  if (!match) return undefined;
  const type = match[1] as Transform['type'],
    numbers = match[4].split('.').map(Number);
  const by = GROUPS.find((group) => groupLetter(group) === match[2]) ?? 'function';
  switch (type) {
    case 'focus-module':
    case 'collapse-library':
      return { type, module: numbers[0] };
    case 'merge-node':
    case 'focus-subtree':
      return { type, by, path: numbers, inverted: match[3] === '!' };
    case 'collapse-subtree':
      return { type, by, path: numbers };
    case 'merge-function':
    case 'focus-function':
    case 'focus-self':
    case 'drop-function':
    case 'collapse-function':
    case 'collapse-recursion':
    case 'collapse-direct-recursion':
      return { type, by, func: numbers[0] };
    default:
      return undefined;
  }
}

const transforms: Field<Transform[]> = {
  write: (value) => value.map(writeTransform).join('~'),
  read: (value) =>
    value
      .split('~')
      .map(readTransform)
      .filter((transform) => transform !== undefined),
};

// The names in the fragment.
const PAGE_FIELDS: { [K in Exclude<keyof PageState, 'model'>]: [string, Field<PageState[K]>] } = {
  view: ['view', text],
  search: ['search', text],
  ignoreCase: ['case', { write: (value) => (value ? '0' : '1'), read: (value) => value !== '1' }],
  order: ['order', oneOf('weight', 'name')],
  rootBelow: ['flame', flag],
  inverted: ['invert', flag],
  colour: ['colour', oneOf('module', 'name', 'mode', 'thread', 'heat')],
  zoom: ['zoom', integers],
  selected: ['function', integer],
  frame: ['frame', frame],
  sort: ['sort', text],
  lane: ['lanes', oneOf('thread', 'cpu')],
  moments: ['moments', flag],
  momentSort: ['momentsort', oneOf('time', 'duration')],
  chartLane: ['lane', integer],
  pins: [
    'pins',
    {
      write: (value) => (value?.length === 0 ? 'none' : integersOrAll.write(value)),
      read: (value) => (value === 'none' ? [] : integersOrAll.read(value)),
    },
  ],
  window: ['window', range],
  zooms: ['zooms', ranges],
  tracks: ['tracks', oneOf('', 'open', 'closed')],
  bands: ['bands', text],
  diffWidth: ['width', oneOf('larger', 'before', 'after')],
  diffBy: ['change', oneOf('total', 'self')],
  normalised: ['normalised', flag],
  diffSort: ['diffsort', text],
};
const MODEL_FIELDS: { [K in keyof State]: [string, Field<State[K]>] } = {
  profile: ['profile', { write: String, read: (value) => (value === '1' ? 1 : 0) }],
  event: ['event', integer],
  threads: ['threads', integersOrAll],
  processes: ['processes', integersOrAll],
  cpus: ['cpus', integersOrAll],
  mode: ['mode', oneOf('', 'user', 'kernel')],
  labels: ['label', labelFilters],
  range: ['range', range],
  modules: ['modules', integersOrAll],
  hiddenModules: ['hide', integers],
  focus: ['focus', patterns],
  ignore: ['ignore', patterns],
  groupBy: ['group', oneOf(...GROUPS)],
  levels: ['levels', oneOf('none', 'process', 'thread')],
  stacks: ['stacks', oneOf('mixed', 'runtime', 'native')],
  transforms: ['t', transforms],
};

export function toFragment(state: PageState): string {
  const out: string[] = [],
    start = startState();
  writeFields<PageState>(PAGE_FIELDS, state, start, out);
  writeFields<State>(MODEL_FIELDS, state.model, start.model, out);
  return out.join('&');
}

export function fromFragment(fragment: string): PageState {
  const words = wordsOf(fragment);
  const state = startState();
  readFields<PageState>(PAGE_FIELDS, words, state);
  readFields<State>(MODEL_FIELDS, words, state.model);
  return state;
}

export function isExpression(pattern: string): boolean {
  try {
    compile(pattern, false);
    return true;
  } catch {
    return false;
  }
}

const within = (id: number, size: number): boolean => id >= 0 && id < size;

// A link may be from another profile. Removes ids that do not exist and invalid expressions; returns the expressions.
export function fitTo(state: PageState, profiles: ProfileInfo[]): string[] {
  const model = state.model;
  if (model.profile >= profiles.length) model.profile = 0;
  const info = profiles[model.profile];
  const validIds = (ids: number[] | null, size: number): number[] | null => {
    const valid = ids?.filter((id) => within(id, size)) ?? [];
    return valid.length > 0 ? valid : null;
  };
  if (!within(model.event, info.events.length)) model.event = 0;
  model.threads = validIds(model.threads, info.threads.length);
  model.processes = validIds(model.processes, info.processes.length);
  model.cpus = model.cpus?.filter((cpu) => info.cpus.includes(cpu)) ?? null;
  if (model.cpus?.length === 0) model.cpus = null;
  if (!info.isInterpreted) model.stacks = 'mixed';
  model.modules = validIds(model.modules, info.modules.length);
  model.hiddenModules = model.hiddenModules.filter((id) => within(id, info.modules.length));
  const invalid = [...model.focus, ...model.ignore, ...model.labels.map(({ pattern }) => pattern)].filter(
    (pattern) => !isExpression(pattern),
  );
  model.focus = model.focus.filter(isExpression);
  model.ignore = model.ignore.filter(isExpression);
  model.labels = model.labels.filter(({ key, pattern }) => isExpression(pattern) && info.labelKeys.includes(key));
  if (info.duration <= 0 || (model.range && model.range[0] > info.duration)) model.range = null;
  if (!info.hasTime) state.window = null;
  // Each zoom is within the one before.
  const nested: [number, number][] = [];
  for (const [from, to] of state.zooms) {
    const [least, most] = nested.at(-1) ?? [0, info.duration];
    if (model.range && from >= least && to <= most && from < to) nested.push([from, to]);
  }
  state.zooms = nested;
  model.transforms = model.transforms.filter(
    (transform) => !('module' in transform) || within(transform.module, info.modules.length),
  );
  return invalid;
}
