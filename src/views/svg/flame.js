// Makes a finished flame graph interactive: zoom, search, keyboard, fluid width, state in the URL.
//
// The picture is complete without the script. assets.cc joins four files inside one function: text.js,
// frames.js, this file and controls.js. The script loads nothing, never uses names as markup, and moves
// nothing unless the user acts.

const state = { zoom: 0, widths: 'both', selected: -1, pattern: '', ignoreCase: false, hits: [], headExtra: 0 };
const controls = {};

// ---- Details and selection ----

const detailsElement = byId('details');
const numbersElement = byId('numbers');
const idle = [detailsElement, numbersElement].map((element) => element && element.textContent);
const drawnIdle = [...idle];
const canSwitch = () => widths.before[0].length > 0;

function showDetails(i) {
  if (i < 0) {
    detailsElement.textContent = idle[0];
    if (numbersElement) numbersElement.textContent = idle[1];
    return;
  }
  if (!own || isRun(i)) {
    detailsElement.textContent = titleOf(i).replace(/\n/g, ', ');
    if (numbersElement) numbersElement.textContent = '';
    return;
  }
  const parts = [amountText(totals[i], framesElement.dataset.unit),
    percentText(totals[i] / (canSwitch() ? totals[0] : Number(framesElement.dataset.total))) + ' of all'];
  if (i > 0) parts.push(percentText(totals[i] / totals[parents[i]]) + ' of its parent');
  if (state.zoom > 0 && view[i] === INSIDE) parts.push(percentText(totals[i] / totals[state.zoom]) + ' of the view');
  const more = titleOf(i).split('\n')[1];
  if (more) parts.push(more);
  detailsElement.textContent = labelOf(formsOfFrame(i), Math.floor((pictureWidth() - 2 * PAD) / COLUMN));
  numbersElement.textContent = parts.join(' | ');
}

const cursor = document.createElementNS(SVG, 'rect');
cursor.id = 'cursor';

function placeCursor() {
  const i = state.selected;
  cursor.setAttribute('visibility', i < 0 || view[i] === OUTSIDE ? 'hidden' : 'visible');
  if (i < 0) return;
  const rect = elements[i].children[1];
  for (const name of ['x', 'y', 'width', 'height']) cursor.setAttribute(name, rect.getAttribute(name) || '0');
  if (own) cursor.setAttribute('transform', elements[i].parentNode.getAttribute('transform'));
}

function select(i) {
  if (state.selected >= 0) {
    const old = elements[state.selected];
    for (const name of ['id', 'role', 'aria-label', 'aria-level', 'aria-selected']) old.removeAttribute(name);
    framesElement.removeAttribute('aria-activedescendant');
  }
  state.selected = i;
  if (i >= 0) {
    const element = elements[i];
    element.id = 'selected';
    element.setAttribute('role', 'treeitem');
    element.setAttribute('aria-label', titleOf(i));
    element.setAttribute('aria-level', String(depths[i] + 1));
    element.setAttribute('aria-selected', 'true');
    framesElement.setAttribute('aria-activedescendant', 'selected');
    reveal(i);
  }
  showDetails(i);
  placeCursor();
}

function reveal(i) {
  if (!standalone) return;
  const box = elements[i].getBoundingClientRect(), top = own ? HEAD + state.headExtra : 0;
  if (box.top < top) window.scrollBy(0, box.top - top - 40);
  else if (box.bottom > window.innerHeight) window.scrollBy(0, box.bottom - window.innerHeight + 40);
}

// Zooming into a run of narrow frames would show nothing, so a run is only selected.
function enter(i) {
  if (isRun(i)) select(i);
  else zoomTo(i);
}

function zoomTo(i) {
  state.zoom = i;
  placeFrames(i, state.widths);
  if (state.selected >= 0 && view[state.selected] === OUTSIDE) select(i);
  else placeCursor();
  controls.reset.disabled = i === 0;
  search();
  reveal(i);
  saveState();
}

// Chooses the widths of a comparison: one side's, or the mean. Hides frames that the side does not have.
function setWidths(kind) {
  if (!canSwitch() || !(widths[kind][1][0] > 0)) return;
  state.widths = kind;
  [starts, totals] = widths[kind];
  for (const side of Object.keys(widths)) controls[side].setAttribute('aria-pressed', String(side === kind));
  const unit = framesElement.dataset.unit;
  idle[0] = kind === 'both' ? drawnIdle[0]
    : `Widths: ${kind}. Frames only ${kind === 'before' ? 'after' : 'before'} are not shown. Titles show both.`;
  idle[1] = kind === 'both' ? drawnIdle[1] : drawnIdle[1].replace(/^[^;]*/, amountText(totals[0], unit));
  if (state.selected >= 0 && totals[state.selected] === 0) select(-1);
  else showDetails(state.selected);
  zoomTo(totals[state.zoom] > 0 ? state.zoom : 0);
}

