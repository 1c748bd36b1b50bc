import {
  type IdentitiesAnswer,
  type ListedIdentity,
  type ListedPasskey,
  type ListedSession,
  PROVIDER_NAMES,
  type Provider,
  type SecondFactorAnswer,
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { minute } from '../amounts.js';
import { confirmationPage } from '../pages/confirmation-page.js';
import { type Notice, type PageContext, form, page } from '../pages/layout.js';
import { passkeysSection } from './passkey-pages.js';
import { browserName } from './browser-name.js';

export interface SecurityFacts {
  secondFactor: SecondFactorAnswer;
  identities: IdentitiesAnswer;
  passkeys: ListedPasskey[];
  sessions: ListedSession[];
}

export function securityPage(context: PageContext, facts: SecurityFacts, notice?: Notice): Markup {
  const { secondFactor, identities, passkeys, sessions } = facts;
  return page(context, {
    title: 'Security',
    notice,
    body: html`<section>
        <h2>Password</h2>
        ${identities.has_password ? CHANGE_PASSWORD : SET_PASSWORD}
      </section>
      ${identitiesSection(context, identities)} ${passkeysSection(context, passkeys)}
      ${appSection(context, secondFactor)} ${sessionsSection(sessions)}`,
  });
}

const CHANGE_PASSWORD = html`<p class="actions">
  <a class="button plain small" href="/account/password">Change the password</a>
</p>`;
const SET_PASSWORD = html`<p>
  The account has no password. Set one with <a href="/password/forgot">a link in an e-mail</a>.
</p>`;

function identitiesSection(
  context: PageContext,
  { identities, offered }: IdentitiesAnswer,
): Markup {
  const free = offered.filter((provider) => !identities.some((one) => one.provider === provider));
  if (identities.length + free.length === 0) return html``;
  const shown = new Set([...identities.map(({ provider }) => provider), ...free]);
  const names = Object.entries(PROVIDER_NAMES).flatMap(([provider, name]) =>
    shown.has(provider as Provider) ? [name] : [],
  );
  return html`<section>
    <h2>Log in with ${names.join(' or ')}</h2>
    <ul class="rows">
      ${identities.map(
        ({ id, provider, address, last_used_at: used }) =>
          html`<li>
            <div>
              <strong>${PROVIDER_NAMES[provider]}</strong> ${address}
              <p class="quiet">last used ${minute(used)}</p>
            </div>
            <a
              class="button plain small"
              href="/security/identities/${id}/remove"
              aria-label="Remove ${PROVIDER_NAMES[provider]}"
              >Remove</a
            >
          </li>`,
      )}
      ${free.map(
        (provider) =>
          html`<li>
            <div><strong>${PROVIDER_NAMES[provider]}</strong></div>
            ${form(context, `/security/identities/${provider}`, html`<button class="plain small">Connect ${PROVIDER_NAMES[provider]}</button>`)}
          </li>`,
      )}
    </ul>
  </section>`;
}

export function removeIdentityPage(context: PageContext, identity: ListedIdentity): Markup {
  const name = PROVIDER_NAMES[identity.provider];
  return confirmationPage(context, {
    title: `Remove ${name}?`,
    body: html`<p><strong>${name}</strong> ${identity.address}</p>
      <p>You can then no longer log in with ${name}, and every other browser is logged out.</p>`,
    action: `/security/identities/${identity.id}/remove`,
    button: `Remove ${name}`,
    isDanger: true,
    back: BACK,
  });
}

function appSection(
  context: PageContext,
  { on_since: since, recovery_codes: codes }: SecondFactorAnswer,
): Markup {
  const body =
    since === null
      ? html`<p>
            With an app on your phone, log-ins without a passkey also ask for a code. A stolen
            password alone is then useless.
          </p>
          ${form(context, '/security/app', html`<button>Set up an app</button>`)}`
      : html`<p>
            Since ${minute(since)}, log-ins without a passkey also ask for a code.
            ${codes === 0 ? html`<strong>No recovery code is left.</strong>` : `${codes} recovery ${codes === 1 ? 'code is' : 'codes are'} left.`}
          </p>
          <div class="actions">
            <a class="button plain small" href="/security/app/recovery-codes">New recovery codes</a>
            <a class="button danger small" href="/security/app/remove">Remove the app</a>
          </div>`;
  return html`<section>
    <h2>Authenticator app</h2>
    ${body}
  </section>`;
}

function sessionsSection(sessions: ListedSession[]): Markup {
  const hasOthers = sessions.some(({ current }) => !current);
  const endOthers = html`<p class="actions">
    <a class="button danger" href="/security/sessions/end-others">End all other sessions</a>
  </p>`;
  return html`<section>
    <h2>Where you are logged in</h2>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(session))}
    </ul>
    ${hasOthers ? endOthers : undefined}
  </section>`;
}

export function endPage(context: PageContext, session: ListedSession): Markup {
  const { id, user_agent: userAgent, address, last_seen_at: seen } = session;
  return confirmationPage(context, {
    title: 'End this session?',
    body: html`<p><strong>${browserName(userAgent)}</strong> ${address}</p>
      <p class="quiet">Last seen ${minute(seen)}.</p>
      <p>That browser is logged out at once. Your keys keep working.</p>`,
    action: `/security/sessions/${id}/end`,
    button: 'End the session',
    isDanger: true,
    back: BACK,
  });
}

export function endOthersPage(context: PageContext): Markup {
  return confirmationPage(context, {
    title: 'End all other sessions?',
    body: html`<p>Every browser but this one is logged out at once. Your keys keep working.</p>`,
    action: '/security/sessions/end-others',
    button: 'End all other sessions',
    isDanger: true,
    back: BACK,
  });
}

const BACK = { href: '/security', text: 'Keep everything as it is' };

function sessionRow(session: ListedSession): Markup {
  const { id, current, address, user_agent: userAgent, created_at, last_seen_at } = session;
  const name = browserName(userAgent);
  const end = html`<a
    class="button plain small"
    href="/security/sessions/${id}/end"
    aria-label="End the session of ${name}, ${address}"
    >End</a
  >`;
  return html`<li>
    <div>
      <strong>${name}</strong> ${address}
      <p class="quiet">
        <span>since ${minute(created_at)}</span>
        <span>last seen ${minute(last_seen_at)}</span>
      </p>
    </div>
    ${current ? html`<p class="quiet">This browser</p>` : end}
  </li>`;
}
