import { PROVIDER_NAMES, type Provider } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { type Notice, type PageContext, field, form, hidden, page } from '../pages/layout.js';
import { passkeyLogIn } from './passkey-log-in.js';
import { logInPath, wayBack } from './way-back.js';

export interface Entered {
  /** The originally requested page, which opens after the log-in. */
  to?: string;
  first_name?: string;
  email?: string;
}

/** Returns the field for the current password; undefined for people without one, for whom a recent log-in is enough. */
export const currentPassword = (
  { hasPassword }: PageContext,
  notice?: Notice,
): Markup | undefined =>
  hasPassword === false
    ? undefined
    : field({ name: 'password', type: 'password', autocomplete: 'current-password', notice });

/**
 * Returns the text below a form that requires a password: it says what to do without one.
 * @param to the page of a form for which a recent log-in is enough; it opens after the next log-in.
 */
export function withoutPassword({ hasPassword }: PageContext, to?: string): Markup {
  if (hasPassword === false && to !== undefined) {
    return html`<p class="quiet">
      No password yet? You need none within ten minutes of a log-in. After that, first
      <a href="${logInPath(to)}">log in again</a>.
    </p>`;
  }
  const words = hasPassword === false ? 'No password yet?' : 'Forgot the password?';
  return html`<p class="quiet">
    ${words} <a href="/password/forgot">Set one with a link in an e-mail</a>.
  </p>`;
}

export const PASSWORD_HINT = '8 to 128 characters. A sentence is fine.';

/** Returns the forms of the providers, if any, that people can use instead of a password to log in or sign up. */
function providerForms(
  context: PageContext,
  providers: readonly Provider[],
  to?: string,
): Markup | undefined {
  if (providers.length === 0) return undefined;
  return html`<section>
    <h2>Or without a password</h2>
    <div class="actions">
      ${providers.map((provider) =>
        form(
          context,
          `/log-in/${provider}`,
          html`${hidden('to', wayBack(to))}<button class="plain">
              Continue with ${PROVIDER_NAMES[provider]}
            </button>`,
        ),
      )}
    </div>
  </section>`;
}

/** Returns the page on the way to a provider. The browser continues automatically, or with the link. */
export function leavingPage(context: PageContext, provider: Provider, url: string): Markup {
  const name = PROVIDER_NAMES[provider];
  return page(context, {
    title: `Continue to ${name}`,
    body: html`<p>${name} confirms who you are, and sends you back here.</p>
      <p class="actions"><a class="button" href="${url}">Continue to ${name}</a></p>`,
  });
}

/**
 * Returns the page on the way back from a provider. It submits a form of our own, because a request from another site
 * must not change anything on its own (S29).
 */
export function returnPage(context: PageContext, provider: Provider, query: string): Markup {
  const fields = html`${hidden('query', query)}<button>Continue</button>`;
  return page(context, {
    title: `Back from ${PROVIDER_NAMES[provider]}`,
    body: html`<section data-send>${form(context, `/log-in/${provider}/return`, fields)}</section>`,
  });
}

export function signUpPage(
  context: PageContext,
  entered: Entered = {},
  notice?: Notice,
  providers: readonly Provider[] = [],
): Markup {
  const fields = html`${field({ name: 'first_name', value: entered.first_name, autocomplete: 'given-name', notice })}
    ${field({ name: 'email', type: 'email', value: entered.email, autocomplete: 'email', notice })}
    ${field({ name: 'password', type: 'password', autocomplete: 'new-password', hint: PASSWORD_HINT, notice })}
    <button>Create the account</button>`;
  return page(context, {
    title: 'Sign up',
    notice,
    body: html`<section>${form(context, '/sign-up', fields)}</section>
      ${providerForms(context, providers)}
      <p>Already have an account? <a href="/log-in">Log in</a>.</p>`,
  });
}

/**
 * Returns the page that is shown after a sign-up, or a request for a new password or address. The text is the same
 * whether or not the address is known (S24).
 */
export function checkMailPage(context: PageContext, what: string): Markup {
  const where = context.hasMailbox
    ? html`<p>
        E-mails stay on this machine: yours is in the <a href="/mailbox">mailbox</a> within a few
        seconds.
      </p>`
    : undefined;
  return page(context, {
    title: 'Check your e-mail',
    body: html`<p>${what}</p>
      ${where ?? html`<p class="quiet">If nothing arrives within a few minutes, look in your spam folder.</p>`}`,
  });
}

/**
 * Returns the page of an e-mailed link. Mail scanners also open links, so opening the page changes nothing; its button
 * confirms (S31).
 * @param isToBeSet whether the box for setting the password is ticked.
 */
