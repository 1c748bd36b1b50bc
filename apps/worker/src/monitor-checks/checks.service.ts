import { Injectable } from '@nestjs/common';
import type { MonitorChange, NameFindings, Outcome } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, crashPoint, newId } from '#libs/platform';
import type { News } from '../monitor-news/monitor-news.js';
import { NewsService } from '../monitor-news/news.service.js';
import {
  type CheckKind,
  daysUntil,
  isOverdue,
  isDay,
  laterAt,
  nextCheckAt,
  reminderOf,
  RETRY_MS,
  retryAt,
} from './check-times.js';
import { type JudgedCheck, judgeCheck } from './judged-check.js';
import { EXPIRY_PATH, type NameState, dnsStateOf, whoisStateOf } from './name-state.js';
import { PaidChecksService } from './paid-checks.service.js';
import {
  type WatchedName,
  WatchedNamesMaintenanceRepository,
} from './watched-names-maintenance.repository.js';

const ANSWERS: readonly Outcome[] = [
  'delivered',
  'partial',
  'not_registered',
  'restricted',
  'empty',
];

@Injectable()
export class ChecksService {
  constructor(
    private readonly database: Database,
    private readonly names: WatchedNamesMaintenanceRepository,
    private readonly news: NewsService,
    private readonly paid: PaidChecksService,
    private readonly clock: Clock,
  ) {}

  /**
   * Schedules checks of names, in the transaction in which an account starts watching them.
   * @param isAtOnce whether the names are checked now; otherwise, they are checked at the regular interval.
   */
  async watch(
    transaction: Transaction,
    names: readonly string[],
    { isAtOnce = false } = {},
  ): Promise<void> {
    if (names.length === 0) return;
    await this.names.watch(transaction, names, { now: this.clock.now(), isAtOnce });
    await this.paid.hasten(transaction, names);
  }

  /**
   * Locks names, so that no check stores a result for them before the transaction ends. Call this before deleting
   * monitors: a check locks its name before it writes monitors' events, so the opposite order could deadlock.
   */
  async hold(transaction: Transaction, names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.names.lockAll(transaction, names);
  }

  /**
   * Deletes the stored state of names that no monitor watches any more, in the transaction that
   * ends their monitors.
   */
  async forget(transaction: Transaction, names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.names.forgetUnwatched(transaction, names);
  }

  /** Deletes the checks that an account still has to pay for. */
  async forgetPaid(transaction: Transaction, accountId: string): Promise<void> {
    await this.paid.erase(transaction, accountId);
  }

  /**
   * Stores the result of a check, and reports changes to all accounts that watch the name. A failure changes only the
   * stored problem and the time of the next check.
   */
  async keep(kind: CheckKind, name: string, found: NameFindings): Promise<void> {
    const { outcome, laterSeconds, body } = found;
    await this.database.transaction(async (transaction) => {
      const known = await this.names.lock(transaction, name);
      if (!known) return;
      const now = this.clock.now();
      if (laterSeconds !== undefined) {
        const dueAt = laterAt(now, laterSeconds);
        const problem = found.problem?.code ?? outcome;
        const failed = isOverdue(kind, known.checkedAt[kind], now)
          ? { problem, at: now }
          : undefined;
        return this.names.putOff(transaction, kind, name, { dueAt, failed });
      }
      if (body === undefined || !ANSWERS.includes(outcome)) {
        const dueAt = outcome === 'unsupported' ? nextCheckAt(kind, QUIET, now) : retryAt(now);
        const problem = found.problem?.code ?? outcome;
        return this.names.putOff(transaction, kind, name, { dueAt, failed: { problem, at: now } });
      }
      if (kind === 'dns') await this.keepDns(transaction, known, dnsStateOf(body));
      else await this.keepWhois(transaction, known, whoisStateOf(body, outcome === 'partial'));
      crashPoint('check.before-commit');
    });
    crashPoint('check.after-commit');
  }

  /** Schedules the next check of a name after `afterMs`, by default half an hour. */
  async tryLater(kind: CheckKind, name: string, afterMs = RETRY_MS): Promise<void> {
    const dueAt = new Date(this.clock.now().getTime() + afterMs);
    await this.database.transaction((transaction) =>
      this.names.putOff(transaction, kind, name, { dueAt }),
    );
  }

  /** If a reminder of a name's expiry is due, sends it to all accounts that watch the name. */
  async remind(name: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const known = await this.names.lock(transaction, name);
      if (!known?.expiresOn) return;
      const { expiresOn, remindedDays } = known;
      const now = this.clock.now();
      const days = reminderOf({ expiresOn, remindedDays }, now);
      if (days === undefined) return;
      await this.names.setReminded(transaction, name, days);
      await this.tell(transaction, name, {
        type: 'domain.expiring',
        fact: `expiry ${expiresOn} ${days}`,
        details: { expiry_date: expiresOn, days_left: daysUntil(expiresOn, now) },
      });
    });
  }

  private async keepDns(transaction: Transaction, known: WatchedName, seen: NameState) {
    const now = this.clock.now();
    const judged = judgeCheck(known.dns, seen, now);
    const regularAt = nextCheckAt('dns', { ...judged, expiresOn: null }, now);
    const dueAt = await this.paid.count(transaction, known.name, regularAt);
    const checked = { ...judged, checkedAt: now, dueAt, regularAt };
    await this.names.putDns(transaction, known.name, checked);
    if (judged.changes.length === 0) return;
    await this.names.putOff(transaction, 'whois', known.name, { dueAt: now });
    await this.tellChanges(transaction, known.name, judged);
  }

  private async keepWhois(transaction: Transaction, known: WatchedName, seen: NameState) {
    const now = this.clock.now();
    const judged = judgeCheck(known.whois, seen, now);
    const [published] = judged.state?.[EXPIRY_PATH] ?? [];
    const expiresOn = published !== undefined && isDay(published) ? published : null;
    const dueAt = nextCheckAt('whois', { ...judged, expiresOn }, now);
    const checked = { ...judged, checkedAt: now, dueAt, expiresOn };
    await this.names.putWhois(transaction, known.name, checked);
    if (judged.changes.length > 0) await this.tellChanges(transaction, known.name, judged);
  }

  private async tellChanges(
    transaction: Transaction,
    name: string,
    { changes }: Pick<JudgedCheck, 'changes'>,
  ): Promise<void> {
    const details: { changes: MonitorChange[] } = { changes };
    await this.tell(transaction, name, { type: 'domain.changed', fact: newId(), details });
  }

  private async tell(
    transaction: Transaction,
    domainName: string,
    news: Omit<News, 'domainName'>,
  ): Promise<void> {
    const readers = await this.names.listReaders(transaction, domainName);
    const found = readers.map((reader) => ({ reader, news: { ...news, domainName } }));
    await this.news.tell(transaction, found);
  }
}

const QUIET = { isRecheckWanted: false, expiresOn: null } as const;
