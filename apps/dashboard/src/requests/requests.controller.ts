import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import {
  InputReader,
  type LoggedRequest,
  REQUESTS,
  REQUESTS_KEPT_DAYS,
  REQUEST_DAYS_MAX,
  type RequestsAnswer,
} from '#libs/contracts';
import { Clock, DAY_MS, InvalidRequest, NotFound } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { csvOf } from '../pages/csv.js';
import { ownKeys } from '../own-keys.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { requestPage } from './request-page.js';
import { KeyNames, requestRow } from './request-row.js';
import { type RequestFilter, requestPath, requestsPage } from './requests-page.js';

const READER = new InputReader(REQUESTS);
const NAMES = [
  'day',
  'from',
  'operation',
  'key_id',
  'status',
  'subject',
  'request_id',
  'charged',
  'cursor',
] as const;

/** Maximum number of rows in a download; for more, customers can download fewer days at a time. */
const CSV_ROWS_MAX = 5_000;
const CSV_COLUMNS = [
  'at',
  'request_id',
  'key',
  'operation',
  'subject',
  'status',
  'outcome',
  'credits',
  'duration_ms',
  'requests',
] as const;

type Given = Readonly<Record<string, unknown>>;
type Asked = RequestFilter & { cursor?: string | null; page_size?: string };

@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class RequestPagesController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the requests of the given days, by default of today (UTC). @throws InvalidRequest if the gateway would reject
   * the filters; TooManyCalls, ServiceUnavailable.
   */
  @Get('requests')
  async list(@Visit() visit: PageVisit, @Query() query: Given) {
    const { cursor, ...filter } = this.askedOf(query);
    const answer = await this.read(visit, { ...filter, cursor });
    const keys = await keysOf(visit, answer.requests);
    const isFirst = cursor === undefined && filter.day === this.day();
    return visit.show(requestsPage(visit.context, { filter, answer, keys, isFirst }));
  }

  /** Lists up to 50 of the newest requests, for the page's script. @throws the errors of `list`. */
  @Get('requests/tail')
  async tail(@Visit() visit: PageVisit, @Query() query: Given) {
    const asked = { ...this.askedOf(query), page_size: '50' };
    const { requests } = await this.read(visit, asked);
    const keys = await keysOf(visit, requests);
    const rows = requests.map((request) => requestRow(request, keys));
    return { rows: rows.map((row) => ({ ...row, href: requestPath(row) })) };
  }

  /**
   * Returns the requests of all pages as CSV, newest first, until the file has `CSV_ROWS_MAX` rows.
   * @throws the errors of `list`.
   */
  @Get('requests.csv')
  @Header('content-type', 'text/csv; charset=utf-8')
  @Header('content-disposition', 'attachment; filename="requests.csv"')
  async csv(@Visit() visit: PageVisit, @Query() query: Given): Promise<string> {
    const asked: Asked = this.askedOf(query);
    const all: LoggedRequest[] = [];
    do {
      const { requests, paging } = await this.read(visit, asked, true);
      all.push(...requests);
      asked.cursor = paging.next_cursor;
    } while (asked.cursor && all.length < CSV_ROWS_MAX);
    const keys = await keysOf(visit, all);
    const named = all.map((request) => ({ ...request, key: keys.of(request.key_id) }));
    return csvOf(
      CSV_COLUMNS,
      named.map((request) => CSV_COLUMNS.map((column) => request[column])),
    );
  }

  /**
   * Shows a request. @throws NotFound if it is not in the log, or not on the day in the URL; InvalidRequest for an
   * invalid day or id; TooManyCalls, ServiceUnavailable.
   */
  @Get('requests/:id')
  async show(@Visit() visit: PageVisit, @Param('id') id: string, @Query() query: Given) {
    const days = query.day === undefined ? this.stretches() : [{ day: query.day as string }];
    for (const stretch of days) {
      const { requests } = await this.read(visit, { ...stretch, request_id: id });
      if (requests.length === 0) continue;
      const keys = await keysOf(visit, requests);
      const { apiUrl } = this.settings;
      return visit.show(requestPage(visit.context, requests[0], { keys, apiUrl }));
    }
    throw new NotFound();
  }

  private async read(visit: PageVisit, asked: Asked, isDownload = false): Promise<RequestsAnswer> {
    const given = Object.entries(asked).filter(
      (one): one is [string, string] => typeof one[1] === 'string',
    );
    const input = READER.read(
      given.map(([name]) => name),
      given.map(([, text]) => text),
    );
    if (input.faults) throw new InvalidRequest(input.faults);
    return this.calls.requests(visit.session, READER.valuesOf(input), isDownload);
  }

  private day(before = 0): string {
    return new Date(this.clock.now().getTime() - before * DAY_MS).toISOString().slice(0, 10);
  }

  /** Returns the ranges of days that together cover the whole log, newest first. Each fits into one list. */
  private stretches(): { day: string; from: string }[] {
    const count = Math.ceil(REQUESTS_KEPT_DAYS / REQUEST_DAYS_MAX);
    return Array.from({ length: count }, (_, place) => ({
      day: this.day(place * REQUEST_DAYS_MAX),
      from: this.day((place + 1) * REQUEST_DAYS_MAX - 1),
    }));
  }

  /** Returns the filters in the URL. Empty fields of the form are ignored. */
  private askedOf(query: Given): RequestFilter & { cursor?: string } {
    const given = NAMES.flatMap((name) => {
      const text = query[name];
      return typeof text === 'string' && text !== '' ? [[name, text]] : [];
    });
    return { day: this.day(), ...Object.fromEntries(given) };
  }
}

/** Reads the names of the newest keys and of those of the requests. If account refuses, the page does without them. */
async function keysOf(visit: PageVisit, requests: readonly LoggedRequest[]): Promise<KeyNames> {
  const ids = requests.map(({ key_id: id }) => id);
  return new KeyNames(await ownKeys(visit, ids), visit.session.accountId);
}
