import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { KeyAnswer, KeyUsageAnswer, KeysAnswer } from '#libs/contracts';
import { Clock, NotFound, counted } from '#libs/platform';
import { askPassword, needsPassword } from '../security/password-again.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import type { Notice } from '../pages/layout.js';
import { OptionalText } from '../pages/optional-text.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, failedAnswer, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import type { ProxiedAnswer } from '../service-calls/service-proxy.js';
import { expiryOf } from './key-expiry.js';
import type { NewKeySettings } from './key-fields.js';
import { settingsOf } from './key-settings.js';
import { OVERLAP, reissuePage, revokePage, rotatePage } from './key-confirmations.js';
import {
  type KeyFilter,
  type KeyShown,
  type KeyUse,
  canReissue,
  canRevoke,
  isPaused,
  keyPage,
  keysPage,
} from './keys-page.js';
import { CreateKeyForm, ReissueKeyForm, RotateKeyForm, UpdateKeyForm } from './keys.dto.js';

const pausedNotice = (allowed: number): Notice => ({
  kind: 'fault',
  text: `This key is paused: your plan allows ${counted(allowed, 'live key')}, and the oldest stay active. Requests with it are refused and cost nothing. It works once you revoke an older live key, or buy a larger package or plan.`,
});

const MADE_BEFORE: Notice = {
  kind: 'note',
  text: 'This form was sent before and has already created its key, and a key is shown only once. If you did not copy it, rotate or revoke it.',
};

const KEYS_FOUND_MAX = 200;
/** Maximum number of pages that are searched, newest keys first. */
const KEY_PAGES_MAX = 20;

interface Shown {
  shown?: KeyShown;
  entered?: NewKeySettings;
  cursor?: string;
  filter?: KeyFilter;
  notice?: Notice;
  status?: number;
}

