// SPDX-License-Identifier: Apache-2.0
// Prints the stacks that speedscope sees in a text of perf script: "a;b;c", sorted, each once.
//
//     node speedscope.mjs FILE
//
// speedscope has no command line for conversion. So this script loads its page without a browser,
// gives it the file, and lets it save the result (Ctrl-S). NODE_MODULES names a folder with the npm
// packages speedscope and jsdom.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

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

async function profileOf(file) {
  let saved = null;
  const complaints = [];
  const window = openPage((text) => (saved = text), (words) => complaints.push(words));
  window.speedscope.loadFileFromBase64(path.basename(file), fs.readFileSync(file).toString('base64'));
  for (let tries = 0; tries < 500 && saved === null; ++tries) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    window.dispatchEvent(new window.KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }));
  }
  window.close();
  if (saved === null) {
    throw new Error(`speedscope did not open ${file}: ${complaints.join('; ')}`);
  }
  return JSON.parse(saved);
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

const { profiles, shared } = await profileOf(process.argv[2]);
const stacks = new Set();
for (const profile of profiles) {
  for (const stack of stacksOf(profile)) {
    // It prints "??? (MODULE)" for a frame without a name.
    const names = stack.map((frame) => shared.frames[frame].name.replace(/^\?\?\? \(.*\)$/, '[unknown]'));
    stacks.add(names.join(';'));
  }
}
process.stdout.write([...stacks].map((stack) => stack + '\n').sort().join(''));
process.exit(0);
