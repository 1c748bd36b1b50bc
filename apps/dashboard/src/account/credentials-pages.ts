import { type Markup, html } from '#libs/public-http';
import { PASSWORD_HINT, currentPassword, withoutPassword } from '../auth/auth-pages.js';
import { type Notice, type PageContext, field, form, hidden, page } from '../pages/layout.js';

const BACK = html`<a class="button plain" href="/account">Back to the account</a>`;

export function changePasswordPage(context: PageContext, notice?: Notice): Markup {
  const fields = html`${field({ name: 'current_password', type: 'password', autocomplete: 'current-password', notice })}
    ${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: PASSWORD_HINT, notice })}
    <p class="actions"><button>Change the password</button>${BACK}</p>`;
  return page(context, {
    title: 'Change the password',
    notice,
    body: html`<section>
      <p>
        Every other browser is logged out, and we tell you about the change by e-mail. Your keys
        keep working.
      </p>
      ${form(context, '/account/password', fields)} ${withoutPassword(context)}
    </section>`,
  });
}

export function passwordChangedPage(context: PageContext): Markup {
  return page(context, {
    title: 'The new password is set',
    body: html`<p>Every other browser is logged out.</p>
      <p class="actions"><a class="button" href="/account">Go to the account</a></p>`,
  });
}

/** @param email what the user entered in a form that was rejected. */
export function changeEmailPage(context: PageContext, email = '', notice?: Notice): Markup {
  const fields = html`${field({ name: 'email', label: 'New e-mail address', type: 'email', value: email, autocomplete: 'email', notice })}
    ${currentPassword(context, notice)}
    <p class="actions"><button>Send the link</button>${BACK}</p>`;
  return page(context, {
    title: 'Change the e-mail address',
    notice,
    body: html`<section>
      <p>
        We send a link to the new address. Nothing changes until you confirm it; then we notify the
        old address by e-mail.
      </p>
      ${form(context, '/account/email', fields)} ${withoutPassword(context, '/account/email')}
    </section>`,
  });
}

/**
 * Returns the page of an e-mailed link. Mail scanners also open links, so opening the page changes nothing; its button
 * confirms (S31).
 */
export function confirmEmailPage(context: PageContext, token: string, notice?: Notice): Markup {
  const fields = html`${hidden('token', token)}<button>Confirm the address</button>`;
  return page(context, {
    title: 'Confirm your new address',
    notice,
    body: html`<section>
      <p>Once you confirm this address, you log in with it, and all e-mails go there.</p>
      ${form(context, '/account/email/confirm', fields)}
    </section>`,
  });
}

export function emailChangedPage(context: PageContext): Markup {
  return page(context, {
    title: 'Your address is changed',
    body: html`<p>From now on, you log in with the new address, and all e-mails go there.</p>
      <p class="actions"><a class="button" href="/account">Go to the account</a></p>`,
  });
}