@Controller('keys')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class KeysController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
    private readonly clock: Clock,
  ) {}

  @Get()
  list(
    @Visit() visit: PageVisit,
    @Query('cursor', OptionalText) cursor: string,
    @Query('search', OptionalText) search: string,
    @Query('live', OptionalText) live: string,
  ) {
    return this.show(visit, { cursor, filter: { search: search.trim(), isLiveOnly: live !== '' } });
  }

  @Post()
  async create(@Visit() visit: PageVisit, @Body() form: CreateKeyForm) {
    const { environment, idempotency_key: idempotencyKey } = form;
    const body = { ...settingsOf(form, this.clock.now()), environment };
    const call = { method: 'POST', path: '/keys', body, idempotencyKey } as const;
    const entered = { ...body, expiry: form };
    return this.afterChange(visit, await visit.account(call), { to: '/keys', entered });
  }

  @Get(':id')
  async edit(@Visit() visit: PageVisit, @Param('id') id: string) {
    return visit.show(keyPage(visit.context, await this.find(visit, id)));
  }

  @Post(':id')
  async update(@Visit() visit: PageVisit, @Body() form: UpdateKeyForm, @Param('id') id: string) {
    const path = `/keys/${encodeURIComponent(id)}`;
    const idempotencyKey = form.idempotency_key;
    const body = settingsOf(form, this.clock.now());
    const call = { method: 'PATCH', path, body, idempotencyKey } as const;
    const answer = await visit.account(call);
    if (!isRefused(answer)) return visit.goTo('/keys');
    if (needsPassword(answer)) return askPassword(visit, `/keys/${id}`);
    const key = await this.find(visit, id);
    const refused = { entered: { ...body, expiry: form }, notice: faultNotice(answer) };
    return visit.show(keyPage(visit.context, key, refused), answer.status);
  }

  @Get(':id/rotate')
  async askToRotate(@Visit() visit: PageVisit, @Param('id') id: string) {
    return visit.show(rotatePage(visit.context, await this.find(visit, id)));
  }

  @Post(':id/rotate')
  async rotate(@Visit() visit: PageVisit, @Body() form: RotateKeyForm, @Param('id') id: string) {
    const path = `/keys/${encodeURIComponent(id)}/rotate`;
    const { overlap = OVERLAP, idempotency_key: idempotencyKey } = form;
    const call = { method: 'POST', path, body: { overlap }, idempotencyKey } as const;
    return this.afterChange(visit, await visit.account(call), { to: `/keys/${id}/rotate` });
  }

  @Get(':id/revoke')
  async askToRevoke(@Visit() visit: PageVisit, @Param('id') id: string) {
    return visit.show(revokePage(visit.context, await this.find(visit, id, canRevoke)));
  }

  @Post(':id/revoke')
  async revoke(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/keys/${encodeURIComponent(id)}`;
    const answer = await visit.account({ method: 'DELETE', path });
    if (!isRefused(answer)) return visit.goTo('/keys');
    return this.show(visit, { notice: faultNotice(answer), status: answer.status });
  }

  @Get(':id/reissue')
  async askToReissue(@Visit() visit: PageVisit, @Param('id') id: string) {
    return visit.show(reissuePage(visit.context, await this.find(visit, id, canReissue)));
  }

  /** Without a chosen expiry, the new key never expires, even if the old key did. */
  @Post(':id/reissue')
  async reissue(@Visit() visit: PageVisit, @Body() form: ReissueKeyForm, @Param('id') id: string) {
    const path = `/keys/${encodeURIComponent(id)}/reissue`;
    const idempotencyKey = form.idempotency_key;
    const body = { expires_at: null, ...expiryOf(form, this.clock.now()) };
    const call = { method: 'POST', path, body, idempotencyKey } as const;
    return this.afterChange(visit, await visit.account(call), { to: `/keys/${id}/reissue` });
  }

  private async afterChange(
    visit: PageVisit,
    answer: ProxiedAnswer,
    { to, entered }: { to: string; entered?: NewKeySettings },
  ) {
    if (needsPassword(answer)) return askPassword(visit, to);
    if (isRefused(answer)) {
      return this.show(visit, { entered, notice: faultNotice(answer), status: answer.status });
    }
    const { key, rank } = answer.body as { key?: string; rank: number | null };
    if (key === undefined) return this.show(visit, { notice: MADE_BEFORE });
    return this.show(visit, { shown: { key, rank, apiUrl: this.settings.apiUrl } });
  }

  private async show(
    visit: PageVisit,
    { shown, entered, cursor, filter, notice, status = 200 }: Shown = {},
  ) {
    const listed = isFiltered(filter) ? foundKeys(visit, filter, cursor) : keysOf(visit, cursor);
    const [answer, allowance, use] = await Promise.all([
      // A new key is shown only this once, even if the list cannot be read.
      shown ? listed.catch(failedAnswer) : listed,
      this.calls.allowance(visit.session),
      this.calls
        .usageByKey(visit.session, {})
        .then(useOf)
        .catch(() => undefined),
    ]);
    if (isRefused(answer)) {
      const page = keysPage(visit.context, { shown, entered }, faultNotice(answer));
      return visit.show(page, shown ? 200 : answer.status);
    }
    const { keys, paging } = answer.body as KeysAnswer;
    const nextCursor = paging.next_cursor ?? undefined;
    const allowed = allowance?.keys;
    const paused =
      shown && allowed !== undefined && isPaused(shown, allowed)
        ? pausedNotice(allowed)
        : undefined;
    const said = notice ?? paused;
    const page = keysPage(
      visit.context,
      { keys, shown, entered, nextCursor, allowed, filter, use },
      said,
    );
    return visit.show(page, status);
  }

  /**
   * @param fits the condition; by default, that the key is active.
   * @throws NotFound if there is no such key, or the key does not meet the condition; account's rejection.
   */
  private async find(visit: PageVisit, id: string, fits = isActive): Promise<KeyAnswer> {
    const path = `/keys/${encodeURIComponent(id)}`;
    const { refusal, body } = await visit.account({ method: 'GET', path });
    if (refusal) throw refusal;
    const key = body as KeyAnswer;
    if (!fits(key)) throw new NotFound();
    return key;
  }
}

const isActive = ({ state }: KeyAnswer) => state === 'active';

const isFiltered = (filter?: KeyFilter): filter is KeyFilter =>
  filter !== undefined && (filter.search !== '' || filter.isLiveOnly);

/**
 * Lists the keys that match, newest first, until enough are found or the maximum number of pages is read. The search can then
 * be continued from the cursor.
 */
async function foundKeys(
  visit: PageVisit,
  filter: KeyFilter,
  start?: string,
): Promise<ProxiedAnswer> {
  const wanted = filter.search.toLowerCase();
  const fits = (key: KeyAnswer) =>
    `${key.name} ${key.masked}`.toLowerCase().includes(wanted) &&
    (!filter.isLiveOnly || canRevoke(key));
  const keys: KeyAnswer[] = [];
  let cursor: string | null = start ?? null;
  let answer: ProxiedAnswer;
  let pages = 0;
  do {
    answer = await keysOf(visit, cursor);
    if (isRefused(answer)) return answer;
    const page = answer.body as KeysAnswer;
    keys.push(...page.keys.filter(fits));
    cursor = page.paging.next_cursor;
    pages += 1;
  } while (cursor !== null && keys.length < KEYS_FOUND_MAX && pages < KEY_PAGES_MAX);
  return { ...answer, body: { keys, paging: { next_cursor: cursor } } };
}

function useOf({ from, to, days }: KeyUsageAnswer): KeyUse {
  const sums = new Map<string, { requests: number; credits: number }>();
  for (const { key_id: id, requests, credits } of days) {
    const sum = sums.get(id) ?? { requests: 0, credits: 0 };
    sums.set(id, { requests: sum.requests + requests, credits: sum.credits + credits });
  }
  return { from, to, sums };
}

async function keysOf(visit: PageVisit, cursor?: string | null): Promise<ProxiedAnswer> {
  const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
  return visit.account({ method: 'GET', path: `/keys${query}` });
}
