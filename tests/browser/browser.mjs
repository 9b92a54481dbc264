// SPDX-License-Identifier: Apache-2.0
// A Chromium for the tests of pages and pictures. A test fails if a page writes to the console, opens a dialog or uses
// the network. CHROMIUM names the browser.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser;
let problems = [];
export let page;

// Launches the browser for the tests of a `describe`.
export function withBrowser() {
  before(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
      args: FLAGS,
    });
  });
  beforeEach(() => {
    problems = [];
  });
  afterEach(async () => {
    await closePage();
    assert.deepEqual(problems, []);
  });
  after(() => browser?.close());
}

export async function closePage() {
  await page?.context().close();
  page = undefined;
}

const isFile = (url) => url.startsWith('file:');

// Opens an address in a new context instead of the page before. Only expected requests are allowed.
export async function openPage(address, options = {}, isExpected = isFile) {
  await closePage();
  const context = await browser.newContext(options);
  page = await context.newPage();
  page.on('console', (message) => problems.push('console: ' + message.text()));
  page.on('pageerror', (error) => problems.push('error: ' + error.message));
  page.on('dialog', (dialog) => {
    problems.push('dialog: ' + dialog.message());
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!isExpected(request.url())) problems.push('request: ' + request.url());
  });
  await page.goto(address);
}
