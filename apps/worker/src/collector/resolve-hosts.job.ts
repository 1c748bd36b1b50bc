import { Injectable } from '@nestjs/common';
import type { NextNames } from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock, DAY_MS, type Job, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { FeedCursorsService } from '../feed-cursors/feed-cursors.service.js';
import { ServiceClients } from '../service-clients.js';

const READER = 'hosts';
/**
 * The number of hosts of a run. With a run every ten seconds, at most twenty hosts are looked up per second: each adds
 * rows to the corpus, and certificates name more hosts than there are names.
 */
const HOSTS_AT_ONCE = 200;
/** How many pages of hosts a run reads at most, if few of them are due. */
const PAGES_MAX = 20;
/** A host counts as active for seven days, so an active one is looked up again before that. */
const OLD_MS = 5 * DAY_MS;
/** The time between the end of a pass over all hosts and the next one. */
const PAUSE_MS = DAY_MS;
const WAIT_SECONDS = 20;
const TIME_LIMIT_MS = 2 * MINUTE_MS;
const TYPES = ['A', 'AAAA'] as const;

/** The last host that was looked up, or when a pass over all hosts ended. */
type Place = { key: string; name: string } | { endedAt: string };

/**
 * Looks up the addresses of the hosts in the corpus, in passes over all of them. Certificates only name hosts; without
 * this job, such hosts would never be active. The answers reach the corpus as lookup's own observations. A host without
 * an answer waits for the next pass.
 */
@Injectable()
export class ResolveHostsJob implements Job {
  readonly name = 'resolve-hosts';
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly cursors: FeedCursorsService,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.running = this.resolveNext();
    await this.running;
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running.catch(() => {});
  }

  private async resolveNext(): Promise<void> {
    const stored = await this.cursors.find(this.database, READER);
    const place = stored === undefined ? undefined : (JSON.parse(stored) as Place);
    const now = this.clock.now();
    const hasEnded = place !== undefined && 'endedAt' in place;
    if (hasEnded && now.getTime() - Date.parse(place.endedAt) < PAUSE_MS) return;
    const { names, after } = await this.listDue(hasEnded ? undefined : place);
    if (names.length > 0) await this.ask(names);
    const next: Place = after ?? { endedAt: now.toISOString() };
    await this.cursors.put(this.database, READER, JSON.stringify(next));
  }

  /** Lists the next hosts that are due. Those that are not, which may be most, do not slow the pass down. */
  private async listDue(
    from: NextNames['after'] | undefined,
  ): Promise<{ names: string[]; after: NextNames['after'] }> {
    const names: string[] = [];
    let after = from ?? null;
    for (let page = 0; page < PAGES_MAX && names.length < HOSTS_AT_ONCE; page += 1) {
      const next = await this.clients.corpus.nextNames({
        kind: 'host',
        olderThanSeconds: OLD_MS / SECOND_MS,
        ...(after && { after }),
        limit: HOSTS_AT_ONCE - names.length,
      });
      names.push(...next.names.map(({ name }) => name));
      ({ after } = next);
      if (after === null) break;
    }
    return { names, after };
  }

  private async ask(names: readonly string[]): Promise<void> {
    const found = this.clients.lookup.ask(
      {
        kind: 'dns',
        names,
        types: TYPES,
        priority: 'background',
        maxAgeSeconds: 0,
        waitSeconds: WAIT_SECONDS,
      },
      { signal: AbortSignal.any([this.ending.signal, AbortSignal.timeout(TIME_LIMIT_MS)]) },
    );
    // Lookup gives the answers to the corpus, so they are only awaited here.
    for await (const _ of found);
  }
}
