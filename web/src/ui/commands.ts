// SPDX-License-Identifier: Apache-2.0
// The commands for the selected frame, one row each. The menu, the keys and the help overlay are made from these rows.
// Transforms have the names and keys of Firefox Profiler.

import type { Transform } from '../model/interface.ts';
import type { AppCore, Selection } from './app_core.ts';
import { toClipboard } from './clipboard.ts';

export interface Command {
  id: string;
  key: string;
  label: string;
  help: string;
  group: 'look' | 'transform' | 'filter' | 'copy';
  usable?: (app: AppCore, selection: Selection) => boolean;
  run: (app: AppCore, selection: Selection) => void;
}

const hasModule = (app: AppCore, { func }: Selection): boolean => app.moduleOf(func) >= 0;
const hasPath = (_: AppCore, { path }: Selection): boolean => path.length > 0;

export function addTransform(app: AppCore, transform: Transform): void {
  app.change({ zoom: [], frame: null }, { transforms: [...app.state.model.transforms, transform] });
}

type OnFunction = Extract<Transform, { func: number }>['type'];

const onFunction =
  (type: OnFunction) =>
  (app: AppCore, { func }: Selection): void =>
    addTransform(app, { type, by: app.state.model.groupBy, func });

const onPath =
  (type: 'focus-subtree' | 'merge-node') =>
  (app: AppCore, { path, inverted }: Selection): void =>
    addTransform(app, { type, by: app.state.model.groupBy, path, inverted });

export const COMMANDS: Command[] = [
  {
    id: 'sandwich',
    key: 's',
    label: 'Show callers and callees',
    help: 'show its callers and callees',
    group: 'look',
    run: (app, { func }) => app.change({ view: 'functions', selected: func }),
  },
  {
    id: 'tree',
    key: 't',
    label: 'Show in the call tree',
    help: 'show it in the call tree',
    group: 'look',
    usable: hasPath,
    run: (app) => app.change({ view: 'tree' }),
  },
  {
    id: 'source',
    key: 'o',
    label: 'Show source and assembly',
    help: 'show its source and assembly',
    group: 'look',
    run: (app, { func }) => app.change({ view: 'source', selected: func }),
  },

  {
    id: 'focus-function',
    key: 'f',
    label: 'Focus on function',
    help: 'begin stacks at the function; drop other samples',
    group: 'transform',
    run: onFunction('focus-function'),
  },
  {
    id: 'focus-subtree',
    key: 'F',
    label: 'Focus on subtree only',
    help: 'show only this call path and its callees',
    group: 'transform',
    usable: hasPath,
    run: onPath('focus-subtree'),
  },
  {
    id: 'focus-self',
    key: 'S',
    label: 'Focus on self only',
    help: 'show only samples in the function itself',
    group: 'transform',
    run: onFunction('focus-self'),
  },
  {
    id: 'focus-module',
    key: 'g',
    label: 'Focus on module',
    help: 'show only frames of its module',
    group: 'transform',
    usable: hasModule,
    run: (app, { func }) => addTransform(app, { type: 'focus-module', module: app.moduleOf(func) }),
  },
  {
    id: 'merge-function',
    key: 'm',
    label: 'Merge function',
    help: 'remove its frames; its callers get the cost',
    group: 'transform',
    run: onFunction('merge-function'),
  },
  {
    id: 'merge-node',
    key: 'M',
    label: 'Merge node only',
    help: 'remove the frame of this call path only',
    group: 'transform',
    usable: hasPath,
    run: onPath('merge-node'),
  },
  {
    id: 'collapse-function',
    key: 'c',
    label: 'Collapse function',
    help: 'add the cost of its callees to its self cost',
    group: 'transform',
    run: onFunction('collapse-function'),
  },
  {
    id: 'collapse-subtree',
    key: 'u',
    label: 'Collapse subtree',
    help: 'the same, for this call path only',
    group: 'transform',
    usable: (_, { path, inverted }) => path.length > 0 && !inverted,
    run: (app, { path }) => addTransform(app, { type: 'collapse-subtree', by: app.state.model.groupBy, path }),
  },
  {
    id: 'collapse-library',
    key: 'C',
    label: 'Collapse library',
    help: 'merge adjacent frames of its module into one',
    group: 'transform',
    usable: hasModule,
    run: (app, { func }) => addTransform(app, { type: 'collapse-library', module: app.moduleOf(func) }),
  },
  {
    id: 'collapse-recursion',
    key: 'r',
    label: 'Collapse recursion',
    help: 'merge all calls from its first to its last into one frame',
    group: 'transform',
    run: onFunction('collapse-recursion'),
  },
  {
    id: 'collapse-direct-recursion',
    key: 'R',
    label: 'Collapse direct recursion only',
    help: 'merge only direct calls to itself into one frame',
    group: 'transform',
    run: onFunction('collapse-direct-recursion'),
  },
  {
    id: 'drop-function',
    key: 'd',
    label: 'Drop samples with this function',
    help: 'drop samples that contain it',
    group: 'transform',
    run: onFunction('drop-function'),
  },

  {
    id: 'hide-module',
    key: 'H',
    label: 'Hide module',
    help: 'remove the frames of its module',
    group: 'filter',
    usable: hasModule,
    run: (app, { func }) => hideModule(app, app.moduleOf(func)),
  },
  {
    id: 'search-name',
    key: 'e',
    label: 'Search for this name',
    help: 'search for this name',
    group: 'filter',
    run: (app, { func }) => app.change({ search: patternOf(app.labels.name[func]) }),
  },

  {
    id: 'copy-name',
    key: 'y',
    label: 'Copy name',
    help: 'copy the name',
    group: 'copy',
    run: (app, { func }) => copy(app.labels.name[func], 'The name'),
  },
  {
    id: 'copy-stack',
    key: 'Y',
    label: 'Copy stack',
    help: 'copy the stack, one frame per line',
    group: 'copy',
    usable: hasPath,
    run: (app, selection) => copy(stackNames(app, selection).reverse().join('\n'), 'The stack'),
  },
  {
    id: 'copy-folded',
    key: 'Z',
    label: 'Copy everything shown as folded stacks',
    help: 'copy all stacks that are shown as folded text',
    group: 'copy',
    run: (app) => void copyFolded(app),
  },
];

