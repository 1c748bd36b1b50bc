/**
 * `/assets/dashboard.js`. Every page works without it; it copies code lines at a click and keeps an
 * impatient second click from sending a form twice.
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
