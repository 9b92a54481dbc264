// SPDX-License-Identifier: Apache-2.0
// The viewer served by wick: the same page, and a server that ends with its tab.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import {
  file,
  fragment,
  open,
  page,
  press,
  report,
  rows,
  answered,
  skip,
  text,
  timedProfile,
  wick,
  withBrowser,
} from './viewer_page.mjs';

async function serve(...inputs) {
  const server = spawn(wick, ['view', ...inputs, '--no-browser', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = await once(createInterface({ input: server.stdout }), 'line');
  return { server, address: address.trim(), ended: once(server, 'exit') };
}

describe('the viewer on loopback', { skip }, () => {
  withBrowser();

  it('shows what the file shows, and ends when its tab is closed', async () => {
    const path = file('timed.perf.txt', timedProfile()),
      { server, address, ended } = await serve(path);
    try {
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
      await open(address, 'view=functions', { viewport: { width: 1920, height: 1080 } });
      assert.deepEqual(
        (await rows('Functions')).map(({ name, selfShare }) => [name, selfShare]),
        report(path).rows.map(({ name, self_share }) => [name, (100 * self_share).toFixed(2)]),
      );
      for (const key of '12345678') await press(key);
      assert.equal((await fragment()).view, 'quality');
      await page.goBack();
      await answered();
      assert.equal((await fragment()).view, 'source');
      await page.reload();
      await answered();
      await press('1');
      assert.match(await text('.headline'), /60 %/);
      await page.close();
      const [status] = await Promise.race([
        ended,
        new Promise((_, fail) => setTimeout(() => fail(new Error('the server still runs')), 20_000)),
      ]);
      assert.equal(status, 0);
    } finally {
      server.kill();
    }
  });
});