export function hideModule(app: AppCore, module: number): void {
  if (app.state.model.hiddenModules.includes(module)) return;
  app.change({ zoom: [], frame: null }, { hiddenModules: [...app.state.model.hiddenModules, module] });
}

// A pattern for this name. Only the beginning of very long names, because an address has limited room.
const LONGEST_PATTERN = 500;
export function patternOf(name: string): string {
  const text = name.slice(0, LONGEST_PATTERN).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return name.length > LONGEST_PATTERN ? `^${text}` : `^${text}$`;
}

function stackNames(app: AppCore, { path, inverted }: Selection): string[] {
  const names = path.map((func) => app.labels.name[func]);
  return inverted ? names.reverse() : names;
}

async function copyFolded(app: AppCore): Promise<void> {
  try {
    const folded = await app.engine.folded(app.state.model);
    if (folded !== null) await copy(folded, 'The folded stacks');
  } catch (error) {
    showMessage(error instanceof Error ? error.message : String(error));
  }
}

let showMessage: (message: string) => void = () => {};
export function onMessage(show: (message: string) => void): void {
  showMessage = show;
}

export async function copy(text: string, what: string): Promise<void> {
  showMessage((await toClipboard(text)) ? `${what} was copied.` : 'The browser did not allow copying.');
}

const TITLES: Record<Transform['type'], string> = {
  'merge-function': 'Merge',
  'merge-node': 'Merge node',
  'focus-function': 'Focus',
  'focus-self': 'Focus self',
  'focus-subtree': 'Focus subtree',
  'focus-module': 'Focus module',
  'drop-function': 'Drop',
  'collapse-function': 'Collapse',
  'collapse-subtree': 'Collapse subtree',
  'collapse-library': 'Collapse library',
  'collapse-recursion': 'Collapse recursion',
  'collapse-direct-recursion': 'Collapse direct recursion',
};

// "Focus: wick::flame". Ids of a grouping that is not shown have no name here.
export function transformTitle(app: AppCore, transform: Transform): string {
  if ('module' in transform) return `${TITLES[transform.type]}: ${app.moduleName(transform.module)}`;
  const func = 'func' in transform ? transform.func : transform.path[transform.path.length - 1];
  const name =
    transform.by === app.state.model.groupBy && func !== undefined ? app.shortName(func, 40) : `by ${transform.by}`;
  return `${TITLES[transform.type]}: ${name}`;
}
