// SPDX-License-Identifier: Apache-2.0
// Saves the picture of a view as an SVG file. Its heading says what the picture shows: profile, filters, transforms.

import type { AppCore } from '../app_core.ts';
import { download, fileName } from '../download.ts';
import { filterWords } from '../filter_words.ts';
import { profileFacts } from '../profile_words.ts';
import { baseName } from '../text.ts';
import { svgDocument, type Picture } from './document.ts';

// "server" of "server.perf.txt.gz"
const withoutEndings = (file: string): string => file.replace(/(\.(wick|data|perf|txt|folded|svg|gz|zst))+$/i, '');

// Returns the name of the file.
export function savePicture(app: AppCore, title: string, picture: Picture): string {
  const { profiles } = app.engine.loaded,
    shown = app.state.view === 'diff' ? profiles : [app.info],
    filters = filterWords(app);
  const name = fileName([...shown.map((profile) => withoutEndings(baseName(profile.title))), picture.name], 'svg'),
    lines = [profileFacts(shown), ...(filters.length > 0 ? [`Filters: ${filters.join(' \u00b7 ')}`] : [])];
  download(name, svgDocument(title, lines, picture), 'image/svg+xml');
  return name;
}
