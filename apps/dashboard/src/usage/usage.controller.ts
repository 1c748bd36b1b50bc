import { Controller, Get, Header, Query } from '@nestjs/common';
import { ACCOUNT_USAGE, InputReader } from '#libs/contracts';
import { InvalidRequest, Problem } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import type { Notice } from '../pages/layout.js';
import { csvOf } from '../pages/csv.js';
import { ownKeys } from '../own-keys.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { pacesOf } from './paces.js';
import { workOnDays } from './work.js';
import { type UsageAsked, type UsageShown, usagePage } from './usage-page.js';

const READER = new InputReader(ACCOUNT_USAGE);

type Given = Readonly<Record<string, unknown>>;

@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class UsagePageController {
  constructor(private readonly calls: DashboardCalls) {}

  @Get('usage')
  async show(@Visit() visit: PageVisit, @Query() query: Given) {
    const asked = askedOf(query);
    try {
      return visit.show(usagePage(visit.context, asked, await this.read(visit, asked)));
    } catch (error) {
      // The page is useful even without the figures.
      const refusal = refusalOf(error);
      const page = usagePage(visit.context, asked, undefined, refusal?.notice);
      return visit.show(page, refusal?.status);
    }
  }

  @Get('usage.csv')
  @Header('content-type', 'text/csv; charset=utf-8')
  @Header('content-disposition', 'attachment; filename="usage.csv"')
  async csv(@Visit() visit: PageVisit, @Query() query: Given): Promise<string> {
    const asked = askedOf(query);
    const { days } = await this.read(visit, asked);
    const rows = days.map(({ date, name, requests, failed, credits }) => [
      date,
      name,
      requests,
      failed,
      credits,
    ]);
    return csvOf(['day', asked.by, 'requests', 'failed', 'credits'], rows);
  }

  /** @throws InvalidRequest if the gateway would reject the values; TooManyCalls, ServiceUnavailable. */
  private async read(visit: PageVisit, { by, ...days }: UsageAsked): Promise<UsageShown> {
    const { faults } = READER.read(Object.keys(days), Object.values(days));
    if (faults) throw new InvalidRequest(faults);
    if (by === 'operation') {
      const [used, byKey] = await Promise.all([
        this.calls.usage(visit.session, days),
        this.calls.usageByKey(visit.session, days).catch(() => undefined),
      ]);
      const named = used.days.map(({ operation, ...day }) => ({ ...day, name: operation }));
      return { ...used, days: named, paces: byKey && pacesOf(byKey) };
    }
    const [used, all] = await Promise.all([
      this.calls.usageByKey(visit.session, days),
      this.calls.usage(visit.session, days),
    ]);
    const names = await namesOfKeys(
      visit,
      used.days.map(({ key_id: id }) => id),
    );
    const nameOf = (id: string) => names.get(id) ?? 'another key';
    const ofKeys = used.days.map(({ key_id, ...day }) => ({ ...day, name: nameOf(key_id) }));
    const named = [...ofKeys, ...workOnDays(all.days)];
    return {
      ...used,
      days: named.toSorted((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date))),
      paces: pacesOf(used),
    };
  }
}

/**
 * Returns the names of keys by id, with their last characters, because keys may have the same name. The account's own
 * id stands for the dashboard.
 */
async function namesOfKeys(visit: PageVisit, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map([[visit.session.accountId, 'Dashboard']]);
  for (const { id, name, masked } of await ownKeys(visit, ids)) {
    names.set(id, `${name} (${masked})`);
  }
  return names;
}

function askedOf({ by, from, to }: Given): UsageAsked {
  const given = Object.entries({ from, to }).filter(
    ([, day]) => typeof day === 'string' && day !== '',
  );
  return { by: by === 'key' ? 'key' : 'operation', ...Object.fromEntries(given) };
}

/** Returns the rejection of these days; undefined for any other error, because the days may then be shown later. */
function refusalOf(error: unknown): { notice: Notice; status: number } | undefined {
  if (!(error instanceof Problem)) return undefined;
  const { status, code, errors = [], message: text } = error;
  if (status !== 400 && code !== 'search_too_heavy') return undefined;
  const words = errors.map(
    ({ field, message }) => `${field === 'to' ? 'The last' : 'The first'} day ${message}.`,
  );
  return { notice: { kind: 'fault', text: words.join(' ') || text }, status };
}
