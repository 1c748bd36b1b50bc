import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, HOUR_MS, SECOND_MS, SITE_FACTOR, networkOf, siteOf } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import type { Actor, Visitor } from '../audit/actor.js';
import { type AuditRecord, AuditService } from '../audit/audit.service.js';
import { TooManyAttempts } from './throttling.errors.js';
import { ThrottlingMaintenanceRepository } from './throttling.repository.js';

export interface AttemptLimit {
  /** The name of the count, for example `log-in network`. */
  name: string;
  max: number;
  windowMs: number;
}

/** How long a refusal is cached: only briefly, because another process may remove attempts from the count. */
const REFUSAL_KNOWN_MS = 10 * SECOND_MS;
const REFUSALS_KNOWN_MAX = 10_000;
const FREE_FAILURES = 5;
const DELAY_MAX_SECONDS = 900;
const FORGET_MS = DAY_MS;
/**
 * The maximum number of audit entries per hour, subject and kind of rejection: few, because the log
 * is kept permanently.
 */
const REFUSALS_KEPT = 3;

/** Slows guessers down without locking anyone out (S22, S23, S38). */
@Injectable()
export class ThrottlingService {
  /** For each subject, oldest first: the time until which its refusal is cached, and the end of its window. */
  private readonly refusals = new Map<string, { untilMs: number; endMs: number }>();

  constructor(
    private readonly attempts: ThrottlingMaintenanceRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: AccountConfig,
  ) {}

  /**
   * Counts an attempt. While a refusal is cached, further attempts are refused without a statement: a flood must not
   * use up the connections and the disk that everybody's log-ins need (S121). @throws TooManyAttempts above the limit.
   */
  async count(limit: AttemptLimit, subject: string, by: Actor | Visitor): Promise<void> {
    this.refuseAgain(limit, subject);
    const now = this.clock.now().getTime();
    const waitMs = await this.waitMsOf(limit, subject, by);
    if (waitMs === 0) return;
    this.keepRefusal(limit, subject, { now, waitMs });
    throw new TooManyAttempts(secondsOf(waitMs));
  }

  /**
   * Counts an attempt of a visitor's network and of its site, because a site with a /48 has 65,536 networks. @throws
   * TooManyAttempts above the limit of either.
   */
  async countNetwork(limit: AttemptLimit, visitor: Visitor): Promise<void> {
    const places = placesOf(limit, visitor);
    // A refused site would otherwise cause a statement for each of its networks.
    for (const { own, subject } of places) this.refuseAgain(own, subject);
    for (const { own, subject } of places) await this.count(own, subject, visitor);
  }

  /** Removes an attempt from the counts of the visitor's network and of its site. */
  async giveBackNetwork(limit: AttemptLimit, visitor: Visitor): Promise<void> {
    for (const { own, subject } of placesOf(limit, visitor)) await this.giveBack(own, subject);
  }

  /** Counts an attempt that is never rejected. @returns false above the limit. */
  async isWithin(limit: AttemptLimit, subject: string, by: Actor | Visitor): Promise<boolean> {
    return (await this.waitMsOf(limit, subject, by)) === 0;
  }

  /**
   * Counts an attempt. Only the first attempt above the limit is recorded in the audit log, so that a flood does not
   * fill the log. @returns the milliseconds until the window ends; 0 within the limit.
   */
  async waitMsOf(
    { name, max, windowMs }: AttemptLimit,
    subject: string,
    by: Actor | Visitor,
  ): Promise<number> {
    const now = this.clock.now();
    const hash = this.subjectOf(name, subject);
    const { count, since } = await this.attempts.count(hash, now, windowMs);
    if (count <= max) return 0;
    if (count === max + 1) {
      await this.audit.recordRefusal({ by, action: 'attempts.limited', object: `limit:${name}` });
    }
    return Math.max(since.getTime() + windowMs - now.getTime(), 1);
  }

  /** Removes an attempt from the count. */
  async giveBack({ name }: AttemptLimit, subject: string): Promise<void> {
    this.refusals.delete(this.refusalOf(name, subject));
    await this.attempts.giveBack(this.subjectOf(name, subject));
  }

