// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the viewer: pages written by wick, and functions that open and read them.
//
// WICK names the program, ARTEFACTS a directory for screenshots (without it, none are saved).
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openPage, page, withBrowser as launchBrowser } from './browser.mjs';

export { page } from './browser.mjs';

export const wick = process.env.WICK;
export const skip = !wick && 'WICK is not set';
const artefacts = process.env.ARTEFACTS;

let folder;

export function withBrowser() {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'wick-viewer-'));
  });
  launchBrowser();
  after(() => {
    if (folder) rmSync(folder, { recursive: true });
  });
}

export const run = (...words) =>
  execFileSync(wick, words, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
// An answer of wick, with the rows of its first section beside the rest (docs/json.md).
export function wickAnswer(...words) {
  const answer = JSON.parse(run(...words, '--json'));
  return { ...answer, rows: Object.values(answer.sections)[0].rows };
}
export const report = (...words) => wickAnswer('report', ...words);

// A file with this text, in a directory that is removed when the tests end.
export function file(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const pages = new Map();
export function pageOf(...inputs) {
  const key = inputs.join('\n');
  if (!pages.has(key)) {
    const path = join(folder, `page${pages.size}.html`);
    run('view', '--allow-loss', '100', '-o', path, ...inputs);
    pages.set(key, path);
  }
  return pages.get(key);
}

// Opens a page (a file, or an address of wick's server) with this fragment and waits until a view is shown.
export async function open(path, fragment = '', options = {}) {
  const isServed = path.startsWith('http:');
  const address = isServed ? path : pathToFileURL(path).href;
  await openPage(
    address + (fragment ? '#' + fragment : ''),
    { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options },
    (url) => /^(file|blob|data):/.test(url) || (isServed && url.startsWith(path)),
  );
  await answered();
}

// Waits until the page has answered all requests and drawn the answers. What a key or a click asks for may be asked in
// the next frame only, and what was answered is drawn in one.
export async function answered() {
  await page.waitForSelector('main > *');
  for (let i = 0; i < 2; i++) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.waitForFunction(() => document.documentElement.dataset.busy === 'false', null, { polling: 10 });
  }
}

export async function press(...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await answered();
  }
}

export const text = (selector) => page.locator(selector).first().textContent();
export const detail = () => text('.status .detail');
export const heading = () => text('[role=tab][aria-selected=true]');
export const fragment = () => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));

// The visible rows of a grid: one object per row, by column. Names are cut to their room; their title is complete.
export const rows = (name) =>
  page.locator(`[aria-label="${name}"] .grid-row`).evaluateAll((elements) => {
    const text = (cell) => {
      const named = cell.querySelector('.name[title]');
      return named ? cell.textContent.replace(named.textContent, () => named.title) : cell.textContent;
    };
    return elements.map((row) =>
      Object.fromEntries([...row.children].map((cell) => [cell.dataset.column, text(cell)])),
    );
  });

export async function screenshot(name) {
  if (!artefacts) return;
  mkdirSync(artefacts, { recursive: true });
  await page.screenshot({ path: join(artefacts, `${name}.png`) });
}

// A recording of three threads on two CPUs, as perf script prints it: 600 samples of 1 ms in 0.3 seconds. The main
// thread computes in its first half and writes in its second; workers hash; every tenth sample is in the kernel.
export function timedProfile(change = 0) {
  const lines = [];
  for (let i = 0; i < 600; i++) {
    const thread = i % 3,
      late = i >= 300,
      kernel = i % 10 === 9;
    const [comm, tid] = [
      ['main', 100],
      ['worker-1', 101],
      ['worker-2', 102],
    ][thread];
    lines.push(`${comm} 100/${tid} [00${i % 2}] ${(10 + i * 0.0005).toFixed(6)}: 1000000 cpu-clock:u: `);
    const stack =
      thread === 0
        ? late
          ? ['write_all', 'app::Output::flush(std::vector<int> const&)', 'main']
          : ['compute', 'app::Solver<double>::run()', 'main']
        : ['hash', 'hash', 'work', 'app::Pool::loop()'];
    if (change > 0 && thread === 0 && !late && i % change === 0) stack.unshift('brand_new');
    if (kernel) lines.push('\tffffffff81000010 do_syscall_64+0x10 ([kernel.kallsyms])');
    stack.forEach((name, at) =>
      lines.push(
        `\t    55d000${at}0${name.length % 10} ${name}+0x8 (${name === 'hash' ? '/usr/lib/libhash.so.1' : '/usr/bin/app'})`,
      ),
    );
    lines.push('');
  }
  return lines.join('\n') + '\n';
}
