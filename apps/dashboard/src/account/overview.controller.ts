import { Controller, Get, Header, Query } from '@nestjs/common';
import type { KeysAnswer, MonitorsAnswer, SubscriptionsAnswer } from '#libs/contracts';
import { Clock } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import { csvOf } from '../pages/csv.js';
import { OptionalText } from '../pages/optional-text.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import type { BrowserCaller } from '../service-calls/service-proxy.js';
import type { Session } from '../service-calls/sessions.js';
import { restorePage } from './account-pages.js';
import { startPage } from '../public-pages/start-page.js';
import { creditHistory } from './credit-history.js';
import { type OverviewFacts, overviewPage } from './overview-page.js';

/**
 * Serves `/`: a welcome page, the account's overview, or the restore page of a deleted account. Also serves the history
 * of the account's credits as CSV.
 */
@Controller()
@AllowVisitors('either')
export class OverviewController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Visit() visit: PageVisit, @Query('sample', OptionalText) sample: string) {
    const { apiUrl } = this.settings;
    const { sessionIfAny: session } = visit;
    if (!session) {
      return visit.show(startPage({ ...visit.context, isLoggedIn: false }, apiUrl, sample));
    }
    if (session.accountState !== 'active') {
      return visit.show(restorePage(visit.context, session.restorableUntil));
    }
    return visit.show(overviewPage(visit.context, await this.factsOf(visit.visitor, session)));
  }

  /**
   * Returns the credits at the end of each of the last 30 days, or of fewer days if the earlier ledger is not known
   * completely. @throws ServiceUnavailable.
   */
  @Get('credits.csv')
  @AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
  @Header('content-type', 'text/csv; charset=utf-8')
  @Header('content-disposition', 'attachment; filename="credits.csv"')
  async csv(@Visit() visit: PageVisit): Promise<string> {
    const { session } = visit;
    const { byDay } = creditHistory(await this.calls.creditsOverview(session), this.clock.now());
    return csvOf(['day', 'credits'], [...byDay]);
  }

  /** Reads the data of the page. If a service does not answer, the page is shown without that service's figures. */
  private async factsOf(visitor: BrowserCaller, session: Session): Promise<OverviewFacts> {
    const { calls } = this;
    const [credits, used, owned, keys, watched] = await Promise.all([
      known(calls.creditsOverview(session)),
      known(calls.usageOverview(session)),
      known(calls.billing(visitor, session, { method: 'GET', path: '/subscriptions' })),
      known(calls.account(visitor, { method: 'GET', path: '/keys' })),
      known(calls.worker(visitor, session, { method: 'GET', path: '/monitors' })),
    ]);
    const { subscriptions } = (owned?.body ?? {}) as Partial<SubscriptionsAnswer>;
    const { keys: newest, paging: keyPaging } = (keys?.body ?? {}) as Partial<KeysAnswer>;
    // If none of the newest keys is a live key, the number of live keys among the others is unknown.
    const isKnown = keyPaging?.next_cursor === null || newest?.some(({ rank }) => rank !== null);
    const listed = isKnown ? newest : undefined;
    const { monitors, paging } = (watched?.body ?? {}) as Partial<MonitorsAnswer>;
    // If the monitors fill more than one page, their number is unknown.
    const all = paging?.has_next === false ? monitors : undefined;
    const { balance, allowance, ledger } = credits ?? {};
    const { usage, pace } = used ?? {};
    const now = this.clock.now();
    const history = credits && creditHistory(credits, now);
    const plan = { balance, allowance, pace, subscriptions, keys: listed, monitors: all, now };
    const { apiUrl } = this.settings;
    return { apiUrl, balance, ledger, usage, history, plan };
  }
}

const known = async <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);
