/**
 * The script `/assets/dashboard.js`. Every page works without it. On a click, it copies code or a key, or passes a new
 * key to the playground. It adds local times, and lets the keyboard open a list of pages. It also describes the part of
 * a chart under the pointer, turns a long list of amounts into a slider, sends the form of a page with `data-send`, and
 * prevents a double click from sending a form twice.
 */
export const PAGE_SCRIPT = /* js */ `'use strict';
const blocks = navigator.clipboard ? document.querySelectorAll('[data-copy]') : [];
for (const block of blocks) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain small copy';
  button.textContent = 'Copy the ' + block.dataset.copy;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
  });
  block.after(button);
  if (block.dataset.copy !== 'key') continue;
  const link = document.createElement('a');
  link.className = 'button plain small copy';
  link.href = '/playground/whois.live';
  link.textContent = 'Try it in the playground';
  link.addEventListener('click', (event) => {
    event.preventDefault();
    const opened = window.open(link.href);
    addEventListener('message', ({ origin, source }) => {
      if (origin !== location.origin || source !== opened) return;
      opened.postMessage({ key: block.textContent }, location.origin);
    });
  });
  button.after(' ', link);
}
for (const select of document.querySelectorAll('select[data-slider]')) {
  const slider = document.createElement('input');
  slider.type = 'range';
  slider.min = '0';
  slider.max = String(select.options.length - 1);
  slider.setAttribute('aria-labelledby', select.labels[0].id);
  const said = document.createElement('output');
  const show = () => {
    slider.value = String(select.selectedIndex);
    said.textContent = select.options[select.selectedIndex].text;
    slider.setAttribute('aria-valuetext', said.textContent);
  };
  slider.addEventListener('input', () => {
    select.selectedIndex = Number(slider.value);
    show();
  });
  select.addEventListener('change', show);
  select.before(slider, said);
  show();
}
const local = { dateStyle: 'short', timeStyle: 'short' };
for (const time of document.querySelectorAll('time[datetime]')) {
  const when = new Date(time.dateTime);
  if (when.getTimezoneOffset() === 0) continue;
  const said = document.createElement('small');
  said.textContent = ' (' + new Intl.DateTimeFormat(undefined, local).format(when) + ' here)';
  time.after(said);
}
const pages = [...document.querySelectorAll('header nav a')];
if (pages.length > 5) {
  const made = (name, text, parent) => {
    const element = document.createElement(name);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const palette = made('dialog', '', document.body);
  const label = made('label', 'Go to', palette);
  const wanted = made('input', '', label);
  wanted.type = 'search';
  const list = made('ul', '', palette);
  const search = () => {
    const text = wanted.value.toLowerCase();
    list.replaceChildren();
    for (const { href, textContent } of pages) {
      if (!textContent.toLowerCase().includes(text)) continue;
      made('a', textContent, made('li', '', list)).href = href;
    }
  };
  wanted.addEventListener('input', search);
  wanted.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
  });
  const help = made('dialog', '', document.body);
  made('h2', 'Shortcuts', help);
  const keys = [
    ['Ctrl+K or /', 'go to a page'],
    ['?', 'this list'],
    ['Esc', 'close'],
  ];
  for (const [key, does] of keys) made('p', key + ': ' + does, help);
  addEventListener('keydown', (event) => {
    const isTyped = event.target.closest?.('input, textarea, select');
    const isPalette = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isPalette && (isTyped || event.ctrlKey || event.metaKey || event.altKey)) return;
    const dialog = isPalette || event.key === '/' ? palette : event.key === '?' ? help : undefined;
    if (!dialog || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    wanted.value = '';
    search();
    dialog.showModal();
  });
}
for (const svg of document.querySelectorAll('.chart svg')) {
  const said = document.createElement('output');
  said.className = 'quiet';
  svg.parentElement.append(said);
  svg.addEventListener('pointermove', (event) => {
    said.textContent = event.target.querySelector('title')?.textContent ?? '';
  });
  svg.addEventListener('pointerleave', () => (said.textContent = ''));
}
// After a download, the page stays open, and the form may be sent again.
for (const form of document.querySelectorAll('form:not([action="/account/export"])')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
}
for (const form of document.querySelectorAll('[data-send] form')) form.requestSubmit();
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
`;
