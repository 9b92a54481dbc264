// Text as flame graphs show it: labels cut to their room, weights and shares in words.
//
// The rules are those of label.cc and numbers.cc, so that a picture laid out again looks as it did before.

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARKS = /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u1ab0-\u1aff\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f]/;

function columnsOf(text) {
  let columns = 0;
  for (const c of text) columns += c < '\u0300' ? 1 : WIDE.test(c) ? 2 : MARKS.test(c) ? 0 : 1;
  return columns;
}

function firstColumns(text, columns) {
  let out = '';
  for (const c of text) {
    columns -= columnsOf(c);
    if (columns < 0) break;
    out += c;
  }
  return out;
}

function withoutArguments(name) {
  let out = '', depth = 0;
  for (let i = 0; i < name.length; i++) {
    const c = name[i], before = name[i - 1] || '';
    const opens = c === '<' || c === '(', closes = c === ')' || (c === '>' && i > 0 && before !== '-');
    const sign = depth === 0 && !/[\w$\u0080-\uffff]/.test(before) &&
        /^operator(\(\)|\[\]|[<>=!+\-*/%^&|~,]{2}=|[<>=!+\-*/%^&|~,]{0,2})/.exec(name.slice(i, i + 12));
    if (depth > 0) {
      depth += opens ? 1 : closes ? -1 : 0;
    } else if (sign) {
      out += sign[0];
      i += sign[0].length - 1;
      const opener = /^( ?<|\()/.exec(name.slice(i + 1, i + 3));
      if (opener) {
        depth = 1;
        i += opener[0].length;
      }
    } else if (opens && /[\w$>\u0080-\uffff]/.test(before)) {
      depth = 1;
    } else {
      out += c;
    }
  }
  return depth > 0 ? name : out.replace(/ const$/, '');
}

function componentStarts(name) {
  const result = [];
  for (let i = 0, depth = 0; i + 1 < name.length; i++) {
    const c = name[i];
    if ('<({'.includes(c)) depth++;
    else if ((c === '>' && i > 0 && name[i - 1] !== '-') || c === ')' || c === '}') depth = Math.max(0, depth - 1);
    else if (depth === 0 && (c === '/' || (c === ':' && name[i - 1] === ':' && name[i + 1] !== ':'))) result.push(i + 1);
  }
  return result;
}

function shortLabel(name, columns) {
  if (columns < 3) return '';
  if (columnsOf(name) <= columns) return name;
  const plain = withoutArguments(name);
  if (columnsOf(plain) <= columns) return plain;
  let rest = plain;
  for (const start of componentStarts(plain)) {
    rest = plain.slice(start);
    if (columnsOf(rest) + 2 <= columns) return '..' + rest;
  }
  return cutText(rest, columns);
}

function cutText(text, columns) {
  return columnsOf(text) <= columns ? text : firstColumns(text, Math.max(0, columns - 2)) + '..';
}

// flamegraph.pl's own rule (perl_form.cc).
function cutLabel(name, columns) {
  const characters = [...name];
  return characters.length <= columns ? name : characters.slice(0, columns - 2).join('') + '..';
}

const thousands = (value) => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');

const SCALES = new Map([['nanoseconds', [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']]],
  ['bytes', [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']]]]);

function amountText(weight, unit) {
  const scales = SCALES.get(unit);
  if (scales) {
    const [factor, suffix] = scales.find(([size]) => weight >= size) || scales[scales.length - 1];
    const value = weight / factor;
    return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + ' ' + suffix;
  }
  const whole = Number.isInteger(weight) || weight >= 1e6;
  const number = whole ? thousands(weight) : weight < 1 ? String(Number(weight.toPrecision(4))) : weight.toFixed(2);
  return unit ? number + ' ' + unit : number;
}

function percentText(fraction) {
  if (!(fraction > 0)) return '0 %';
  return fraction < 0.0001 ? 'under 0.01 %' : (100 * fraction).toFixed(2) + ' %';
}

function wrappedLines(text, columns) {
  const lines = [];
  while (text) {
    let line = firstColumns(text, Math.max(1, columns)) || text[0];
    const space = line.lastIndexOf(' ');
    if (line.length < text.length && text[line.length] !== ' ' && space > 0) line = line.slice(0, space);
    lines.push(line);
    text = text.slice(line.length).replace(/^ +/, '');
  }
  return lines;
}
