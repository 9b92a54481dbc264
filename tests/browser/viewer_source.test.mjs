// SPDX-License-Identifier: Apache-2.0
// The Source view with real code: a recording of tests/annotate/work.cc, with a hostile source on disk.
// WICK_RECORDING names it (tests/browser/run makes it); if nothing can be recorded, this is skipped.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { open, page, pageOf, rows, screenshot, answered, skip, withBrowser } from './viewer_page.mjs';

const recording = process.env.WICK_RECORDING;

describe(
  'the Source view with real code',
  { skip: skip || (!recording && 'WICK_RECORDING is not set: nothing could be recorded') },
  () => {
    withBrowser();

    it('shows the lines of the file, and what they cost', async () => {
      const directory = dirname(recording),
        lines = readFileSync(join(directory, 'work.cc'), 'utf8').split('\n');
      await open(pageOf(recording, '--source-dir', directory), 'view=source', {
        viewport: { width: 1600, height: 1200 },
      });
      const functions = page.getByRole('combobox', { name: 'Function' });
      const divide = await functions
        .locator('option')
        .evaluateAll((options) => options.find((option) => option.textContent.includes('divide')).value);
      await functions.selectOption(divide);
      await answered();
      const shown = (await rows('Source lines')).filter(({ line }) => line !== '');
      assert.ok(shown.length > 3);
      for (const { line, text } of shown) assert.equal(text.trim(), lines[Number(line) - 1].trim(), `line ${line}`);
      const hot = shown.find(({ text }) => text.includes('</script>'));
      assert.ok(hot, 'markup is text');
      assert.ok((await rows('Instructions')).length > 3);
      await screenshot('source-code');
    });
  },
);