  /**
   * Counts an attempt to guess one person's password or code: five are free, then each waits twice as long as the
   * previous one, 15 minutes at most. @throws TooManyAttempts if the attempt comes too early.
   */
  async countGuess(subject: string, by: Actor | Visitor): Promise<void> {
    const now = this.clock.now();
    const hash = this.subjectOf('guess', subject);
    const count = await this.attempts.countWithDelay(hash, now, {
      free: FREE_FAILURES,
      delayMaxSeconds: DELAY_MAX_SECONDS,
      forgetBefore: new Date(now.getTime() - FORGET_MS),
    });
    if (count !== undefined) return;
    const object = `guess:${hash.toString('hex')}`;
    await this.recordRefusal({ by, action: 'attempts.delayed', object }, subject);
    const last = await this.attempts.find(hash);
    const exponent = Math.min((last?.count ?? 0) - FREE_FAILURES + 1, 20);
    const delaySeconds = Math.min(2 ** exponent, DELAY_MAX_SECONDS);
    const waitedMs = now.getTime() - (last?.lastAt.getTime() ?? 0);
    throw new TooManyAttempts(Math.max(Math.ceil(delaySeconds - waitedMs / 1000), 1));
  }

  /** Removes a guess from the count, because it was not checked. */
  async giveBackGuess(subject: string): Promise<void> {
    await this.attempts.giveBack(this.subjectOf('guess', subject));
  }

  /**
   * Appends an entry to the audit log, unless it already has several entries for the same subject and kind of rejection
   * in this hour (S122).
   */
  async recordRefusal(record: AuditRecord, subject: string): Promise<void> {
    const hash = this.subjectOf(`refusal ${record.action} ${record.object}`, subject);
    const { count } = await this.attempts.count(hash, this.clock.now(), HOUR_MS);
    if (count <= REFUSALS_KEPT) await this.audit.recordRefusal(record);
  }

  /** Deletes the count of guesses after the correct password or code has been entered. */
  async forgetGuesses(subject: string): Promise<void> {
    await this.attempts.delete(this.subjectOf('guess', subject));
  }

  async forgetOld(): Promise<void> {
    await this.attempts.deleteOlder(new Date(this.clock.now().getTime() - FORGET_MS));
  }

  /** @throws TooManyAttempts while a refusal is cached. */
  private refuseAgain({ name }: AttemptLimit, subject: string): void {
    const key = this.refusalOf(name, subject);
    const known = this.refusals.get(key);
    const now = this.clock.now().getTime();
    if (known && now < known.untilMs) throw new TooManyAttempts(secondsOf(known.endMs - now));
    this.refusals.delete(key);
  }

  private keepRefusal(
    { name }: AttemptLimit,
    subject: string,
    { now, waitMs }: { now: number; waitMs: number },
  ): void {
    if (this.refusals.size >= REFUSALS_KNOWN_MAX) {
      this.refusals.delete(this.refusals.keys().next().value!);
    }
    const untilMs = now + Math.min(waitMs, REFUSAL_KNOWN_MS);
    this.refusals.set(this.refusalOf(name, subject), { untilMs, endMs: now + waitMs });
  }

  private refusalOf(name: string, subject: string): string {
    return this.subjectOf(name, subject).toString('base64');
  }

  private subjectOf(name: string, subject: string): Buffer {
    return createHmac('sha256', this.config.addressPepper).update(`${name}\n${subject}`).digest();
  }
}

/** Lists a visitor's network and, if it is larger, the visitor's site, each with its limit. */
function placesOf(
  limit: AttemptLimit,
  { address }: Visitor,
): { own: AttemptLimit; subject: string }[] {
  const [network, site] = [networkOf(address), siteOf(address)];
  const ofSite = { own: { ...limit, max: limit.max * SITE_FACTOR }, subject: site };
  return [{ own: limit, subject: network }, ...(site === network ? [] : [ofSite])];
}

const secondsOf = (ms: number) => Math.ceil(ms / SECOND_MS);
