import { type Markup, html } from '#libs/public-http';
import { type PageContext, form, hidden } from '../pages/layout.js';

/**
 * Returns the passkey button of the log-in page, which loads `/assets/passkeys.js`. Without that script, the button is
 * hidden.
 */
export function passkeyLogIn(context: PageContext, to: string): Markup {
  const fields = html`${hidden('to', to)}${hidden('credential', '')}
    <button class="plain">Log in with a passkey</button>`;
  return html`<section data-passkey="/api/log-in/passkey/options" hidden>
    ${form(context, '/log-in/passkey', fields)}
    <p role="status" data-said></p>
  </section>`;
}
