import { Controller, Get, Query } from '@nestjs/common';
import { InputReader, type KeysAnswer, REQUESTS } from '#libs/contracts';
import { Clock, InvalidRequest } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { type PageVisit, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { type RequestFilter, requestsPage } from './requests-page.js';

const READER = new InputReader(REQUESTS);
const NAMES = [
  'day',
  'operation',
  'key_id',
  'status',
  'subject',
  'request_id',
  'charged',
  'cursor',
] as const;

/** The single requests of the account. */
@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class RequestPagesController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly clock: Clock,
  ) {}

  /** Those of today (UTC) unless a day is given. @throws InvalidRequest for what the call behind it would refuse. */
  @Get('requests')
  async list(@Visit() visit: PageVisit, @Query() query: Readonly<Record<string, unknown>>) {
    const asked = askedOf(query, this.clock.now().toISOString().slice(0, 10));
    const input = READER.read(Object.keys(asked), Object.values(asked));
    if (input.faults) throw new InvalidRequest(input.faults);
    const [answer, keys] = await Promise.all([
      this.calls.requests(visit.session, READER.valuesOf(input)),
      visit.account({ method: 'GET', path: '/keys' }),
    ]);
    const { cursor: _, ...filter } = asked;
    // Without the names of the keys the page is still worth showing.
    const known = isRefused(keys) ? [] : ((keys.body as Partial<KeysAnswer>).keys ?? []);
    const { accountId } = visit.session;
    return visit.show(requestsPage(visit.context, { filter, answer, keys: known, accountId }));
  }
}

/** What an address asks for; what is left empty in a form is not asked for. */
function askedOf(
  query: Readonly<Record<string, unknown>>,
  today: string,
): RequestFilter & { cursor?: string } {
  const given = NAMES.flatMap((name) => {
    const text = query[name];
    return typeof text === 'string' && text !== '' ? [[name, text]] : [];
  });
  return { day: today, ...Object.fromEntries(given) };
}
