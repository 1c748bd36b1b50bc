import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, MINUTE_MS } from '#libs/platform';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { newToken, tokenHash } from '../sessions/session-token.js';
import type { LogInStep } from './log-in-step.entity.js';
import { LogInOver } from './log-in-steps.errors.js';
import { LogInStepsMaintenanceRepository } from './log-in-steps.repository.js';
import type { PendingIdentity, StepContents } from './step-contents.js';

const LIFETIMES_MS: Readonly<Record<StepKind, number>> = {
  code: 10 * MINUTE_MS,
  provider: 10 * MINUTE_MS,
  link: 10 * MINUTE_MS,
  // How long a browser waits for a passkey (WebAuthn Level 3, 15.1).
  passkey: 5 * MINUTE_MS,
};
/** The maximum number of codes that may be tried per log-in (S33). */
const TRIES_MAX = 5;

export type StepKind = keyof StepContents;

export interface FoundStep<K extends StepKind, Account = string | null> {
  accountId: Account;
  content: StepContents[K];
}

/**
 * Manages unfinished log-ins, which wait for their next step. Each is bound to its browser and valid once, for a few
 * minutes.
 */
@Injectable()
export class LogInStepsService {
  constructor(
    private readonly steps: LogInStepsMaintenanceRepository,
    private readonly personalData: PersonalDataService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a step that waits for its browser.
   * @param accountId null while the person is unknown.
   * @returns the only copy of the token.
   */
  async begin<K extends StepKind>(
    transaction: Transaction,
    kind: K,
    { accountId, content }: FoundStep<K>,
  ): Promise<string> {
    const [token, now] = [newToken(), this.clock.now()];
    const step: LogInStep = {
      tokenHash: tokenHash(token) as Buffer,
      kind,
      accountId,
      content: await this.personalData.encrypt(transaction, accountId, content),
      tries: 0,
      expiresAt: new Date(now.getTime() + LIFETIMES_MS[kind]),
    };
    await this.steps.insert(transaction, step, now);
    return token;
  }

  /** Finds the pending log-in step of a browser, without removing it. @throws LogInOver. */
  async find<K extends StepKind>(
    transaction: Transaction,
    kind: K,
    token: string,
  ): Promise<FoundStep<K>> {
    const hash = tokenHash(token);
    const step =
      hash && (await this.steps.find(transaction, { tokenHash: hash, kind }, this.clock.now()));
    if (!step) throw new LogInOver();
    return this.open(transaction, step);
  }

  /** Removes and returns the pending log-in step of a browser. @throws LogInOver. */
  async take<K extends StepKind>(
    transaction: Transaction,
    kind: K,
    token: string,
  ): Promise<FoundStep<K>> {
    const step = await this.tryTake(transaction, kind, token);
    if (!step) throw new LogInOver();
    return step;
  }

  /** Works like `take`, but returns null if there is no step. */
  async tryTake<K extends StepKind>(
    transaction: Transaction,
    kind: K,
    token: string,
  ): Promise<FoundStep<K> | null> {
    const hash = tokenHash(token);
    const step =
      hash && (await this.steps.take(transaction, { tokenHash: hash, kind }, this.clock.now()));
    return step ? this.open(transaction, step) : null;
  }

  /**
   * Removes and returns the identity that waits in this browser for its owner to log in; undefined if there is none.
   * The identity may also be part of a step that waits for a passkey; in that case, the whole step is removed.
   */
  async tryTakeLink(transaction: Transaction, token: string): Promise<PendingIdentity | undefined> {
    const link = await this.tryTake(transaction, 'link', token);
    return link ? link.content : (await this.tryTake(transaction, 'passkey', token))?.content.link;
  }

  /**
   * Counts one attempt, successful or not. @throws LogInOver from the sixth attempt on, or if there is no such step.
   */
  async countTry(token: string): Promise<void> {
    const hash = tokenHash(token);
    const tries = hash ? await this.steps.countTry(hash) : 0;
    if (tries === 0 || tries > TRIES_MAX) throw new LogInOver();
  }

  /** Deletes the steps as part of the account's erasure. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.steps.deleteAll(transaction, accountId);
  }

  private async open<K extends StepKind>(
    transaction: Transaction,
    { accountId, content }: LogInStep,
  ): Promise<FoundStep<K>> {
    return {
      accountId,
      content: await this.personalData.decrypt(transaction, accountId, content),
    };
  }
}
