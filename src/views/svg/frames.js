// The frames of the picture as columns, and their layout.
//
// wick's own form (own_form.h) has a <g> for each row of frames, with the exact starts and widths as lists.
// flamegraph.pl's form (perl_form.h) is a flat list of <g>, and the script reads its rectangles. In both
// cases the frames become columns (no object per frame), ordered by depth, then by start. So a parent has a
// smaller number than its children, and number 0 is the root.
//
// Names are untrusted text. The script reads them from title elements and writes them through text nodes and
// properties, never as markup.

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const PAD = 10, COLUMN = 7.25, FOOT_COLUMN = 6.7, FOOT_LINE = 16, HEAD = 64;  // own_form.cc
const PERL_COLUMN = 7.08;                                                     // perl_form.cc
const OUTSIDE = 0, INSIDE = 1, ABOVE = 2;

const picture = document.currentScript.ownerSVGElement;
const own = picture.classList.contains('wick-flame');
const standalone = picture === document.documentElement;
const byId = (id) => picture.querySelector('#' + id);
const framesElement = byId('frames');

const elements = [], names = [];
let starts = [], totals = [], depths = [], parents = [];
// A comparison also has the starts and totals of each side; the first are those of the original picture.
const widths = { both: [starts, totals], before: [[], []], after: [[], []] };
const rowBegin = [];         // number of the first frame of each row
const indexOf = new Map();   // number of an element
let view = null;             // OUTSIDE, INSIDE or ABOVE the zoomed frame

const titleOf = (i) => elements[i].firstElementChild.textContent;
const isRun = (i) => elements[i].classList.contains('m');

// A title is "name (weight, share)" and perhaps more lines; names contain no line breaks.
function nameOf(i) {
  if (names[i] === undefined) {
    const line = titleOf(i).split('\n', 1)[0];
    names[i] = line.slice(0, line.lastIndexOf(' ('));
  }
  return names[i];
}

function addFrame(element, depth, start, total) {
  if (rowBegin.length <= depth) rowBegin.push(elements.length);
  indexOf.set(element, elements.length);
  elements.push(element);
  depths.push(depth);
  starts.push(start);
  totals.push(total);
}

function readOwn() {
  [...framesElement.children].forEach((row, depth) => {
    const list = (name) => (row.getAttribute('data-' + name) || '').split(' ').map(Number);
    const rowStarts = list('s'), rowTotals = list('w');
    [...row.children].forEach((element, i) => addFrame(element, depth, rowStarts[i], rowTotals[i]));
    for (const side of row.hasAttribute('data-s-before') ? ['before', 'after'] : []) {
      widths[side][0].push(...list('s-' + side));
      widths[side][1].push(...list('w-' + side));
    }
  });
}

function readPerl() {
  const frames = [...framesElement.children].map((element) => {
    const rect = element.querySelector('rect');
    const [x, y, width] = ['x', 'y', 'width'].map((name) => Number(rect.getAttribute(name)));
    return { element, x, y, width };
  });
  if (frames.length === 0) return;
  const ys = [...new Set(frames.map(({ y }) => y))].sort((a, b) => a - b);
  if (frames.filter(({ y }) => y === ys[0]).length > 1 || frames[0].y !== ys[0]) ys.reverse();
  const depthOf = new Map(ys.map((y, depth) => [y, depth]));
  frames.sort((a, b) => depthOf.get(a.y) - depthOf.get(b.y) || a.x - b.x);
  for (const { element, x, y, width } of frames) addFrame(element, depthOf.get(y), x, width);
}

// Every frame is within its parent, so its middle finds the parent in the previous row.
function findParents() {
  for (let i = 0, candidate = 0; i < elements.length; i++) {
    const above = depths[i] - 1;
    if (above >= 0 && i === rowBegin[above + 1]) candidate = rowBegin[above];
    const middle = starts[i] + totals[i] / 2;
    while (candidate + 1 < rowBegin[above + 1] && starts[candidate] + totals[candidate] < middle) candidate++;
    parents.push(above < 0 ? -1 : candidate);
  }
}

function readFrames() {
  if (own) readOwn();
  else readPerl();
  findParents();
  for (const side of Object.keys(widths)) widths[side] = widths[side].map((list) => Float64Array.from(list));
  [starts, totals] = widths.both;
  depths = Int32Array.from(depths);
  parents = Int32Array.from(parents);
  view = new Uint8Array(elements.length).fill(INSIDE);
}

// ---- Layout ----

const pixels = (value) => String(Math.round(value * 100) / 100);

function pictureWidth() {
  return own ? Math.max(200, picture.getBoundingClientRect().width) : Number(picture.getAttribute('width'));
}

// The forms of a name, from the ladder that wick wrote for it. Ladders are in the order of the names' first frames.
let knownForms = null;  // by name; null: not read yet

