// SPDX-License-Identifier: Apache-2.0
// Measures the viewer, and speedscope for comparison: first picture, drawing, brushing, memory. bench/viewer calls it.
//
// First picture: from the start of navigation until something is drawn. A script inside the page checks this in every
// animation frame: for wick a canvas with colours on it, for speedscope its row of views (it draws in the next frame).
// wick's page is opened from disk; speedscope is served from this process, which is its usual way. They take turns;
// ratios are medians. The output reports a tab that crashes, and the ratio is then that of the next smaller recording.
// Memory is the renderer's proportional set size after the picture is complete.
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from '../tests/browser/node_modules/playwright-core/index.mjs';

const [wick, ...sizes] = process.argv.slice(2); // the recording to measure, then smaller ones for speedscope
const REPEAT = 3;
const LARGE_BYTES = 20e6; // speedscope's file of 250,000 samples has 32 MB
const RELEASE = resolve('tests/consumers/node_modules/speedscope/dist/release');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const lines = [];
const say = (what, figure, bar, met) => {
  lines.push(`${what.padEnd(72)} ${figure.padStart(24)}   ${bar.padEnd(22)} ${met === null ? '' : met ? 'met' : 'MISSED'}`);
  console.log(lines.at(-1));
};

function serveSpeedscope(data) {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };
  const server = createServer((request, response) => {
    const name = request.url.split('?')[0];
    const path = name === '/profile.json' ? `${data}.json` : join(RELEASE, name);
    if (!existsSync(path) || !statSync(path).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream' });
    return createReadStream(path).pipe(response);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

// Runs in the page, before its own script.
const watch = (isDrawn) => `(() => {
  const isDrawn = ${isDrawn};
  const look = () => {
    if (isDrawn()) requestAnimationFrame(() => { window.firstPicture = performance.now(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.wickTimings = [];
})()`;

function wickDrawn() {
  return [...document.querySelectorAll('canvas')].some((canvas) => {
    if (canvas.width < 300 || canvas.height < 100) return false;
    // In the second row of frames: a picture may have no more.
    const pixels = canvas.getContext('2d').getImageData(0, 30, canvas.width, 1).data;
    return pixels.some((value, i) => i > 3 && value !== pixels[i % 4]);
  });
}
function speedscopeDrawn() {
  return [...document.querySelectorAll('div')].some((element) => element.children.length < 3 && /Left Heavy$/.test(element.textContent));
}

// waitForFunction() needs eval, which the page does not allow.
async function until(page, isTrue) {
  for (const end = Date.now() + 300_000; Date.now() < end;) {
    if (await page.evaluate(isTrue)) return;
    await page.waitForTimeout(100);
  }
  throw new Error('nothing was drawn in five minutes');
}

async function open(browser, url, isDrawn) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  await page.addInitScript(watch(isDrawn.toString()));
  await page.goto(url, { waitUntil: 'commit', timeout: 300_000 });
  await until(page, () => window.firstPicture !== undefined);
  return page;
}

async function rendererMegabytes(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => {
    const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)[1]) / 1024;
  });
  return Math.max(...sizes);
}

// Each in a new browser, so that nothing is cached.
async function firstPicture(url, isDrawn, after = async () => undefined) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
  try {
    const page = await open(browser, url, isDrawn);
    const time = await page.evaluate(() => window.firstPicture);
    await page.waitForTimeout(1000);
    const memory = await rendererMegabytes(browser);
    return { time, memory, more: await after(page, browser) };
  } finally {
    await browser.close();
  }
}

// Frames a second while the wheel zooms in and out and the picture is dragged.
async function framesWhile(page, action) {
  await page.evaluate(() => {
    window.frames_ = [];
    const count = (time) => { window.frames_.push(time); window.counting = requestAnimationFrame(count); };
    window.counting = requestAnimationFrame(count);
  });
  await action();
  const times = await page.evaluate(() => { cancelAnimationFrame(window.counting); return window.frames_; });
  const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  return { fps: (1000 * (times.length - 1)) / (times.at(-1) - times[0]), slowest: gaps[Math.floor(gaps.length * 0.95)] };
}

async function drawing(page) {
  await page.keyboard.press('5'); // time order
  await page.waitForTimeout(3000);
  const box = await page.locator('main canvas').last().boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  return framesWhile(page, async () => {
    for (let i = 0; i < 120; ++i) {
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, i % 40 < 20 ? -60 : 60);
      await page.keyboard.up('Control');
    }
    for (let i = 0; i < 60; ++i) await page.mouse.wheel(i % 20 < 10 ? 80 : -80, 0);
  });
}

// The Timeline view while a chosen range is moved: all tracks are drawn again.
async function panning(page) {
  await page.keyboard.press('6');
  await page.waitForTimeout(3000);
  const box = await page.locator('.strip canvas').boundingBox();
  const [x, y] = [(share) => box.x + box.width * share, box.y + box.height / 2];
  await page.mouse.move(x(0.2), y);
  await page.mouse.down();
  await page.mouse.move(x(0.4), y, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(1000);
  await page.mouse.move(x(0.3), y);
  await page.mouse.down();
  const frames = await framesWhile(page, async () => {
    for (let i = 0; i < 120; ++i) await page.mouse.move(x(0.3 + 0.003 * i), y);
  });
  await page.mouse.up();
  return frames;
}

// The rows of the Timeline view.
async function scrolling(page) {
  await page.keyboard.press('6');
  await page.waitForTimeout(2000);
  const box = await page.locator('main .grid-body').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  return framesWhile(page, async () => {
    for (let i = 0; i < 120; ++i) await page.mouse.wheel(0, i % 40 < 20 ? 120 : -120);
  });
}

// Milliseconds from a request to its answer, including worker and transfer, while the overview is brushed.
async function brushing(page) {
  await page.keyboard.press('2'); // flame graph
  await page.waitForTimeout(1000);
  const box = await page.locator('canvas').first().boundingBox();
  await page.evaluate(() => { window.wickTimings.length = 0; });
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.2, y);
  await page.mouse.down();
  for (let i = 0; i < 30; ++i) {
    await page.mouse.move(box.x + box.width * (0.3 + 0.02 * i), y);
    await page.waitForTimeout(50);
  }
  await page.mouse.up();
  await page.waitForTimeout(2000);
  const trees = (await page.evaluate(() => window.wickTimings)).filter(([method]) => method === 'callTree').map(([, time]) => time);
  return trees.length === 0 ? NaN : median(trees);
}

