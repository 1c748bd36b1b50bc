import { type Markup, html } from '#libs/public-http';
import { minute } from '../amounts.js';
import { type PageContext, page } from '../pages/layout.js';
import type { Status } from './service-status.js';

const CUT_OFF = html`<p>
  The service seems to have no internet connection: none of the servers it queried recently could be
  reached. Test keys work. Operators:
  <code>npm run doctor</code> checks the connection, and
  <code>npm start -- --offline</code> simulates the registries.
</p>`;

export function statusPage(context: PageContext, status: Status): Markup {
  const away = status.parts.filter(({ isUp }) => !isUp);
  const summary =
    away.length === 0
      ? 'Everything works.'
      : `Not available: ${away.map(({ part }) => part).join('; ')}.`;
  return page(context, {
    title: 'Status',
    notice: { kind: away.length === 0 ? 'done' : 'fault', text: summary },
    body: html`<section>
      <h2>Right now</h2>
      <table>
        <thead>
          <tr>
            <th>Part</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          ${status.parts.map(
            ({ part, isUp }) =>
              html`<tr>
                <td>${part}</td>
                <td>${isUp ? 'works' : html`<strong>not available</strong>`}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      ${status.isCutOff ? CUT_OFF : ''}
      <p class="quiet">
        Checked at ${minute(status.askedAt.toISOString())}. Reload the page for the current state.
      </p>
    </section>`,
  });
}
