/**
 * The script `/assets/requests.js`, for the request log. Once the visitor turns it on, it loads new requests every two
 * seconds.
 */
export const REQUESTS_SCRIPT = /* js */ `'use strict';
const section = document.querySelector('[data-tail]');
const EVERY_MS = 2000;
const ROWS_MAX = 200;
const LABELS = ['Time', 'Operation', 'Subject', 'Key', 'Answer', 'Credits'];
const make = (name, ...children) => {
  const element = document.createElement(name);
  element.append(...children);
  return element;
};
const rowOf = ({ id, at, operation, subject, key, answer, credits, href }) => {
  const time = make('time', at.slice(11, 19));
  time.dateTime = at;
  const code = make('code', id);
  code.className = 'quiet';
  const link = make('a', code);
  link.href = href;
  const cells = [time, operation, make('div', subject, make('br'), link), key, answer, credits];
  const row = make('tr', ...cells.map((cell) => make('td', cell)));
  [...row.cells].forEach((cell, place) => (cell.dataset.label = LABELS[place]));
  row.lastChild.className = 'number';
  row.dataset.id = id;
  return row;
};
const follow = (button, said) => {
  let timer;
  const look = async () => {
    if (!document.hidden) {
      const found = await fetch(section.dataset.tail)
        .then((answer) => (answer.ok ? answer.json() : undefined))
        .catch(() => undefined);
      const body = section.querySelector('tbody');
      if (found && !body && found.rows.length > 0) return location.reload();
      said.textContent = found ? '' : 'The log cannot be read right now.';
      if (found && body) {
        const known = new Set([...body.querySelectorAll('code.quiet')].map((one) => one.textContent));
        const fresh = found.rows.filter(({ id }) => !known.has(id));
        body.prepend(...fresh.map(rowOf));
        while (body.rows.length > ROWS_MAX) body.lastElementChild.remove();
        if (fresh.length > 0) said.textContent = fresh.length + ' new.';
      }
    }
    if (button.getAttribute('aria-pressed') === 'true') timer = setTimeout(look, EVERY_MS);
  };
  button.addEventListener('click', () => {
    const isOn = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', isOn);
    clearTimeout(timer);
    if (isOn) void look();
  });
};
if (section) {
  const button = make('button', 'Follow live');
  button.type = 'button';
  button.className = 'plain small';
  button.setAttribute('aria-pressed', 'false');
  const said = make('span');
  said.className = 'quiet';
  said.setAttribute('role', 'status');
  section.querySelector('.actions').prepend(button, said);
  follow(button, said);
}
`;
