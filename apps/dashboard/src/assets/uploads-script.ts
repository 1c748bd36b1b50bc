/**
 * The script `/assets/uploads.js`, for the form that uploads a file of names. It says what the file can cost at most
 * before it is sent. It sends the file with tus 1.0.0, shows the progress, and continues an upload that was interrupted
 * or paused, even after the page was closed. Without the script, the form sends the file in one request.
 */
export const UPLOADS_SCRIPT = /* js */ `'use strict';
const section = document.querySelector('[data-upload]');
const form = section.querySelector('form');
const input = form.elements.file;
const button = form.querySelector('button');
const said = section.querySelector('[data-said]');
const { upload: uploads, lines: linesMax } = section.dataset;
const BYTES_MAX = 2 ** 30;
const TRIES_MAX = 8;
const GONE = [404, 410];
const grouped = (count) => new Intl.NumberFormat('en-US').format(count);
const headers = { 'tus-resumable': '1.0.0', 'x-csrf-token': form.elements.csrf.value };
const bar = document.createElement('progress');
bar.setAttribute('aria-label', 'Sent');
bar.hidden = true;
form.append(bar);

// The browser remembers the id of an upload by its file, until the file has been sent.
const nameOf = ({ name, size, lastModified }) => ['upload', size, lastModified, name].join(' ');
const remembered = (file) => {
  try {
    return localStorage.getItem(nameOf(file)) ?? undefined;
  } catch {
    return undefined;
  }
};
const remember = (file, id) => {
  try {
    if (id) localStorage.setItem(nameOf(file), id);
    else localStorage.removeItem(nameOf(file));
  } catch {}
};
class Refused extends Error {
  constructor(status, text = '') {
    let problem = {};
    try {
      problem = JSON.parse(text);
    } catch {}
    const ended = status === 401 && 'Your session has ended: log in, and choose the file again.';
    super(ended || problem.message || 'The file could not be sent.');
    this.status = status;
    const isMoved = status === 423 || problem.code === 'upload_offset_mismatch';
    this.isRepeated = isMoved || [0, 408, 429].includes(status) || status >= 500;
  }
}
const call = async (path, method, more) => {
  const sent = { method, headers: { ...headers, ...more } };
  const answer = await fetch(path, sent).catch(() => Promise.reject(new Refused(0)));
  if (!answer.ok) throw new Refused(answer.status, await answer.text());
  return answer.headers;
};
const create = async ({ name, size }) => {
  const bytes = String.fromCharCode(...new TextEncoder().encode(name));
  const metadata = { 'upload-length': String(size), 'upload-metadata': 'filename ' + btoa(bytes) };
  return (await call(uploads, 'POST', metadata)).get('location').split('/').pop();
};
const sentOf = async (id) => Number((await call(uploads + '/' + id, 'HEAD')).get('upload-offset'));

let sending;
let wake;
let isPaused = false;
const send = (id, file, from) =>
  new Promise((resolve, reject) => {
    sending = new XMLHttpRequest();
    sending.open('PATCH', uploads + '/' + id);
    const all = { ...headers, 'content-type': 'application/offset+octet-stream' };
    for (const [name, value] of Object.entries(all)) sending.setRequestHeader(name, value);
    sending.setRequestHeader('upload-offset', String(from));
    sending.upload.onprogress = ({ loaded }) => (bar.value = from + loaded);
    sending.onload = () => {
      const { status, responseText } = sending;
      if (status >= 400) return reject(new Refused(status, responseText));
      // If another tab takes the upload over, only a part of the file was received.
      const isWhole = sending.getResponseHeader('upload-offset') === String(file.size);
      return isWhole ? resolve() : reject(new Refused(0));
    };
    sending.onerror = sending.onabort = () => reject(new Refused(0));
    sending.send(file.slice(from));
  });
const sendAll = async (file) => {
  let id = remembered(file);
  let isNew = false;
  let most = 0;
  for (let tries = 0; !isPaused;) {
    try {
      if (!id) {
        id = await create(file);
        isNew = true;
        remember(file, id);
      }
      const from = await sentOf(id);
      if (from > most) tries = 0;
      most = from;
      bar.value = from;
      said.textContent = 'Sending the file.';
      if (isPaused) break;
      if (from < file.size) await send(id, file, from);
      remember(file);
      return id;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (isPaused) break;
      if (GONE.includes(error.status) && id && !isNew) {
        remember(file);
        id = undefined;
        continue;
      }
      tries += 1;
      if (!error.isRepeated || tries > TRIES_MAX) throw error;
      const seconds = Math.min(2 ** (tries - 1), 30);
      said.textContent = 'The upload was interrupted. It continues in ' + seconds + ' s.';
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, seconds * 1000);
      });
    }
  }
  return undefined;
};
const begin = async (file) => {
  isPaused = false;
  bar.max = file.size;
  bar.value = 0;
  bar.hidden = false;
  button.textContent = 'Pause';
  try {
    const id = await sendAll(file);
    if (id) return location.assign('/uploads/' + id);
    said.textContent = 'Paused. What was sent is kept for 7 days.';
  } catch (error) {
    const canContinue = error.isRepeated && remembered(file);
    const hint = canContinue ? ' “Continue” sends only the rest of the file.' : '';
    said.textContent = error.message + hint;
  }
  sending = undefined;
  button.textContent = remembered(file) ? 'Continue' : 'Upload';
};
let isBusy = false;
// In the capturing phase, so that the script of all pages does not take this form for one that was sent.
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  if (isBusy) {
    isPaused = true;
    wake?.();
    return sending?.abort();
  }
  isBusy = true;
  await begin(input.files[0]);
  isBusy = false;
}, true);

/** Counts the lines of a text, compressed or not; undefined if the file is something else, or another was chosen. */
const linesOf = async (file) => {
  // As for the service, the first bytes of the file determine its type, not its name.
  const start = String.fromCharCode(...new Uint8Array(await file.slice(0, 2).arrayBuffer()));
  if (start === 'PK' || /[.]xls$/i.test(file.name)) return undefined;
  const isPacked = start === '\\x1f\\x8b';
  const bytes = isPacked ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const reader = bytes.getReader();
  let [lines, read, last] = [0, 0, 10];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return last === 10 ? lines : lines + 1;
    read += value.length;
    if (input.files[0] !== file || read > BYTES_MAX) return void (await reader.cancel());
    for (let at = value.indexOf(10); at !== -1; at = value.indexOf(10, at + 1)) lines += 1;
    last = value.at(-1) ?? last;
  }
};
input.addEventListener('change', async () => {
  if (isBusy) return;
  said.textContent = '';
  button.textContent = 'Upload';
  const [file] = input.files;
  const lines = file && (await linesOf(file).catch(() => undefined));
  if (lines === undefined || isBusy) return;
  const words = grouped(lines) + (lines === 1 ? ' line' : ' lines');
  said.textContent =
    // The first line may be a header.
    lines - 1 > Number(linesMax)
      ? 'This file has ' + words + ', more than the ' + grouped(linesMax) + ' that an upload can have.'
      : 'This file has ' + words + ': a job costs at most ' + grouped(lines) + (lines === 1 ? ' credit.' : ' credits.');
});
`;
