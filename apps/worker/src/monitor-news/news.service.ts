import { Injectable } from '@nestjs/common';
import type { AskedPage, HitState, MonitorEventAnswer, MonitorEventsAnswer } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, HOUR_MS, NotFound, SECOND_MS, isId, newId } from '#libs/platform';
import { DailyCountsService } from '../daily-counts/daily-counts.service.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { DigestsMaintenanceRepository } from './digests-maintenance.repository.js';
import {
  FINDS_A_DAY_MAX,
  type Found,
  type News,
  type NewsReader,
  eventAnswer,
  isHit,
} from './monitor-news.js';
import { TooManyTests, TooManyTestsADay } from './news.errors.js';
import { type NewNews, NewsRepository } from './news.repository.js';

/** Maximum number of events in one delivery to a webhook. */
const EVENTS_SENT_MAX = 50;
/** Maximum number of events per statement, so that no statement exceeds a few megabytes. */
const INSERTED_AT_ONCE = 2_000;
const TESTS_AN_HOUR_MAX = 5;
/**
 * Maximum number of tests per day for all monitors of an account, including removed ones. Each test is sent to up to
 * ten webhooks and logged there for 30 days, and a new monitor can be tested at once.
 */
const TESTS_A_DAY_MAX = 500;

type Owned = Pick<NewsReader, 'accountId' | 'monitorId'>;

/** Stores the events of monitors, sends them to webhooks, and adds them to the next e-mail. */
@Injectable()
export class NewsService {
  constructor(
    private readonly database: Database,
    private readonly rows: NewsRepository,
    private readonly digests: DigestsMaintenanceRepository,
    private readonly deliveries: DeliveriesService,
    private readonly counts: DailyCountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Reports findings, in the transaction that records that they were processed. Events reported before are omitted.
   * Each monitor's events are combined in as few deliveries as possible.
   * @returns the ids of the events that were not reported before.
   */
  async tell(transaction: Transaction, found: readonly Found[]): Promise<string[]> {
    const at = this.clock.now();
    return this.store(
      transaction,
      found.map(({ reader, news }) => newNews(reader, news, at)),
    );
  }

  /**
   * Reports found names as `tell` does, up to the daily limit of each monitor. Beyond the limit, one event reports the
   * first of the remaining names.
   * @returns the ids of the monitors that have exceeded this limit.
   */
  async tellFinds(transaction: Transaction, found: readonly Found[]): Promise<Set<string>> {
    const full = new Set<string>();
    if (found.length === 0) return full;
    const at = this.clock.now();
    const day = at.toISOString().slice(0, 10);
    const all = found.map(({ reader, news }) => newNews(reader, news, at));
    const counts = await this.rows.lockFinds(transaction, all, day);
    const untold = await this.rows.listUntold(transaction, all);
    const finds: NewNews[] = [];
    const limits: NewNews[] = [];
    for (const one of all.filter(({ id }) => untold.has(id))) {
      const { reader, news } = one;
      const count = counts.get(reader.monitorId)!;
      if (count < FINDS_A_DAY_MAX) {
        counts.set(reader.monitorId, count + 1);
        finds.push(one);
      } else if (!full.has(reader.monitorId)) {
        full.add(reader.monitorId);
        const limit = {
          ...news,
          type: 'monitor.limit',
          fact: `limit ${day}`,
          details: {},
        } as const;
        limits.push(newNews(reader, limit, at));
      }
    }
    await this.rows.addFinds(transaction, finds);
    await this.store(transaction, [...finds, ...limits]);
    return full;
  }

  /** Creates a test event and sends it like any other event. @throws NotFound, TooManyTests, TooManyTestsADay. */
  async test(
    transaction: Transaction,
    reader: NewsReader,
    domainName: string,
  ): Promise<MonitorEventAnswer> {
    const at = this.clock.now();
    const hourAgo = new Date(at.getTime() - HOUR_MS);
    const tests = await this.rows.listTests(transaction, reader, hourAgo);
    const first = tests.at(-TESTS_AN_HOUR_MAX);
    if (first !== undefined) {
      const leftMs = first.getTime() - hourAgo.getTime();
      throw new TooManyTests(TESTS_AN_HOUR_MAX, Math.ceil(leftMs / SECOND_MS));
    }
    const today = await this.counts.count(transaction, reader.accountId, 'monitor tests');
    if (today > TESTS_A_DAY_MAX) {
      throw new TooManyTestsADay(TESTS_A_DAY_MAX, this.counts.secondsLeft());
    }
    const news = {
      type: 'monitor.test',
      domainName,
      fact: `test ${newId()}`,
      details: {},
    } as const;
    const [id] = await this.tell(transaction, [{ reader, news }]);
    if (id === undefined) throw new NotFound('There is no monitor with this id.');
    const { monitorId } = reader;
    return { status: true, ...eventAnswer({ ...news, id, monitorId, state: null, at }) };
  }

  /** Lists the events of a monitor, or those in one state, newest first. */
  async list(owned: Owned, asked: AskedPage, state?: HitState): Promise<MonitorEventsAnswer> {
    const [after] = asked.after ?? [];
    const { limit } = asked;
    const rows = await this.rows.list(this.database, owned, { limit, after, state });
    const { items, paging } = asked.cut(rows, ({ id }) => [id]);
    return { status: true, events: items.map(eventAnswer), paging };
  }

  /** @throws NotFound. */
  async setState(owned: Owned, eventId: string, state: HitState): Promise<MonitorEventAnswer> {
    const isOne = isId(owned.monitorId) && isId(eventId);
    const setState = (transaction: Transaction) =>
      this.rows.setState(transaction, owned, eventId, state);
    const news = isOne && (await this.database.transaction(setState));
    if (!news) throw new NotFound('The monitor has found no name with this id.');
    return { status: true, ...eventAnswer(news) };
  }

  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.rows.deleteOfAccount(transaction, accountId);
    await this.digests.forget(transaction, accountId);
    await this.counts.forget(transaction, accountId, ['monitor tests']);
  }

