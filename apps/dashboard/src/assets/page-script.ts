/**
 * `/assets/dashboard.js`. Every page works without it; it copies code lines at a click, makes a slider of a
 * long list of amounts, and keeps an impatient second click from sending a form twice.
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
for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
}
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
`;
