import { Controller, Get, Header, Query } from '@nestjs/common';
import type { LedgerLine } from '#libs/contracts';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { csvOf } from '../pages/csv.js';
import { OptionalText } from '../pages/optional-text.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { ledgerPage } from './ledger-page.js';
import { kindOf, sourceOf } from './ledger-table.js';

/** Maximum number of lines in a download; an older part of the ledger can be downloaded from its own page. */
const CSV_LINES_MAX = 5_000;
const CSV_PAGE_SIZE = 1_000;
const CSV_COLUMNS = ['at', 'what', 'source', 'credits', 'balance', 'id'];

/** Shows the ledger of the account's credits, page by page, and as CSV. */
@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class LedgerController {
  constructor(private readonly calls: DashboardCalls) {}

  /** @throws InvalidRequest for an invalid cursor; ServiceUnavailable. */
  @Get('ledger')
  async show(@Visit() visit: PageVisit, @Query('cursor', OptionalText) cursor: string) {
    const answer = await this.calls.ledger(visit.session, cursor);
    return visit.show(ledgerPage(visit.context, answer, cursor));
  }

  /** Returns the lines from the cursor on, newest first. @throws the errors of `show`. */
  @Get('ledger.csv')
  @Header('content-type', 'text/csv; charset=utf-8')
  @Header('content-disposition', 'attachment; filename="ledger.csv"')
  async csv(
    @Visit() visit: PageVisit,
    @Query('cursor', OptionalText) start: string,
  ): Promise<string> {
    const lines: LedgerLine[] = [];
    for (let cursor: string | null = start; cursor !== null && lines.length < CSV_LINES_MAX;) {
      const { items, paging } = await this.calls.ledger(visit.session, cursor, CSV_PAGE_SIZE);
      lines.push(...items);
      cursor = paging.next_cursor;
    }
    return csvOf(CSV_COLUMNS, lines.map(cellsOf));
  }
}

const cellsOf = (line: LedgerLine) => [
  line.day ?? line.at,
  kindOf(line),
  sourceOf(line),
  Number(line.amount),
  line.balance === undefined ? '' : Number(line.balance),
  line.id,
];
