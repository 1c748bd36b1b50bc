import type { BalanceAnswer, LedgerLine, UsageAnswer } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { firstToEnd, grantsTable } from '../credits/grants-table.js';
import { curlLine } from '../calls/curl-line.js';
import { ledgerTable } from '../ledger/ledger-table.js';
import { type PageContext, page } from '../pages/layout.js';
import { usageChart } from '../usage/usage-chart.js';
import { workOnDays } from '../usage/work.js';
import { type CreditHistory, historySection } from './credit-history.js';
import { type PlanFacts, lowCredits, planCard } from './plan-card.js';

/** The data of `/` after a log-in. Data that could not be read is undefined. */
export interface OverviewFacts {
  balance?: BalanceAnswer;
  ledger?: LedgerLine[];
  usage?: UsageAnswer;
  history?: CreditHistory;
  plan: PlanFacts;
  apiUrl: string;
}

export function overviewPage(context: PageContext, facts: OverviewFacts): Markup {
  const low = lowCredits(facts.balance);
  return page(context, {
    title: 'Overview',
    notice: low === undefined ? undefined : { kind: 'note', text: low },
    body: html`${balanceSection(facts.balance)} ${planCard(facts.plan)}
      ${facts.usage && usageSection(facts.usage)} ${facts.history && historySection(facts.history)}
      <section>
        <h2>A first call</h2>
        ${curlLine(facts.apiUrl, '$KEY', 'registered.test')}
        <p class="quiet">
          With a test key, sample names such as registered.test cost nothing.
          <a href="/keys">Keys</a> · <a href="${facts.apiUrl}/docs">API reference</a>
        </p>
      </section>
      ${facts.ledger && ledgerSection(facts.ledger)}`,
  });
}

function usageSection(used: UsageAnswer): Markup {
  const { requests, credits } = used.totals;
  if (requests === 0 && credits === 0) return html``;
  const byWork = workOnDays(used.days).reduce((sum, day) => sum + day.credits, 0);
  return html`<section>
    <h2>Credits used in the last 30 days</h2>
    <p class="figure">
      <strong>${grouped(credits)}</strong> for ${counted(requests, 'request')}
      ${byWork > 0 ? html`and the work of jobs and monitors (${grouped(byWork)})` : undefined}
    </p>
    ${usageChart(used, 'credits')}
    <p class="quiet"><a href="/usage">By day and operation</a></p>
  </section>`;
}

function balanceSection(balance: BalanceAnswer | undefined): Markup {
  if (!balance) {
    return html`<section>
      <h2>Credits</h2>
      <p>The balance cannot be read right now. Load the page again in a moment.</p>
    </section>`;
  }
  const frozen =
    balance.frozen > 0
      ? html` <span
          >${counted(balance.frozen, 'credit')} will come back within a minute; then load this page
          again. Keys stay revoked: <a href="/keys">reissue them</a></span
        >`
      : undefined;
  const ending = firstToEnd(balance);
  const debt =
    balance.debt > 0
      ? html` <span
          >you owe ${grouped(balance.debt)} after a refund; the next credits that you buy repay them
          first</span
        >`
      : undefined;
  const reserved =
    balance.reserved > 0
      ? html` <span
          >${grouped(balance.reserved)} of them ${balance.reserved === 1 ? 'is' : 'are'} reserved
          for requests and jobs</span
        >`
      : undefined;
  return html`<section>
    <h2>Credits</h2>
    <p class="figure"><strong>${grouped(balance.spendable + balance.reserved)}</strong> to spend</p>
    <p class="quiet">${reserved}${ending && html` <span>${ending}</span>`}${frozen}${debt}</p>
    ${grantsTable(balance)}
    <p class="actions"><a class="button small" href="/credits">Buy credits</a></p>
  </section>`;
}

function ledgerSection(lines: LedgerLine[]): Markup {
  if (lines.length === 0) return html``;
  return html`<section>
    <h2>Ledger</h2>
    ${ledgerTable(lines)}
    <p class="quiet"><a href="/ledger">All lines, and as CSV</a></p>
  </section>`;
}
