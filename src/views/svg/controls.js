// The controls of a flame graph: toolbar, help, mouse, keyboard, window; the last part of the script.
//
// They are HTML inside foreignObject, because HTML has a text field and accessible buttons. The script makes
// them, because they would have no effect without it.

const HELP = [['click, Enter', 'zoom to a frame; on a faded ancestor: back to it'],
  ['Escape', 'close help, clear the search, reset the zoom: one at a time'],
  ['arrows', 'to the frame above, below, left, right'], ['Home', 'to the root'],
  ['/ or Ctrl+F', 'search by regular expression'], ['n, N', 'next, previous hit'],
  ['i', 'ignore case'], ['?', 'this help']];
const WIDTHS = [['w', 'widths of a comparison: both, before, after']];

function make(name, properties, ...children) {
  const element = document.createElementNS(HTML, name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function foreign(child) {
  const box = document.createElementNS(SVG, 'foreignObject');
  box.append(child);
  return box;
}

function button(text, label, action) {
  return make('button', { type: 'button', textContent: text, title: label, 'aria-label': label, onclick: action });
}

const clearSearch = () => setSearch('', state.ignoreCase);
// An empty side has no widths.
function nextWidths() {
  const kinds = Object.keys(widths).filter((kind) => widths[kind][1][0] > 0);
  setWidths(kinds[(kinds.indexOf(state.widths) + 1) % kinds.length]);
}
const toggleCase = () => setSearch(state.pattern, !state.ignoreCase);

function makeToolbar() {
  controls.input = make('input', { type: 'search', placeholder: 'Search (regex)', spellcheck: false,
    'aria-label': 'Search frames by regular expression' });
  let pending = 0;
  controls.input.addEventListener('input', () => {
    clearTimeout(pending);
    pending = setTimeout(() => setSearch(controls.input.value, state.ignoreCase), 80);
  });
  controls.ignoreCase = button('Aa', 'Ignore case', toggleCase);
  controls.matched = make('output', { 'aria-live': 'polite' });
  controls.previous = button('<', 'Previous hit', () => step(-1));
  controls.next = button('>', 'Next hit', () => step(1));
  controls.reset = button('Reset zoom', 'Reset zoom', () => zoomTo(0));
  controls.help = button('?', 'Help', toggleHelp);
  for (const [kind, label] of canSwitch() ? [['both', 'mean of before and after'], ['before', 'before'], ['after', 'after']] : []) {
    controls[kind] = button(kind[0].toUpperCase() + kind.slice(1), 'Widths: ' + label, () => setWidths(kind));
    controls[kind].disabled = !(widths[kind][1][0] > 0);
  }
  const switches = canSwitch() ? [controls.both, controls.before, controls.after] : [];
  const { matched, input, ignoreCase, previous, next, reset, help } = controls;
  const bar = make('div', { className: 'bar', role: 'toolbar', 'aria-label': 'Flame graph controls' },
    matched, ...switches, input, ignoreCase, previous, next, reset, help);
  controls.bar = foreign(bar);
  for (const id of own ? [] : ['search', 'ignorecase', 'unzoom', 'matched']) byId(id).setAttribute('display', 'none');
  (own ? byId('head') : picture).append(controls.bar);
}

// ---- Help ----

let helpBox = null;

function toggleHelp() {
  if (helpBox) {
    helpBox.remove();
    helpBox = null;
    controls.help.focus();
    return;
  }
  const list = make('dl', {});
  for (const [keys, what] of canSwitch() ? [...HELP.slice(0, -1), ...WIDTHS, HELP.at(-1)] : HELP) list.append(make('dt', { textContent: keys }), make('dd', { textContent: what }));
  const close = button('Close', 'Close help', toggleHelp);
  helpBox = foreign(make('div', { className: 'help', role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Help' },
    make('h2', { textContent: 'Keys' }), list, close));
  const width = Math.min(460, pictureWidth() - 2 * PAD);
  const place = { x: (pictureWidth() - width) / 2, y: (standalone ? window.scrollY : 0) + HEAD + state.headExtra + 8,
    width, height: canSwitch() ? 315 : 290 };
  for (const [name, value] of Object.entries(place)) helpBox.setAttribute(name, String(value));
  picture.append(helpBox);
  close.focus();
}

// ---- Window ----

// In a narrow window the toolbar is in a separate line above the title.
function fit() {
  if (own) {
    const width = pictureWidth();
    const bar = canSwitch() ? 780 : 600, narrow = width < bar + 260;
    state.headExtra = narrow ? 30 : 0;
    setBox(controls.bar, { x: narrow ? PAD : width - PAD - bar, y: 4, width: narrow ? width - 2 * PAD : bar, height: 28 });
    const title = byId('title');
    title.textContent = cutText(fullTitle, Math.floor((width - (narrow ? 20 : bar + 40)) / 10.5));
    for (const [id, y] of [['title', 22], ['details', 42], ['numbers', 58]]) byId(id).setAttribute('y', String(y + state.headExtra));
    byId('head').firstElementChild.setAttribute('height', String(HEAD - 2 + state.headExtra));
    framesElement.setAttribute('transform', `translate(0 ${HEAD + state.headExtra})`);
    const footTop = HEAD + state.headExtra + rowBegin.length * Number(framesElement.dataset.height) + 4;
    byId('foot').setAttribute('transform', `translate(0 ${footTop})`);
    picture.setAttribute('height', String(Math.max(footTop + placeFoot() + 8, standalone ? window.innerHeight : 0)));
  } else {
    setBox(controls.bar, { x: pictureWidth() - PAD - 600, y: 4, width: 600, height: 28 });
  }
  placeFrames(state.zoom, state.widths);
  placeCursor();
}

function setBox(element, box) {
  for (const [name, value] of Object.entries(box)) element.setAttribute(name, String(value));
}

// The head remains visible while the frames scroll.
function pinHead() {
  if (own && standalone) byId('head').setAttribute('transform', `translate(0 ${Math.max(0, window.scrollY)})`);
}

const fullTitle = own ? picture.querySelector('title').textContent : '';

// ---- Mouse and keyboard ----

function frameAt(event) {
  for (let node = event.target; node && node !== framesElement; node = node.parentNode) {
    if (indexOf.has(node)) return indexOf.get(node);
  }
  return -1;
}

function stepBack() {
  if (helpBox) toggleHelp();
  else if (state.pattern) clearSearch();
  else if (state.zoom > 0) zoomTo(0);
  else select(-1);
}

function onKey(event) {
  const typing = event.target === controls.input;
  const { key } = event;
  if ((key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && !typing) || (key === '/' && !typing)) {
    controls.input.focus();
    controls.input.select();
  } else if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  } else if (key === 'Escape') {
    stepBack();
    if (typing) framesElement.focus();
  } else if (typing) {
    if (key !== 'Enter') return;
    setSearch(controls.input.value, state.ignoreCase);
    step(event.shiftKey ? -1 : 1);
  } else if (key === '?') {
    toggleHelp();
  } else if (helpBox || (key === 'Enter' && event.target.localName === 'button')) {
    return;
  } else if (key.startsWith('Arrow')) {
    const next = state.selected < 0 ? state.zoom : neighbour(state.selected, key);
    if (next >= 0) select(next);
  } else if (key === 'Home') {
    select(0);
  } else if (key === 'Enter' && state.selected >= 0) {
    enter(state.selected);
  } else if (key === 'n' || key === 'N') {
    step(key === 'n' ? 1 : -1);
  } else if (key === 'i') {
    toggleCase();
  } else if (key === 'w' && canSwitch()) {
    nextWidths();
  } else {
    return;
  }
  event.preventDefault();
}

function start() {
  readFrames();
  if (elements.length === 0) return;
  laidOut = picture.getAttribute('width') + ' 0 both';
  makeToolbar();
  if (own) {
    picture.removeAttribute('viewBox');
    picture.setAttribute('width', '100%');
  }
  framesElement.append(cursor);
  framesElement.setAttribute('tabindex', '0');
  framesElement.setAttribute('role', 'tree');
  framesElement.setAttribute('aria-label', 'Frames; arrow keys move, Enter zooms');
  for (const element of [detailsElement, numbersElement]) {
    if (element) element.setAttribute('aria-live', 'polite');
  }
  framesElement.addEventListener('mouseover', (event) => showDetails(frameAt(event)));
  framesElement.addEventListener('mouseleave', () => showDetails(state.selected));
  framesElement.addEventListener('click', (event) => {
    const i = frameAt(event);
    if (i >= 0) enter(i);
  });
  (standalone ? window : picture).addEventListener('keydown', onKey);
  window.addEventListener('scroll', pinHead, { passive: true });
  window.addEventListener('hashchange', loadState);
  let frame = 0;
  window.addEventListener('resize', () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(fit);
  });
  fit();
  loadState();
  if (own && standalone && framesElement.dataset.root === 'bottom' && state.zoom === 0) window.scrollTo(0, 1e9);
  pinHead();
}

start();
