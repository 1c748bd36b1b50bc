import type { LedgerKind, LedgerLine } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { sourceName } from '../credits/grants-table.js';
import { operationLink } from '../usage/work.js';

const KIND_WORDS: Readonly<Record<LedgerKind, string>> = {
  grant: 'Received',
  use: 'Used',
  expiry: 'Expired',
  refund: 'Refund',
};

/** Returns the kind of an entry in words. (Support can take back credits without a refund.) */
export function kindOf({ kind, reference, amount }: LedgerLine): string {
  const isTakenBack = kind === 'refund' && reference.startsWith('operator:') && Number(amount) < 0;
  return isTakenBack ? 'Taken back' : KIND_WORDS[kind];
}

/** Returns the source of a line's credits in words; for usage, the operation. */
export const sourceOf = ({ reference, operation }: LedgerLine): string =>
  operation ?? sourceName(reference.split(':')[0]);

/** Returns a table of lines of an account's ledger, newest first. A usage line links to its requests, jobs or monitors. */
export function ledgerTable(lines: readonly LedgerLine[]): Markup {
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>When (UTC)</th>
        <th>What</th>
        <th>Source</th>
        <th class="number">Credits</th>
        <th class="number">Balance</th>
      </tr>
    </thead>
    <tbody>
      ${lines.map(row)}
    </tbody>
  </table>`;
}

function row(line: LedgerLine): Markup {
  const { at, day, operation, amount, balance } = line;
  const isUse = day !== undefined && operation !== undefined;
  return html`<tr>
    <td data-label="When" class="date">${day ?? at.slice(0, 16).replace('T', ' ')}</td>
    <td data-label="What">${kindOf(line)}</td>
    <td data-label="Source">
      ${isUse ? operationLink(day, operation, Number(amount)) : sourceOf(line)}
    </td>
    <td data-label="Credits" class="number">${grouped(Number(amount))}</td>
    <td data-label="Balance" class="number">
      ${balance === undefined ? '–' : grouped(Number(balance))}
    </td>
  </tr>`;
}
