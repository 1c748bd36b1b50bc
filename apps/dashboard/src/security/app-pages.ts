import type { SecondFactorSecretAnswer } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { type Notice, type PageContext, field, form, page } from '../pages/layout.js';
import { qrCode } from './qr-code.js';

const BACK = html`<a class="button plain" href="/security">Back to security</a>`;

const codeField = (hint?: string) => field({ name: 'code', autocomplete: 'one-time-code', hint });

/** Returns the page that sets up the app. Nothing changes until the first code proves that the app has the secret. */
export function setUpPage(context: PageContext, { secret, uri }: SecondFactorSecretAnswer): Markup {
  const spaced = secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
  return page(context, {
    title: 'Set up an authenticator app',
    body: html`<section>
      <h2>1. Scan this with the app</h2>
      ${qrCode(uri, 'QR code for an authenticator app')}
      <p>Or type this into it: <code>${spaced}</code></p>
      <h2>2. Enter the code that it shows</h2>
      ${form(
        context,
        '/security/app/confirm',
        html`${codeField()}
          <p class="actions"><button>Turn it on</button>${BACK}</p>`,
      )}
    </section>`,
  });
}

/**
 * Returns the page that is shown after a wrong code. The app already has the secret, so the page does not show it
 * again.
 */
export function codeAgainPage(context: PageContext, notice: Notice): Markup {
  return page(context, {
    title: 'Set up an authenticator app',
    notice,
    body: html`<section>
        ${form(
          context,
          '/security/app/confirm',
          html`${codeField()}
            <p class="actions"><button>Turn it on</button>${BACK}</p>`,
        )}
      </section>
      <section>
        <p>Or begin again, with another QR code.</p>
        ${form(context, '/security/app', html`<button class="plain">Begin again</button>`)}
      </section>`,
  });
}

export function recoveryCodesPage(context: PageContext, codes: string[], text: string): Markup {
  return page(context, {
    title: 'Your recovery codes',
    notice: { kind: 'done', text },
    body: html`<section>
      <p>
        If you lose your phone, you can enter one of these codes in place of a code from the app.
        Each works once. Keep them in a safe place: they are shown only now.
      </p>
      <pre data-copy="codes"><code>${codes.join('\n')}</code></pre>
      <p class="actions"><a class="button" href="/security">I have saved them</a></p>
    </section>`,
  });
}

const ANY_CODE = 'The six digits from the app, or a recovery code.';

export function newCodesPage(context: PageContext, notice?: Notice): Markup {
  const fields = html`${codeField(ANY_CODE)}
    <p class="actions"><button>Make new codes</button>${BACK}</p>`;
  return page(context, {
    title: 'New recovery codes?',
    notice,
    body: html`<section>
      <p>Your earlier recovery codes will no longer work.</p>
      ${form(context, '/security/app/recovery-codes', fields)}
    </section>`,
  });
}

export function removeAppPage(context: PageContext, notice?: Notice): Markup {
  const fields = html`${codeField(ANY_CODE)}
    <p class="actions"><button class="danger">Remove the app</button>${BACK}</p>`;
  return page(context, {
    title: 'Remove the authenticator app?',
    notice,
    body: html`<section>
      <p>Log-ins will no longer ask for a code, and your recovery codes will no longer work.</p>
      ${form(context, '/security/app/remove', fields)}
    </section>`,
  });
}
