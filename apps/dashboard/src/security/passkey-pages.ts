import type { ListedPasskey } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { minute } from '../amounts.js';
import { confirmationPage } from '../pages/confirmation-page.js';
import { type Notice, type PageContext, field, form, hidden, page } from '../pages/layout.js';

const SCRIPTS = ['/assets/passkeys.js'];

export function passkeysSection(context: PageContext, passkeys: readonly ListedPasskey[]): Markup {
  return html`<section>
    <h2>Passkeys</h2>
    <p>
      With a passkey you log in by fingerprint, face or PIN, without a password or code. It works
      only on this site, so nobody can trick you into giving it away.
    </p>
    <ul class="rows">
      ${passkeys.map(
        ({ id, name, created_at: created, last_used_at: used }) =>
          html`<li>
            <div>
              <strong>${name}</strong>
              <p class="quiet">
                <span>since ${minute(created)}</span>
                <span>${used === null ? 'not used yet' : html`last used ${minute(used)}`}</span>
              </p>
            </div>
            <div class="actions">${step(id, 'Rename', name)} ${step(id, 'Remove', name)}</div>
          </li>`,
      )}
    </ul>
    ${form(context, '/security/passkeys/new', html`<button class="plain">Add a passkey</button>`)}
  </section>`;
}

const step = (id: string, word: string, name: string) =>
  html`<a
    class="button plain small"
    href="/security/passkeys/${id}/${word.toLowerCase()}"
    aria-label="${word} the passkey ${name}"
    >${word}</a
  >`;

/** Returns a page whose script makes the browser create a credential from the options, and sends it with a form. */
export function newPasskeyPage(context: PageContext, options: object, name: string): Markup {
  const fields = html`${nameField(name)} ${hidden('credential', '')}
    <p class="actions">
      <button>Create the passkey</button
      ><a class="button plain" href="/security">Back to security</a>
    </p>`;
  return page(context, {
    title: 'Add a passkey',
    scripts: SCRIPTS,
    body: html`<section data-passkey="new" data-options="${JSON.stringify(options)}" hidden>
        ${form(context, '/security/passkeys', fields)}
        <p role="status" data-said></p>
      </section>
      <noscript><p>Passkeys need JavaScript.</p></noscript>`,
  });
}

const nameField = (value: string) =>
  field({ name: 'name', value, hint: 'For example, the name of this device.' });

export function renamePasskeyPage(
  context: PageContext,
  { id, name }: ListedPasskey,
  notice?: Notice,
): Markup {
  const fields = html`${nameField(name)}
    <p class="actions">
      <button>Save</button><a class="button plain" href="/security">Back to security</a>
    </p>`;
  return page(context, {
    title: 'Rename this passkey',
    notice,
    body: html`<section>${form(context, `/security/passkeys/${id}/rename`, fields)}</section>`,
  });
}

export function passkeyRefusedPage(context: PageContext, notice: Notice): Markup {
  return page(context, {
    title: 'Add a passkey',
    notice,
    body: form(context, '/security/passkeys/new', html`<button>Begin again</button>`),
  });
}

export function removePasskeyPage(context: PageContext, { id, name }: ListedPasskey): Markup {
  return confirmationPage(context, {
    title: 'Remove this passkey?',
    body: html`<p><strong>${name}</strong></p>
      <p>
        You can then no longer log in with it, and every other browser is logged out. Your device
        may still offer it until you delete it there.
      </p>`,
    action: `/security/passkeys/${id}/remove`,
    button: 'Remove the passkey',
    isDanger: true,
    back: { href: '/security', text: 'Keep it' },
  });
}
