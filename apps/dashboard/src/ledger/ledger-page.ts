import type { LedgerAnswer } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { type PageContext, page } from '../pages/layout.js';
import { ledgerTable } from './ledger-table.js';

/** @param cursor the start of this page; empty for the newest lines. */
export function ledgerPage(
  context: PageContext,
  { items, paging }: LedgerAnswer,
  cursor: string,
): Markup {
  const at = (path: string, start: string | null) =>
    start ? `${path}?cursor=${encodeURIComponent(start)}` : path;
  const { next_cursor: next } = paging;
  return page(context, {
    title: 'Ledger',
    body: html`<section>
      <h2>${cursor === '' ? 'The newest lines' : 'Older lines'}</h2>
      ${items.length === 0 ? html`<p>No credits yet.</p>` : ledgerTable(items)}
      <p class="actions">
        ${next === null ? undefined : html`<a class="button small" href="${at('/ledger', next)}">Older lines</a>`}
        <a href="${at('/ledger.csv', cursor)}">Download as CSV</a>
      </p>
      <p class="quiet">
        Each grant, expiry and refund has a line. The usage of an operation on a day (UTC) is one
        line, too; usage is booked within about two minutes. A balance includes reserved credits;
        credits that you owe are subtracted. A download begins with the first line of this page, and
        has up to 5,000 lines. <a href="/credits">Credits</a> · <a href="/usage">Usage</a>
      </p>
    </section>`,
  });
}