// Makes the page of a recording; returns its path and its address.
function makePage(data) {
  const path = `${data}.html`;
  execFileSync(wick, ['view', `${data}.wick`, '-o', path]);
  return { path, url: pathToFileURL(resolve(path)).href };
}
const megabytes = (path) => `${(statSync(path).size / 1e6).toFixed(1)} MB`;

// Times of both, or null if speedscope's tab crashes or draws nothing in five minutes.
async function against(data) {
  const server = await serveSpeedscope(data);
  const origin = `http://127.0.0.1:${server.address().port}`;
  const peerUrl = `${origin}/index.html#profileURL=${encodeURIComponent(`${origin}/profile.json`)}`;
  const { path, url } = makePage(data);
  const mine = [];
  const peers = [];
  try {
    for (let turn = 0; turn < REPEAT; ++turn) {
      mine.push(await firstPicture(url, wickDrawn));
      peers.push(await firstPicture(peerUrl, speedscopeDrawn));
    }
  } catch (error) {
    if (!/crashed|nothing was drawn/i.test(error.message)) throw error;
    console.log(`speedscope shows no picture of ${megabytes(`${data}.json`)} (the page is ${megabytes(path)}): ${error.message.split('\n')[0]}`);
    return null;
  } finally {
    server.close();
  }
  return { mine, peers, sizes: `${megabytes(path)} / ${megabytes(`${data}.json`)}` };
}

console.log(`The load is ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}.\n`);
const { path, url } = makePage(sizes[0]);
const script = /<script id="page-script">([^]*)<\/script>/.exec(readFileSync(path, 'utf8'))[1];
say('script, gzipped', `${(gzipSync(script).length / 1000).toFixed(1)} kB`, 'under 150 kB', gzipSync(script).length < 150_000);

const alone = await firstPicture(url, wickDrawn, async (page, browser) => ({
  frames: await drawing(page), brush: await brushing(page), memory: await rendererMegabytes(browser),
}));
const { frames, brush, memory } = alone.more;
say(`first picture, page of ${megabytes(path)}`, `${(alone.time / 1000).toFixed(2)} s`, '', null);
say('memory of the page', `${alone.memory.toFixed(0)} MB`, 'under 500 MB', alone.memory < 500);
say('memory after using it', `${memory.toFixed(0)} MB`, 'under 500 MB', memory < 500);
say('time order, zooming and panning, software rendering', `${frames.fps.toFixed(0)} fps (95 % < ${frames.slowest.toFixed(0)} ms)`, 'at least 50 fps', frames.fps >= 50);
say('brushing a range: the tree of its samples', `${brush.toFixed(0)} ms`, 'under 100 ms', brush < 100);

const moments = makePage(process.env.MOMENTS);
const many = await firstPicture(moments.url, wickDrawn, panning);
say('first picture, 100,000 spans and 1,000,000 marks', `${(many.time / 1000).toFixed(2)} s`, '', null);
say('panning them, software rendering', `${many.more.fps.toFixed(0)} fps (95 % < ${many.more.slowest.toFixed(0)} ms)`,
    'at least 50 fps', many.more.fps >= 50);

const threads = makePage(process.env.THREADS);
const wide = await firstPicture(threads.url, wickDrawn, async (page) => ({
  order: await drawing(page), moved: await panning(page), scrolled: await scrolling(page),
}));
say('first picture, 1,000,000 samples and 100,000 spans on 200 threads', `${(wide.time / 1000).toFixed(2)} s`, '', null);
for (const [what, { fps, slowest }] of [
  ['their time order, zooming and panning', wide.more.order],
  ['their tracks, moving a range', wide.more.moved],
  ['their tracks, scrolling', wide.more.scrolled],
]) say(what, `${fps.toFixed(0)} fps (95 % < ${slowest.toFixed(0)} ms)`, 'at least 50 fps', fps >= 50);

for (const data of existsSync(RELEASE) ? sizes : []) {
  const both = await against(data);
  if (both === null) continue;
  const { mine, peers } = both;
  const ratios = mine.map((run, i) => run.time / peers[i].time);
  // Of a small file both are mostly the browser's own start.
  const bar = statSync(`${data}.json`).size > LARGE_BYTES ? 0.01 : 0.25;
  const seconds = (runs) => (median(runs.map((run) => run.time)) / 1000).toFixed(2);
  say(`first picture against speedscope, ${both.sizes}: ${seconds(mine)} / ${seconds(peers)} s`,
      `${median(ratios).toFixed(3)}x (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`, `at most ${bar}x`, median(ratios) <= bar);
  say('memory beside it', `${median(mine.map((run) => run.memory)).toFixed(0)} / ${median(peers.map((run) => run.memory)).toFixed(0)} MB`, '', null);
  break;
}
if (!existsSync(RELEASE)) console.log('speedscope is absent: npm could not install it into tests/consumers.');
