/**
 * The script `/assets/playground.js`, for the pages of the playground. It keeps a key only in memory. It asks the
 * dashboard for the call that the form describes, and sends that call to the API. Answers are displayed only as text.
 */
export const PLAYGROUND_SCRIPT = /* js */ `'use strict';
const form = document.querySelector('form[data-calls]');
const said = document.querySelector('[data-said]');
const shown = document.querySelector('[data-answer]');
const UNSEEN = /[^\\P{Cc}\\n\\t]|[\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]/gu;
const RECORDS_MAX = 100;
const TEXT_MAX = 65536;
const make = (name, ...children) => {
  const element = document.createElement(name);
  element.append(...children);
  return element;
};
const clear = (text) =>
  String(text).replace(UNSEEN, (unit) => '\\\\u{' + unit.codePointAt(0).toString(16) + '}');
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const written = (value, origins, path) => {
  if (value === null || value === undefined || value === '') return make('span', '–');
  if (Array.isArray(value)) {
    if (value.length === 0) return make('span', '–');
    const items = value.slice(0, RECORDS_MAX).map((one) => make('li', written(one, {}, '')));
    if (value.length > RECORDS_MAX) items.push(make('li', value.length - RECORDS_MAX + ' more'));
    return make('ul', ...items);
  }
  if (!isRecord(value)) {
    const text = clear(value);
    return text.includes('\\n') ? make('pre', make('code', text)) : make('span', text);
  }
  const list = make('dl');
  list.className = 'facts';
  for (const [name, member] of Object.entries(value)) {
    const at = path ? path + '.' + name : name;
    const fact = make('dd', written(member, origins, at));
    if (Object.hasOwn(origins, at)) fact.append(' ', make('small', clear(origins[at])));
    list.append(make('div', make('dt', clear(name)), fact));
  }
  return list;
};
const show = (heading, ...parts) => shown.replaceChildren(make('h2', heading), ...parts);
const quiet = (text) => {
  const line = make('p', text);
  line.className = 'quiet';
  return line;
};
const textOf = async (response) => {
  const type = response.headers.get('content-type') ?? '';
  if (/json/.test(type) && !/ndjson/.test(type)) {
    const answer = await response.json();
    const { fields = {} } = (isRecord(answer) && answer.provenance) || {};
    const whole = make('details', make('summary', 'As JSON'));
    whole.append(make('pre', make('code', JSON.stringify(answer, undefined, 2))));
    return [written(answer, fields, ''), whole];
  }
  const size = response.headers.get('content-length');
  if (!/^text|ndjson/.test(type) || Number(size) > TEXT_MAX) {
    await response.body?.cancel();
    const what = clear(type) + (size === null ? '' : ', ' + size + ' bytes');
    return type ? [quiet(what + ': the program below saves it.')] : [];
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let piece = {}; !piece.done && text.length < TEXT_MAX; text += piece.value ?? '') {
    piece = await reader.read();
  }
  await reader.cancel();
  return [make('pre', make('code', text.slice(0, TEXT_MAX)))];
};
const button = make('button', 'Send');
const file = document.querySelector('#file');
let key = '';
let input;
// The form’s own dataset is not used, because a field named dataset would hide it.
if (form.getAttribute('data-key') === 'needed') {
  input = make('input');
  input.id = 'playground-key';
  input.type = 'password';
  input.autocomplete = 'off';
  input.addEventListener('input', () => (key = input.value.trim()));
  const label = make('label', 'Your key');
  label.htmlFor = input.id;
  const hint = make('small', 'Stays in the memory of this page: it is sent to the API alone.');
  hint.id = 'playground-key-hint';
  input.setAttribute('aria-describedby', hint.id);
  const field = make('div', label, input, hint);
  field.className = 'field';
  form.prepend(field);
}
document.querySelector('[data-file]')?.removeAttribute('hidden');
button.name = 'send';
form.querySelector('.actions').prepend(button);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const isSent = event.submitter !== form.querySelector('.actions .plain');
  const query = new URLSearchParams(new FormData(form));
  const prepared = await fetch(form.getAttribute('data-calls') + '?' + query)
    .then((answer) => (answer.ok ? answer.json() : undefined))
    .catch(() => undefined);
  if (!prepared) return void (said.textContent = 'That did not work. Load the page again.');
  said.textContent = prepared.said;
  for (const [language, text] of Object.entries(prepared.samples)) {
    document.querySelector('[data-call="' + language + '"]').textContent = text;
  }
  if (!isSent || !prepared.is_valid) return;
  const { method, url, headers, json, upload, needsKey } = prepared.call;
  if (needsKey && !key) {
    said.textContent = 'Paste a key first. Without a key, the example below shows the answer.';
    return void input.focus();
  }
  const sent = { ...headers, ...(needsKey && { authorization: 'Bearer ' + key }) };
  let body = json;
  if (upload && file.files[0]) {
    body = file.files[0];
    if (upload === 'multipart/form-data') {
      body = new FormData();
      body.append('file', file.files[0]);
    }
  }
  const begin = performance.now();
  try {
    const answer = await fetch(url, { method, headers: sent, body, referrerPolicy: 'no-referrer' });
    const parts = await textOf(answer);
    const cost = answer.headers.get('x-credits-cost');
    const left = answer.headers.get('x-credits-remaining');
    const words = [
      cost === null ? '' : 'Cost ' + cost + (cost === '1' ? ' credit' : ' credits'),
      left === null ? '' : left + ' left',
      Math.round(performance.now() - begin) + ' ms',
      'request ' + (answer.headers.get('x-request-id') ?? '–'),
    ];
    show('Answer ' + answer.status, quiet(words.filter(Boolean).join(', ') + '.'), ...parts);
    said.textContent = 'Answered ' + answer.status + '. ' + words[0] + '.';
  } catch {
    show('No answer', quiet('The API could not be reached from this page.'));
    said.textContent = 'No answer.';
  }
});
// The page that has just created a key passes it on in a message, so the key is never stored.
addEventListener('message', ({ origin, source, data }) => {
  if (origin !== location.origin || !opener || source !== opener || !input) return;
  if (typeof data?.key !== 'string' || !data.key.startsWith('dds_')) return;
  input.value = key = data.key;
});
if (opener) opener.postMessage('playground', location.origin);
`;
