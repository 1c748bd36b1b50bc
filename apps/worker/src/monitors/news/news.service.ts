import { Injectable } from '@nestjs/common';
import type { AskedPage, HitState, MonitorEventAnswer, MonitorEventsAnswer } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, NotFound, newId } from '#libs/platform';
import { DeliveriesService } from '../../deliveries/deliveries.service.js';
import { DigestsMaintenanceRepository } from './digests-maintenance.repository.js';
import { type News, type NewsReader, eventAnswer, isHit } from './monitor-news.js';
import { type NewNews, NewsRepository } from './news.repository.js';

/** What one delivery to a webhook tells at most. */
const EVENTS_SENT_MAX = 50;
/** One statement is no longer than a few megabytes. */
const INSERTED_AT_ONCE = 2_000;

type Owned = Pick<NewsReader, 'accountId' | 'monitorId'>;

/** What monitors found: kept, sent to webhooks, and put into the next mail. */
@Injectable()
export class NewsService {
  constructor(
    private readonly database: Database,
    private readonly rows: NewsRepository,
    private readonly digests: DigestsMaintenanceRepository,
    private readonly deliveries: DeliveriesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Tells what was found, in the transaction that notes that it was looked at. News that were told before are left
   * out. Each monitor's news are in as few deliveries as may be.
   * @returns the ids of the events.
   */
  async tell(
    transaction: Transaction,
    found: readonly { reader: NewsReader; news: News }[],
  ): Promise<string[]> {
    if (found.length === 0) return [];
    const at = this.clock.now();
    const all = found.map((one): NewNews => ({
      ...one,
      id: newId(),
      at,
      state: isHit(one.news.type) ? 'new' : null,
    }));
    const told = new Set<string>();
    for (let from = 0; from < all.length; from += INSERTED_AT_ONCE) {
      const part = all.slice(from, from + INSERTED_AT_ONCE);
      for (const id of await this.rows.insert(transaction, part)) told.add(id);
    }
    const fresh = all.filter(({ id }) => told.has(id));
    const mailed = fresh.filter(({ reader }) => reader.sendsMail);
    await this.digests.want(
      transaction,
      [...new Set(mailed.map(({ reader }) => reader.accountId))],
      at,
    );
    for (const group of Map.groupBy(fresh, ({ reader }) => reader.monitorId).values()) {
      for (let from = 0; from < group.length; from += EVENTS_SENT_MAX) {
        await this.publish(transaction, group.slice(from, from + EVENTS_SENT_MAX));
      }
    }
    return [...told];
  }

  /** Makes an event that says nothing, and sends it the way of all others. */
  async test(reader: NewsReader, domainName: string): Promise<MonitorEventAnswer> {
    const news = {
      type: 'monitor.test',
      domainName,
      fact: `test ${newId()}`,
      details: {},
    } as const;
    const [id] = await this.database.transaction((transaction) =>
      this.tell(transaction, [{ reader, news }]),
    );
    if (id === undefined) throw new NotFound('There is no monitor with this id.');
    const { monitorId } = reader;
    return {
      status: true,
      ...eventAnswer({ ...news, id, monitorId, state: null, at: this.clock.now() }),
    };
  }

  /** What a monitor found, newest first. */
  async list(owned: Owned, asked: AskedPage, state?: HitState): Promise<MonitorEventsAnswer> {
    const [after] = asked.after ?? [];
    const { limit } = asked;
    const rows = await this.rows.list(this.database, owned, { limit, after, state });
    const { items, paging } = asked.cut(rows, ({ id }) => [id]);
    return { status: true, events: items.map(eventAnswer), paging };
  }

  /** @throws NotFound. */
  async setState(owned: Owned, eventId: string, state: HitState): Promise<MonitorEventAnswer> {
    const news = await this.database.transaction((transaction) =>
      this.rows.setState(transaction, owned, eventId, state),
    );
    if (!news) throw new NotFound('The monitor has found no name with this id.');
    return { status: true, ...eventAnswer(news) };
  }

  /** Removes all that was found for an account. */
  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.rows.deleteOfAccount(transaction, accountId);
    await this.digests.forget(transaction, accountId);
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
