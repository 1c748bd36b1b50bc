/**
 * The script `/assets/reference.js` of the page `/docs`. It keeps a key only in memory, and sends the calls that the
 * page's forms describe. Answers are displayed only as text.
 */
export const REFERENCE_SCRIPT = /* js */ `'use strict';
const UNSEEN = /[^\\P{Cc}\\n\\t]|[\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]/gu;
const TEXT_MAX = 65536;
const field = document.querySelector('#key');
let key = '';
field.addEventListener('input', () => (key = field.value.trim()));
document.querySelector('#your-key').hidden = false;
const callOf = (form, { method, path, headers, upload }) => {
  const given = new Map();
  for (const input of form.querySelectorAll('input[name]')) {
    if (input.value.trim() !== '') given.set(input.name, input.value.trim());
  }
  const filled = path.replace(/\\{(\\w+)\\}/g, (_, name) => {
    const value = given.get(name) ?? '';
    given.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams([...given]).toString();
  const file = form.querySelector('[data-file]')?.files[0];
  let body = form.querySelector('[data-body]')?.value;
  if (file && upload === 'multipart/form-data') {
    body = new FormData();
    body.append('file', file);
  } else if (file) body = file;
  return { url: filled + (query && '?' + query), method, headers: JSON.parse(headers), body };
};
const textOf = async (answer) => {
  const type = answer.headers.get('content-type') ?? '';
  const size = Number(answer.headers.get('content-length') ?? 0);
  // A JSON answer is never a file, and has at most 4 MiB.
  const isLong = size > TEXT_MAX && !/^application\\/(problem\\+)?json/.test(type);
  if (!/^text|json/.test(type) || isLong) {
    await answer.body?.cancel();
    return type === '' ? '' : type + ', ' + size + ' bytes: the command above saves it.';
  }
  const text = await answer.text();
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
};
const clear = (text) =>
  (text.length > TEXT_MAX ? text.slice(0, TEXT_MAX) + '\\n…' : text)
    .replace(UNSEEN, (unit) => '\\\\u{' + unit.codePointAt(0).toString(16) + '}');
for (const place of document.querySelectorAll('[data-call]')) {
  place.hidden = false;
  const form = place.querySelector('form');
  const said = place.querySelector('[data-said]');
  const shown = place.querySelector('[data-answer]');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const needsKey = place.dataset.key === 'needed';
    if (needsKey && !/^[!-~]+$/.test(key)) {
      said.textContent = 'Paste your key at the top of this page first.';
      return void field.focus();
    }
    const { url, headers, ...call } = callOf(form, place.dataset);
    if (needsKey) headers.authorization = 'Bearer ' + key;
    said.textContent = 'Sent …';
    try {
      const answer = await fetch(url, { ...call, headers, referrerPolicy: 'no-referrer' });
      shown.firstChild.textContent = clear(await textOf(answer));
      shown.hidden = shown.firstChild.textContent === '';
      const cost = answer.headers.get('x-credits-cost');
      const left = answer.headers.get('x-credits-remaining');
      const words = [
        'Answered ' + answer.status,
        cost === null ? '' : 'cost ' + cost + (cost === '1' ? ' credit' : ' credits'),
        left === null ? '' : left + ' left',
        'request ' + (answer.headers.get('x-request-id') ?? '–'),
      ];
      said.textContent = words.filter(Boolean).join(', ') + '.';
    } catch {
      shown.hidden = true;
      said.textContent = 'The answer could not be read on this page. The command above shows it.';
    }
  });
}
`;