export function confirmPage(
  context: PageContext,
  token: string,
  { notice, isToBeSet }: { notice?: Notice; isToBeSet?: boolean } = {},
): Markup {
  const hint = 'The password that you chose when you signed up.';
  const fields = html`${hidden('token', token)}
    ${field({ name: 'password', type: 'password', autocomplete: 'current-password', hint, notice })}
    <label
      ><input
        type="checkbox"
        name="set_password"
        value="true"
        ${isToBeSet ? html`checked` : undefined}
      />
      Make this my password, whatever was chosen before (for example, if you forgot it, or somebody
      else signed up with your address)</label
    >
    <button>Confirm my address</button>`;
  return page(context, {
    title: 'Confirm your address',
    notice,
    body: html`<section>
      <p>Enter your password once more to open the account and get its first keys.</p>
      ${form(context, '/sign-up/confirm', fields)}
    </section>`,
  });
}

export function logInPage(
  context: PageContext,
  entered: Entered = {},
  notice?: Notice,
  providers: readonly Provider[] = [],
): Markup {
  const fields = html`${hidden('to', wayBack(entered.to))}
    ${field({ name: 'email', type: 'email', value: entered.email, autocomplete: 'username' })}
    ${field({ name: 'password', type: 'password', autocomplete: 'current-password' })}
    <button>Log in</button>`;
  // The browser of a visitor whose session has ended still sends its cookie.
  return page(
    { ...context, isLoggedIn: false },
    {
      title: 'Log in',
      notice,
      scripts: ['/assets/passkeys.js'],
      body: html`<section>${form(context, '/log-in', fields)}</section>
        ${passkeyLogIn(context, wayBack(entered.to))}
        ${providerForms(context, providers, entered.to)}
        <p><a href="/password/forgot">Forgot the password?</a> <a href="/sign-up">Sign up</a></p>`,
    },
  );
}

export function logInCodePage(context: PageContext, to?: string, notice?: Notice): Markup {
  const hint = 'The six digits from your authenticator app, or a recovery code.';
  const fields = html`${hidden('to', wayBack(to))}
    ${field({ name: 'code', autocomplete: 'one-time-code', hint })} <button>Log in</button>`;
  return page(context, {
    title: 'Your code, please',
    notice,
    body: html`<section>${form(context, '/log-in/code', fields)}</section>
      <p><a href="/log-in">Begin again</a></p>`,
  });
}

/**
 * Returns the page shown instead of a change if the password was last entered too long ago (S35). @param to the page
 * that opens next.
 */
export function passwordAgainPage(context: PageContext, to: string, notice?: Notice): Markup {
  if (context.hasPassword === false) return logInAgainPage(context, to);
  const fields = html`${hidden('to', wayBack(to))}
    ${field({ name: 'password', type: 'password', autocomplete: 'current-password' })}
    <button>Continue</button>`;
  return page(context, {
    title: 'Your password, please',
    notice,
    body: html`<section>
      <p>${ONLY_RECENTLY}</p>
      ${form(context, '/reauthenticate', fields)} ${withoutPassword(context)}
    </section>`,
  });
}

const ONLY_RECENTLY =
  'You can make this change only within ten minutes of a log-in. Nothing has changed yet.';

/**
 * Returns the page that people without a password get instead of `passwordAgainPage`. Setting a password would remove
 * their other ways to log in.
 */
function logInAgainPage(context: PageContext, to: string): Markup {
  return page(context, {
    title: 'Log in again, please',
    body: html`<section>
      <p>${ONLY_RECENTLY}</p>
      <p class="actions"><a class="button" href="${logInPath(to)}">Log in again</a></p>
    </section>`,
  });
}

export function forgotPage(context: PageContext, entered: Entered = {}, notice?: Notice): Markup {
  const fields = html`${field({ name: 'email', type: 'email', value: entered.email, autocomplete: 'username' })}
    <button>Send the link</button>`;
  return page(context, {
    title: 'Reset the password',
    notice,
    body: html`<section>${form(context, '/password/forgot', fields)}</section>`,
  });
}

export function resetPage(context: PageContext, token: string, notice?: Notice): Markup {
  const fields = html`${hidden('token', token)}
    ${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: PASSWORD_HINT, notice })}
    <button>Set the password</button>`;
  return page(context, {
    title: 'Choose a new password',
    notice,
    body: html`<section>
      <p>
        A new password ends all sessions and removes every passkey and connected provider, such as
        Google. You can add them again afterwards. API keys and the authenticator app stay.
      </p>
      ${form(context, '/password/reset', fields)}
    </section>`,
  });
}