function readLadders() {
  const ladders = (byId('ladders') ? byId('ladders').textContent : '').split('\n');
  knownForms = new Map();
  for (let i = 0, next = 0; i < elements.length; i++) {
    if (!isRun(i) && !knownForms.has(nameOf(i))) knownForms.set(nameOf(i), formsOf(nameOf(i), ladders[next++] || ''));
  }
}

function formsOfFrame(i) {
  if (knownForms === null) readLadders();
  return knownForms.get(nameOf(i)) || formsOf(nameOf(i), '');
}

function placeBox(i, x, width) {
  const [, rect, text] = elements[i].children;
  rect.setAttribute('x', pixels(x));
  rect.setAttribute('width', pixels(own && width > 2 ? width - 0.5 : width));
  if (text) text.setAttribute('x', pixels(x + 3));
}

function placeLabel(i, x, label) {
  const text = elements[i].children[2];
  if (text) {
    text.textContent = label;
  } else if (label) {
    const created = document.createElementNS(SVG, 'text');
    created.setAttribute('x', pixels(x + 3));
    created.setAttribute('y', String(framesElement.dataset.height - 4));
    created.textContent = label;
    elements[i].append(created);
  }
}

// The labels of all frames that are shown. boxes: [frame, x, width].
function placeLabels(boxes) {
  if (!own) {
    for (const [i, x, width] of boxes) {
      const room = Math.floor(width / PERL_COLUMN);
      placeLabel(i, x, room < 3 || i === 0 ? '' : cutLabel(nameOf(i), room));
    }
    return;
  }
  const rows = boxes.map(([i, , width]) => ({ forms: formsOfFrame(i), columns: Math.floor((width - 6) / COLUMN) }));
  const roomy = boxes.map(([i], row) => !isRun(i) && rows[row].columns >= 3);
  const labels = labelsOf(rows.filter((_, row) => roomy[row]), 'blank');
  let next = 0;
  boxes.forEach(([i, x], row) => placeLabel(i, x, roomy[row] ? labels[next++] : ''));
}

let laidOut = '';  // width, zoom and kind of widths of the current picture

// The zoomed frame and its ancestors fill the width; all other frames are hidden.
function placeFrames(zoom, kind) {
  const fullWidth = pictureWidth();
  const key = [fullWidth, zoom, kind].join(' ');
  if (key === laidOut) return;
  laidOut = key;
  const zoomStart = starts[zoom], zoomEnd = zoomStart + totals[zoom];
  const scale = (fullWidth - 2 * PAD) / totals[zoom];
  const boxes = [];
  view.fill(OUTSIDE);
  for (let i = parents[zoom]; i >= 0; i = parents[i]) view[i] = ABOVE;
  for (let i = 0; i < elements.length; i++) {
    // A run of narrow frames can span several parents: it is cut at the edge of the view.
    const end = starts[i] + totals[i], middle = (starts[i] + end) / 2;
    const left = isRun(i) ? end : middle, right = isRun(i) ? starts[i] : middle;
    if (i === zoom || (totals[i] > 0 && depths[i] > depths[zoom] && left > zoomStart && right < zoomEnd)) view[i] = INSIDE;
    const from = Math.max(starts[i], zoomStart), width = (Math.min(end, zoomEnd) - from) * scale;
    const shown = view[i] === ABOVE || (view[i] === INSIDE && width >= 0.05);
    elements[i].classList.toggle('off', !shown);
    elements[i].classList.toggle('up', view[i] === ABOVE);
    if (view[i] === ABOVE) boxes.push([i, PAD, fullWidth - 2 * PAD]);
    else if (shown) boxes.push([i, PAD + (from - zoomStart) * scale, width]);
  }
  for (const box of boxes) placeBox(...box);
  placeLabels(boxes);
}

// The legend from left to right, then the notes. Lines break at the picture's width (own_form.cc).
function placeFoot() {
  const width = pictureWidth(), foot = byId('foot');
  let x = PAD, y = 0;
  for (const key of foot.querySelectorAll('.key')) {
    const keyWidth = 36 + FOOT_COLUMN * columnsOf(key.textContent);
    if (x + keyWidth > width && x > PAD) {
      x = PAD;
      y += FOOT_LINE;
    }
    key.setAttribute('transform', `translate(${pixels(x)} ${y})`);
    x += keyWidth;
  }
  if (x > PAD) y += FOOT_LINE;
  for (const note of foot.querySelectorAll('.note')) {
    const lines = wrappedLines(note.textContent.replace(/\n/g, ' '), Math.floor((width - 2 * PAD) / FOOT_COLUMN));
    note.replaceChildren(...lines.map((line) => {
      const span = document.createElementNS(SVG, 'tspan');
      span.setAttribute('x', String(PAD));
      span.setAttribute('y', String(y + 12));
      span.textContent = line + '\n';
      y += FOOT_LINE;
      return span;
    }));
  }
  return y;
}
