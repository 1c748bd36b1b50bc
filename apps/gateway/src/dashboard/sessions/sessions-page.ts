import type { ListedSession } from '#libs/contracts';
import { type Notice, type PageContext, form, page } from '../pages/layout.js';
import { type Markup, html } from '../pages/markup.js';
import { browserName } from './browser-name.js';

export function sessionsPage(
  context: PageContext,
  sessions: ListedSession[],
  notice?: Notice,
): Markup {
  const hasOthers = sessions.some(({ current }) => !current);
  const endOthers = html`<button class="danger">End all other sessions</button>`;
  return page(context, {
    title: 'Sessions',
    notice,
    body: html`<section>
        <h2>Where you are logged in</h2>
        <ul class="rows">
          ${sessions.map((session) => sessionRow(context, session))}
        </ul>
      </section>
      ${hasOthers ? form(context, '/sessions/end-others', endOthers) : undefined}`,
  });
}

function sessionRow(context: PageContext, session: ListedSession): Markup {
  const { id, current, address, user_agent: userAgent, created_at, last_seen_at } = session;
  const name = browserName(userAgent);
  const end = html`<button class="plain small" aria-label="End the session of ${name}, ${address}">
    End
  </button>`;
  return html`<li>
    <div>
      <strong>${name}</strong> ${address}
      <p class="quiet">
        <span>since ${minute(created_at)}</span>
        <span>last seen ${minute(last_seen_at)} UTC</span>
      </p>
    </div>
    ${current ? html`<p class="quiet">This browser</p>` : form(context, `/sessions/${id}/end`, end)}
  </li>`;
}

const minute = (time: string) => time.slice(0, 16).replace('T', ' ');