  /** Stores and sends events. @returns the ids of those that were not reported before. */
  private async store(transaction: Transaction, all: NewNews[]): Promise<string[]> {
    if (all.length === 0) return [];
    const told = new Set<string>();
    for (let from = 0; from < all.length; from += INSERTED_AT_ONCE) {
      const part = all.slice(from, from + INSERTED_AT_ONCE);
      for (const id of await this.rows.insert(transaction, part)) told.add(id);
    }
    const fresh = all.filter(({ id }) => told.has(id));
    const mailed = fresh.filter(({ reader }) => reader.sendsMail);
    const accountIds = new Set(mailed.map(({ reader }) => reader.accountId));
    await this.digests.want(transaction, [...accountIds], this.clock.now());
    for (const group of Map.groupBy(fresh, ({ reader }) => reader.monitorId).values()) {
      for (let from = 0; from < group.length; from += EVENTS_SENT_MAX) {
        await this.publish(transaction, group.slice(from, from + EVENTS_SENT_MAX));
      }
    }
    return [...told];
  }

  private async publish(transaction: Transaction, group: readonly NewNews[]): Promise<void> {
    const [{ reader }] = group;
    const { monitorId, accountId, kind, name } = reader;
    const events = group.map(({ id, news, state, at }) =>
      eventAnswer({ ...news, id, monitorId, state, at }),
    );
    await this.deliveries.publish(transaction, accountId, {
      id: newId(),
      type: 'monitor.triggered',
      data: { monitor_id: monitorId, kind, name, events },
    });
  }
}

const newNews = (reader: NewsReader, news: News, at: Date): NewNews => ({
  id: newId(),
  reader,
  news,
  at,
  state: isHit(news.type) ? 'new' : null,
});
