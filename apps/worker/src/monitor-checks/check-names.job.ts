import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { NameFindings } from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock, type Job, Logger, MINUTE_MS, SECOND_MS, crashPoint } from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import { type CheckKind, EVERY_MS, LEASE_MS } from './check-times.js';
import { ChecksService } from './checks.service.js';
import { WATCHED_TYPES } from './name-state.js';
import { WatchedNamesMaintenanceRepository } from './watched-names-maintenance.repository.js';

const NAMES_AT_ONCE = 50;
/**
 * The number of simultaneous calls. A call takes as long as its slowest name, and the name servers
 * of thousands of names may be silent.
 */
const CALLS_AT_ONCE = 8;
/**
 * The number of simultaneous calls for names whose last check failed: fewer, because their servers
 * may still be silent.
 */
const FAILED_CALLS_AT_ONCE = 4;
const LOOK_MS = SECOND_MS;
/** The maximum time for which a name may wait for its turn at an upstream. */
const WAIT_SECONDS = 20;
const TIME_LIMIT_MS = 2 * MINUTE_MS;

/**
 * Checks watched names that are due, for one kind of check. One lookup serves all accounts that watch a name. The kinds
 * are separate jobs, because checking many names at a slow registry can take hours.
 */
@Injectable()
abstract class CheckNamesJob implements Job {
  abstract readonly name: string;
  protected abstract readonly kind: CheckKind;
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly names: WatchedNamesMaintenanceRepository,
    private readonly checks: ChecksService,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    if (this.ending.signal.aborted) return;
    this.running = this.check(this.kind);
    await this.running;
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running.catch(() => {});
  }

  /**
   * Names whose last check failed have calls of their own, so that they delay no other names. Both kinds of names are
   * looked for until no call is under way.
   */
  private async check(kind: CheckKind): Promise<void> {
    const lanes = [false, true].map((failed) => ({ failed, calls: new Set<Promise<void>>() }));
    const underWay = () => lanes.flatMap(({ calls }) => [...calls]);
    const faults: unknown[] = [];
    try {
      while (!this.ending.signal.aborted && faults.length === 0) {
        let isMore = false;
        for (const { failed, calls } of lanes) {
          const callsMax = failed ? FAILED_CALLS_AT_ONCE : CALLS_AT_ONCE;
          if (calls.size >= callsMax) continue;
          const { names, hasMore } = await this.claim(kind, failed);
          if (names.length > 0) {
            const call: Promise<void> = this.askAbout(kind, names)
              .catch((error: unknown) => void faults.push(error))
              .finally(() => calls.delete(call));
            calls.add(call);
          }
          isMore ||= hasMore && calls.size < callsMax;
        }
        if (isMore) continue;
        const open = underWay();
        if (open.length === 0) break;
        await Promise.race([...open, sleep(LOOK_MS)]);
      }
    } finally {
      await Promise.all(underWay());
    }
    if (faults.length > 0) throw faults[0];
  }

  private async claim(
    kind: CheckKind,
    failed: boolean,
  ): Promise<{ names: string[]; hasMore: boolean }> {
    const now = this.clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    return this.names.claim(this.database, kind, {
      now,
      leaseUntil,
      limit: NAMES_AT_ONCE,
      failed,
    });
  }

  private async askAbout(kind: CheckKind, names: readonly string[]): Promise<void> {
    crashPoint('check.after-claim');
    // Suppressed names are no longer reported to anyone.
    const gone = await this.clients.suppressedOf(names, (error) => {
      const message = 'the corpus did not say which watched names are suppressed';
      this.logger.sparsely('warn', message, message, { error });
    });
    for (const name of gone) await this.checks.tryLater(kind, name, EVERY_MS.whois);
    const open = names.filter((name) => !gone.has(name));
    if (open.length > 0) await this.ask(kind, open);
  }

  /** Looks up names. A name without a result is checked again when its lease ends. */
  private async ask(kind: CheckKind, names: readonly string[]): Promise<void> {
    const found = this.clients.lookup.ask(
      {
        kind,
        names,
        ...(kind === 'dns' && { types: WATCHED_TYPES }),
        priority: 'monitor',
        maxAgeSeconds: 0,
        waitSeconds: WAIT_SECONDS,
      },
      { signal: AbortSignal.any([this.ending.signal, AbortSignal.timeout(TIME_LIMIT_MS)]) },
    );
    for await (const one of found) await this.keep(kind, names[one.index], one);
  }

  /** Stores a result. A failure for one name does not affect the names after it. */
  private async keep(kind: CheckKind, name: string, found: NameFindings): Promise<void> {
    try {
      await this.checks.keep(kind, name, found);
    } catch (error) {
      const message = `the ${kind} of a watched name could not be stored`;
      this.logger.sparsely('error', message, message, { error });
      // If the database is unavailable, the name is due again when its lease ends.
      await this.checks.tryLater(kind, name).catch(() => {});
    }
  }
}

@Injectable()
export class CheckDnsJob extends CheckNamesJob {
  readonly name = 'check-watched-dns';
  protected readonly kind = 'dns';
}

@Injectable()
export class CheckWhoisJob extends CheckNamesJob {
  readonly name = 'check-watched-whois';
  protected readonly kind = 'whois';
}
