/**
 * The script `/assets/passkeys.js`, for the pages that create or use a passkey. It sends the browser's answer as text
 * in a form on the page. Without WebAuthn and its JSON methods, it replaces the button with a sentence.
 */
export const PASSKEYS_SCRIPT = /* js */ `'use strict';
const section = document.querySelector('[data-passkey]');
const form = section?.querySelector('form');
const known = self.PublicKeyCredential;
if (form && known?.parseRequestOptionsFromJSON && known.prototype.toJSON) {
  section.hidden = false;
  const said = section.querySelector('[data-said]');
  const optionsOf = async () => {
    if (section.dataset.options) return JSON.parse(section.dataset.options);
    const headers = { 'x-csrf-token': form.elements.csrf.value };
    const answer = await fetch(section.dataset.passkey, { method: 'POST', headers });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.message);
    return body.options;
  };
  const ask = async (options) =>
    section.dataset.options
      ? navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(options) });
  form.addEventListener('submit', async (event) => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    said.textContent = '';
    try {
      const credential = await ask(await optionsOf());
      form.elements.credential.value = JSON.stringify(credential);
      form.requestSubmit();
    } catch (error) {
      const words = {
        NotAllowedError: 'No passkey was used: the request was cancelled or took too long.',
        InvalidStateError: 'This device already has a passkey for this account.',
        SecurityError: 'Passkeys do not work at this address.',
      };
      said.textContent = words[error.name] ?? error.message;
    }
  }, true);
  addEventListener('pageshow', () => (form.elements.credential.value = ''));
} else if (section) {
  section.hidden = false;
  section.textContent = 'This browser does not support passkeys.';
}
`;
