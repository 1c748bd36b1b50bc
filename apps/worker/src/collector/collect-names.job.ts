import { Injectable } from '@nestjs/common';
import {
  NAME_RECORD_TYPES,
  type NameFindings,
  type Outcome,
  PASSING_OUTCOMES,
} from '#libs/contracts';
import { Database } from '#libs/database';
import {
  Clock,
  DAY_MS,
  HOUR_MS,
  type Job,
  MINUTE_MS,
  SECOND_MS,
  crashPoint,
  monotonicMs,
} from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import {
  type CollectedKind,
  type CollectedName,
  CollectedNamesRepository,
  type LaterName,
} from './collected-names.repository.js';
import { NamesToCollectService, OLD_DAYS } from './names-to-collect.service.js';

/** The outcomes that the corpus stores, so that it knows when the name was looked up. */
const STORED: readonly Outcome[] = ['delivered', 'partial', 'not_registered'];
/**
 * The outcomes after which a name is soon looked up again. Names in the corpus are valid, so `invalid` is our fault.
 */
const RETRIED: readonly Outcome[] = [...PASSING_OUTCOMES, 'invalid'];
const NAMES_AT_ONCE = 500;
const WAIT_SECONDS = 20;
const TIME_LIMIT_MS = 2 * MINUTE_MS;
/** A run ends after this time, so that another process can take over. */
const RUN_MS = MINUTE_MS;
const TRIES_MAX = 3;
const RETRY_MS = HOUR_MS;

/**
 * Looks up the names in the corpus's lists, so that the corpus has their records. One process per installation does
 * this, with the lowest priority. Lookup's limiter allows it at most half of each registry's rate. The answers reach
 * the corpus as lookup's own observations.
 */
@Injectable()
export class CollectNamesJob implements Job {
  readonly name = 'collect-names';
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly names: CollectedNamesRepository,
    private readonly sources: NamesToCollectService,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.running = this.collect();
    await this.running;
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running.catch(() => {});
  }

  private async collect(): Promise<void> {
    const untilMs = monotonicMs() + RUN_MS;
    for (let hasMore = true; hasMore && monotonicMs() < untilMs && !this.isEnding;) {
      hasMore = await this.sources.takeNew();
    }
    const kinds = ['dns', 'whois'] as const;
    const ends = await Promise.allSettled(kinds.map((kind) => this.lookUp(kind, untilMs)));
    // The run lasts until both kinds have ended. Otherwise, the next run would ask for the same names at the same time.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  private async lookUp(kind: CollectedKind, untilMs: number): Promise<void> {
    await this.sources.takeOld(kind);
    while (monotonicMs() < untilMs && !this.isEnding) {
      const due = { now: this.clock.now(), limit: NAMES_AT_ONCE };
      const names = await this.names.listDue(this.database, kind, due);
      if (names.length > 0) await this.ask(kind, names);
      if (names.length < NAMES_AT_ONCE) return;
    }
  }

  private async ask(kind: CollectedKind, names: readonly CollectedName[]): Promise<void> {
    const done: string[] = [];
    const later = new LaterNames(kind, this.clock.now());
    const limit = AbortSignal.timeout(TIME_LIMIT_MS);
    const found = this.clients.lookup.ask(
      {
        kind,
        names: names.map(({ name }) => name),
        ...(kind === 'dns' && { types: NAME_RECORD_TYPES }),
        priority: 'background',
        maxAgeSeconds: 0,
        waitSeconds: WAIT_SECONDS,
      },
      { signal: AbortSignal.any([this.ending.signal, limit]) },
    );
    try {
      for await (const one of found) {
        if (!later.takes(names[one.index], one)) done.push(names[one.index].name);
      }
      crashPoint('collect.after-answers');
    } finally {
      await this.database.transaction(async (transaction) => {
        if (done.length > 0) await this.names.remove(transaction, kind, done);
        if (later.names.length > 0) await this.names.putLater(transaction, kind, later.names);
      });
    }
  }
}

class LaterNames {
  readonly names: LaterName[] = [];
  private readonly byEnding = new Map<string, number>();

  constructor(
    private readonly kind: CollectedKind,
    private readonly now: Date,
  ) {}

  /** Notes when a name is to be looked up again. @returns false if the name is done. */
  takes({ name, tries }: CollectedName, { outcome, laterSeconds }: NameFindings): boolean {
    if (laterSeconds !== undefined) {
      const pauseMs = Math.max(1, laterSeconds) * SECOND_MS * this.placeOf(name);
      const dueAt = this.after(Math.min(pauseMs, DAY_MS));
      this.names.push({ name, tries, dueAt, isGivenUp: false });
      return true;
    }
    if (STORED.includes(outcome)) return false;
    const isGivenUp = !RETRIED.includes(outcome) || tries + 1 >= TRIES_MAX;
    const dueAt = this.after(isGivenUp ? OLD_DAYS[this.kind] * DAY_MS : RETRY_MS);
    this.names.push({ name, tries: tries + 1, dueAt, isGivenUp });
    return true;
  }

  /** Returns the position of a name among the names of its registry, so that they become due one after another. */
  private placeOf(name: string): number {
    const ending = name.slice(name.lastIndexOf('.') + 1);
    const place = (this.byEnding.get(ending) ?? 0) + 1;
    this.byEnding.set(ending, place);
    return place;
  }

  private after(ms: number): Date {
    return new Date(this.now.getTime() + ms);
  }
}