// The next frame from frame i for an arrow key, or -1. Up and down are the directions on the screen.
function neighbour(i, key) {
  const rootOnTop = own ? framesElement.dataset.root === 'top'
    : elements.length > 1 && elements[1].getBoundingClientRect().top > elements[0].getBoundingClientRect().top;
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const next = i + (key === 'ArrowLeft' ? -1 : 1);
    return depths[next] === depths[i] && view[next] !== OUTSIDE ? next : -1;
  }
  if ((key === 'ArrowUp') === rootOnTop) return parents[i];
  let widest = -1;
  for (let child = rowBegin[depths[i] + 1]; depths[child] === depths[i] + 1; child++) {
    if (parents[child] === i && view[child] !== OUTSIDE && (widest < 0 || totals[child] > totals[widest])) widest = child;
  }
  return widest;
}

// ---- Search ----

// The share is the visible weight whose stacks contain a hit: hits on top of other hits add nothing, and a
// hit below the zoomed frame covers all of it.
function search() {
  let expression = null, invalid = false;
  if (state.pattern) {
    try {
      expression = new RegExp(state.pattern, state.ignoreCase ? 'i' : '');
    } catch (error) {
      invalid = true;
    }
  }
  const covered = new Uint8Array(elements.length);
  let weight = 0;
  state.hits = [];
  for (let i = 0; i < elements.length; i++) {
    const hit = expression !== null && !isRun(i) && expression.test(nameOf(i));
    elements[i].classList.toggle('hit', hit);
    const below = i > 0 && covered[parents[i]] === 1;
    covered[i] = hit || below ? 1 : 0;
    if (hit && view[i] === INSIDE) {
      state.hits.push(i);
      if (!below) weight += totals[i];
    }
  }
  state.hits.sort((a, b) => starts[a] - starts[b] || a - b);
  const share = covered[state.zoom] ? 1 : weight / totals[state.zoom];
  const count = state.hits.length;
  framesElement.classList.toggle('searching', expression !== null);
  controls.input.setAttribute('aria-invalid', String(invalid));
  controls.matched.textContent = invalid ? 'Not a regular expression'
    : !expression ? '' : `${percentText(share)} in ${thousands(count)} ${count === 1 ? 'frame' : 'frames'}`;
  controls.next.disabled = controls.previous.disabled = count === 0;
}

function step(direction) {
  const count = state.hits.length, at = state.hits.indexOf(state.selected);
  if (count > 0) select(state.hits[at < 0 ? (direction > 0 ? 0 : count - 1) : (at + direction + count) % count]);
}

function setSearch(pattern, ignoreCase) {
  state.pattern = pattern;
  state.ignoreCase = ignoreCase;
  if (controls.input.value !== pattern) controls.input.value = pattern;
  controls.ignoreCase.setAttribute('aria-pressed', String(ignoreCase));
  search();
  saveState();
}

// ---- State in the URL ----

function saveState() {
  const values = new URLSearchParams();
  if (state.zoom > 0) values.set('z', depths[state.zoom] + ',' + widths.both[0][state.zoom]);
  if (state.widths !== 'both') values.set('w', state.widths);
  if (state.pattern) values.set('s', state.pattern);
  if (state.ignoreCase) values.set('i', '1');
  const fragment = values.toString();
  if (!standalone || fragment === location.hash.slice(1)) return;
  try {
    history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
  } catch (error) {
    // A sandboxed frame cannot write its history; all other functions work.
  }
}

function loadState() {
  const values = new URLSearchParams(standalone ? location.hash.slice(1) : '');
  const [depth, start] = (values.get('z') || '0,0').split(',').map(Number);
  const zoom = elements.findIndex((_, i) => depths[i] === depth && widths.both[0][i] === start);
  state.pattern = values.get('s') || '';
  state.ignoreCase = values.get('i') === '1';
  state.zoom = Math.max(0, zoom);
  setWidths(Object.keys(widths).includes(values.get('w')) ? values.get('w') : 'both');
  zoomTo(state.zoom);
  setSearch(state.pattern, state.ignoreCase);
}
