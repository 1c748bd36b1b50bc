import { Controller, Get, Query } from '@nestjs/common';
import { InputReader, REQUESTS } from '#libs/contracts';
import { Clock, InvalidRequest } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { OptionalText } from '../pages/optional-text.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { requestsPage } from './requests-page.js';

const READER = new InputReader(REQUESTS);

/** The requests behind a line of the ledger. */
@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class RequestPagesController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly clock: Clock,
  ) {}

  /** Those of today (UTC) unless a day is given. @throws InvalidRequest for what the call behind it would refuse. */
  @Get('requests')
  async list(
    @Visit() visit: PageVisit,
    @Query('day', OptionalText) day: string,
    @Query('operation', OptionalText) operation: string,
    @Query('cursor', OptionalText) cursor: string,
  ) {
    const today = this.clock.now().toISOString().slice(0, 10);
    const asked = { day: day || today, operation, cursor };
    const given = Object.entries(asked).filter(([, text]) => text !== '');
    const input = READER.read(
      given.map(([name]) => name),
      given.map(([, text]) => text),
    );
    if (input.faults) throw new InvalidRequest(input.faults);
    const answer = await this.calls.requests(visit.session, READER.valuesOf(input));
    return visit.show(requestsPage(visit.context, asked, answer));
  }
}
