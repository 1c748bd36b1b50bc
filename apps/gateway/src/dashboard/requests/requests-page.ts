import type { RequestsAnswer } from '#libs/contracts';
import { grouped } from '../amounts.js';
import { type PageContext, page } from '../pages/layout.js';
import { type Markup, html } from '../pages/markup.js';

/** Address of the page for a line of use in the ledger. */
export function requestsPath(day: string, operation: string, cursor?: string): string {
  const query = new URLSearchParams({
    day,
    ...(operation && { operation }),
    ...(cursor && { cursor }),
  });
  return `/requests?${query.toString()}`;
}

export function requestsPage(
  context: PageContext,
  { day, operation }: { day: string; operation: string },
  { requests, paging }: RequestsAnswer,
): Markup {
  return page(context, {
    title: 'Requests',
    body: html`<section>
      <h2>${operation || 'All operations'}, ${day}</h2>
      <p class="quiet">
        A request is booked a minute or two after its answer, so one just before midnight (UTC) may
        be part of the next day in the ledger. Requests are kept for 90 days.
      </p>
      ${
        requests.length === 0
          ? html`<p>No request.</p>`
          : html`<table>
              <thead>
                <tr>
                  <th>When (UTC)</th>
                  ${operation ? undefined : html`<th>Operation</th>`}
                  <th>What</th>
                  <th>Answer</th>
                  <th class="number">Credits</th>
                </tr>
              </thead>
              <tbody>
                ${requests.map(
                  ({ at, operation: asked, subject, status, outcome, credits, request_id }) =>
                    html`<tr title="Request ${request_id}">
                      <td>${at.slice(11, 19)}</td>
                      ${operation ? undefined : html`<td>${asked}</td>`}
                      <td>${subject}</td>
                      <td>${status} ${outcome.replaceAll('_', ' ')}</td>
                      <td class="number">${grouped(credits)}</td>
                    </tr>`,
                )}
              </tbody>
            </table>`
      }
      <p class="actions">
        <a class="button plain small" href="/">Overview</a
        >${earlier(day, operation, paging.next_cursor)}
      </p>
    </section>`,
  });
}

function earlier(day: string, operation: string, cursor: string | null): Markup | undefined {
  if (cursor === null) return undefined;
  const path = requestsPath(day, operation, cursor);
  return html` <a class="button small" href="${path}">Earlier requests</a>`;
}
