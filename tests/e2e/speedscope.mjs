// SPDX-License-Identifier: Apache-2.0
// Prints what speedscope sees in a file.
//
//     node speedscope.mjs FILE            the stacks: "a;b;c", sorted, each once
//     node speedscope.mjs --each FILE...  the same, in FILE.stacks
//     node speedscope.mjs FILE --top N    of each profile: its name and total, and N functions with
//                                         the most self and N with the most total weight
//     node speedscope.mjs FILE --load     nothing: it ends when speedscope has loaded the file
//
// speedscope has no command line for conversion. So this script loads its page without a browser,
// gives it the file, and lets it save the result (Ctrl-S). NODE_MODULES names a folder with the npm
// packages speedscope and jsdom. With --chromium as the last word, a real browser does the same.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = path.resolve(process.env.NODE_MODULES);
const { JSDOM, VirtualConsole } = createRequire(path.join(modules, 'x.js'))('jsdom');

function pageScript() {
  const release = path.join(modules, 'speedscope', 'dist', 'release');
  const name = fs.readdirSync(release).find((file) => /^speedscope-.*\.js$/.test(file));
  return fs.readFileSync(path.join(release, name), 'utf8');
}

// A window with the parts of a browser that the page needs; `complain` gets its messages.
function openPage(onSave, complain) {
  const talk = new VirtualConsole();
  for (const kind of ['warn', 'error']) {
    talk.on(kind, (...words) => complain(words.join(' ')));
  }
  const { window } = new JSDOM('<!doctype html><body></body>', {
    url: 'http://localhost/#localProfilePath=none.js',
    runScripts: 'outside-only',
    pretendToBeVisual: true,
    virtualConsole: talk,
  });
  window.matchMedia = () => ({ matches: false, addListener() {}, removeListener() {} });
  Object.assign(window, { TextDecoder, TextEncoder, alert: complain });
  window.Blob = class {
    constructor(parts) {
      onSave(parts.join(''));
    }
  };
  window.URL.createObjectURL = () => 'blob:saved';
  window.HTMLAnchorElement.prototype.click = () => {};
  window.eval(pageScript());
  return window;
}

// Its page, with the file given to it.
function openWith(file, onSave) {
  const complaints = [];
  const window = openPage(onSave, (words) => complaints.push(words));
  window.speedscope.loadFileFromBase64(path.basename(file), fs.readFileSync(file).toString('base64'));
  return { window, complaints };
}

const MOST_TRIES = 60_000; // ten minutes
const moment = () => new Promise((resolve) => setTimeout(resolve, 10));

// The page shows the name of a profile in its title.
async function load(file) {
  const { window, complaints } = openWith(file, () => {});
  for (let tries = 0; !/ - speedscope/.test(window.document.title); ++tries) {
    if (tries === MOST_TRIES || complaints.length > 0) {
      throw new Error(`speedscope did not open ${file}: ${complaints.join('; ')}`);
    }
    await moment();
  }
}

async function profileOf(file) {
  let saved = null;
  const { window, complaints } = openWith(file, (text) => (saved = text));
  for (let tries = 0; tries < 500 && saved === null; ++tries) {
    await moment();
    window.dispatchEvent(new window.KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }));
  }
  window.close();
  if (saved === null) {
    throw new Error(`speedscope did not open ${file}: ${complaints.join('; ')}`);
  }
  return JSON.parse(saved);
}

// The same in Chromium, with the driver that the tests of pages use.
async function profileOfBrowser(file) {
  const { chromium } = await import('../browser/node_modules/playwright-core/index.mjs');
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path.join(modules, 'speedscope', 'dist', 'release', 'index.html')).href);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Left Heavy').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
    return JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
  } finally {
    await browser.close();
  }
}

// speedscope stores when functions begin and end: the open functions between two moments are a stack.
function* stacksOf({ events }) {
  const open = [];
  for (const [index, { type, at, frame }] of events.entries()) {
    if (type === 'O') {
      open.push(frame);
    } else {
      open.pop();
    }
    if (open.length > 0 && events[index + 1]?.at > at) {
      yield [...open];
    }
  }
}

// Self and total weight of each function; a recursive function counts once in a stack.
function weightsOf({ events }) {
  const self = new Map();
  const total = new Map();
  const open = [];
  const add = (map, frame, weight) => map.set(frame, (map.get(frame) ?? 0) + weight);
  for (const [index, { type, at, frame }] of events.entries()) {
    if (type === 'O') {
      open.push(frame);
    } else {
      open.pop();
    }
    const weight = (events[index + 1]?.at ?? at) - at;
    if (open.length > 0 && weight > 0) {
      add(self, open.at(-1), weight);
      new Set(open).forEach((each) => add(total, each, weight));
    }
  }
  return { self, total };
}

function topLines(weights, frames, count) {
  const named = [...weights].map(([frame, weight]) => ({ name: frames[frame].name, weight }));
  named.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
  return named.slice(0, count).map(({ name, weight }) => `${weight} ${name}`);
}

function printTop({ profiles, shared }, count) {
  for (const profile of profiles) {
    const { self, total } = weightsOf(profile);
    const sum = [...self.values()].reduce((a, b) => a + b, 0);
    console.log(`profile ${profile.name}: ${sum} ${profile.unit}`);
    console.log(['self', ...topLines(self, shared.frames, count)].join('\n  '));
    console.log(['total', ...topLines(total, shared.frames, count)].join('\n  '));
  }
}

function stacksText({ profiles, shared }) {
  const stacks = new Set();
  for (const profile of profiles) {
    for (const stack of stacksOf(profile)) {
      // It prints "??? (MODULE)" for a frame without a name.
      const names = stack.map((frame) => shared.frames[frame].name.replace(/^\?\?\? \(.*\)$/, '[unknown]'));
      stacks.add(names.join(';'));
    }
  }
  return [...stacks].map((stack) => stack + '\n').sort().join('');
}

const [, , file, flag, count] = process.argv;
if (flag === '--load') {
  await load(file);
  process.exit(0);
}
if (file === '--each') {
  for (const each of process.argv.slice(3)) fs.writeFileSync(each + '.stacks', stacksText(await profileOf(each)));
  process.exit(0);
}
const profile = await (process.argv.at(-1) === '--chromium' ? profileOfBrowser : profileOf)(file);
if (flag === '--top') {
  printTop(profile, Number(count));
} else {
  process.stdout.write(stacksText(profile));
}
process.exit(0);
