import type { ListedSession } from '#libs/contracts';
import { confirmationPage } from '../pages/confirmation-page.js';
import { type Notice, type PageContext, page } from '../pages/layout.js';
import { type Markup, html } from '../pages/markup.js';
import { browserName } from './browser-name.js';

export function sessionsPage(
  context: PageContext,
  sessions: ListedSession[],
  notice?: Notice,
): Markup {
  const hasOthers = sessions.some(({ current }) => !current);
  const endOthers = html`<p class="actions">
    <a class="button danger" href="/sessions/end-others">End all other sessions</a>
  </p>`;
  return page(context, {
    title: 'Sessions',
    notice,
    body: html`<section>
        <h2>Where you are logged in</h2>
        <ul class="rows">
          ${sessions.map((session) => sessionRow(session))}
        </ul>
      </section>
      ${hasOthers ? endOthers : undefined}`,
  });
}

/** Before another browser is logged out. */
export function endPage(context: PageContext, session: ListedSession): Markup {
  const { id, user_agent: userAgent, address, last_seen_at: seen } = session;
  return confirmationPage(context, {
    title: 'End this session?',
    body: html`<p><strong>${browserName(userAgent)}</strong> ${address}</p>
      <p class="quiet">Last seen ${minute(seen)} UTC.</p>
      <p>That browser is logged out at once. Your keys keep working.</p>`,
    action: `/sessions/${id}/end`,
    button: 'End the session',
    isDanger: true,
    back: BACK,
  });
}

/** Before every browser but this one is logged out. */
export function endOthersPage(context: PageContext): Markup {
  return confirmationPage(context, {
    title: 'End all other sessions?',
    body: html`<p>Every browser but this one is logged out at once. Your keys keep working.</p>`,
    action: '/sessions/end-others',
    button: 'End all other sessions',
    isDanger: true,
    back: BACK,
  });
}

const BACK = { href: '/sessions', text: 'Keep them as they are' };

function sessionRow(session: ListedSession): Markup {
  const { id, current, address, user_agent: userAgent, created_at, last_seen_at } = session;
  const name = browserName(userAgent);
  const end = html`<a
    class="button plain small"
    href="/sessions/${id}/end"
    aria-label="End the session of ${name}, ${address}"
    >End</a
  >`;
  return html`<li>
    <div>
      <strong>${name}</strong> ${address}
      <p class="quiet">
        <span>since ${minute(created_at)}</span>
        <span>last seen ${minute(last_seen_at)} UTC</span>
      </p>
    </div>
    ${current ? html`<p class="quiet">This browser</p>` : end}
  </li>`;
}

const minute = (time: string) => time.slice(0, 16).replace('T', ' ');
