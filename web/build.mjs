// SPDX-License-Identifier: Apache-2.0
// Builds the pages of a profile and of a sweep: one script and one style each, inserted into page.html. Also builds the
// part of the flame graph SVG's script that shares its rules with the pages.
//
//     node build.mjs OUT.html SWEEP.html TEXT.js   what wick embeds; {{title}}, {{connect}} and {{data}} are left open
//     node build.mjs --fake OUT.html               a page with generated data instead of a profile
//
// The page's security policy contains the hashes of the script and the style, so nothing else in the page can run.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

async function loadEsbuild() {
  try {
    return await import('esbuild');
  } catch {
    console.error('The viewer cannot be built: esbuild is not installed. Run tools/setup build, or npm ci in web/.');
    process.exit(1);
  }
}

async function bundle(esbuild, entry, fake) {
  const result = await esbuild.build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    define: { FAKE_PROFILE: fake ? 'true' : 'false' },
  });
  return result.outputFiles[0].text.trim();
}

// Inside script and style elements only the end tag is special.
const safeScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const safeStyle = (text) => text.replaceAll('</style', '<\\/style');
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

const esbuild = await loadEsbuild();

async function buildPage(entry, styles, texts, fake, out) {
  const script = safeScript(await bundle(esbuild, entry, fake));
  const style = safeStyle(await bundle(esbuild, styles, fake));
  const values = {
    'script-hash': hash(script),
    'style-hash': hash(style),
    script,
    style,
    ...texts,
    ...(fake ? { title: 'wick: generated data', connect: "'none'", data: '' } : {}),
  };
  const page = readFileSync(join(here, 'page.html'), 'utf8').replace(
    /\{\{([a-z-]+)\}\}/g,
    (whole, name) => values[name] ?? whole,
  );
  writeFileSync(out, page);
}

// Not minified: the script of an SVG stays readable.
async function buildSvgText(out) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(here, 'src/svg/text.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
  });
  writeFileSync(out, outputFiles[0].text.replace(/^export \{[^}]*\};\n?/m, ''));
}

const words = process.argv.slice(2);
const fake = words[0] === '--fake';
const [viewer, sweep, svgText] = words.slice(fake ? 1 : 0);
const ofProfile = {
  what: 'profile',
  command: 'wick view FILE -o page.html',
  sources: 'worker-src blob:; img-src data: blob:',
};
const ofSweep = { what: 'sweep', command: 'wick sweep DIRECTORY', sources: 'img-src data:' };
await buildPage('src/main.ts', 'src/ui/style.css', ofProfile, fake, viewer);
if (sweep !== undefined) await buildPage('src/sweep/main.ts', 'src/sweep/style.css', ofSweep, false, sweep);
if (svgText !== undefined) await buildSvgText(svgText);
