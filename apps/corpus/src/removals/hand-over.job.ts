import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock, type Job } from '#libs/platform';
import { ALL_KEYS } from '../names/domain-key.js';
import { contactTerms } from '../records/contact-terms.js';
import { RegistrationsService } from '../registrations/registrations.service.js';
import {
  type KnownBy,
  type NameOf,
  RemovalsRepository,
  type TokenOf,
} from './removals.repository.js';

const ROWS_AT_A_TIME = 1_000;

/**
 * Gives the names and values of a removed source to other sources that know them, to those with most rights first.
 * What nobody else knows stays hidden. Stopped halfway it begins anew.
 */
@Injectable()
export class HandOverJob implements Job {
  readonly name = 'hand-over-removed';
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly repository: RemovalsRepository,
    private readonly registrations: RegistrationsService,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    for (const sourceId of await this.repository.listPending()) {
      await this.handOver(sourceId);
      if (this.isStopped) return;
      await this.repository.finish(sourceId, this.clock.now());
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }

  private async handOver(sourceId: number): Promise<void> {
    const key = ALL_KEYS.fromKey as string;
    let name: NameOf | undefined = { key, name: '' };
    while (name && !this.isStopped) {
      name = await this.ask(async (on) => this.giveNames(on, sourceId, name!));
    }
    let token: TokenOf | undefined = { termKey: key, key, name: '' };
    while (token && !this.isStopped) {
      token = await this.ask(async (on) => this.giveTokens(on, sourceId, token!));
    }
  }

  private async ask<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(async (transaction) => {
      await this.registrations.lockWriting(transaction);
      return work(transaction);
    });
  }

  /** @returns the last name of the batch; undefined when there are no more. */
  private async giveNames(
    transaction: Transaction,
    sourceId: number,
    after: NameOf,
  ): Promise<NameOf | undefined> {
    const names = await this.repository.listNames(transaction, sourceId, after, ROWS_AT_A_TIME);
    if (names.length === 0) return undefined;
    const heirs = await this.repository.listHeirs(transaction);
    const known = await this.repository.listKnownBy(transaction, names, heirs);
    await this.repository.giveNames(transaction, bestOf(known, heirs), sourceId);
    await this.repository.unlist(transaction, names, sourceId);
    return names.length < ROWS_AT_A_TIME ? undefined : names.at(-1);
  }

  /** Like `giveNames`, for values that the records of another source publish, too. */
  private async giveTokens(
    transaction: Transaction,
    sourceId: number,
    after: TokenOf,
  ): Promise<TokenOf | undefined> {
    const tokens = await this.repository.listTokens(transaction, sourceId, after, ROWS_AT_A_TIME);
    if (tokens.length === 0) return undefined;
    const heirs = await this.repository.listHeirs(transaction);
    const names = [...new Map(tokens.map(({ key, name }) => [name, { key, name }])).values()];
    const publishers = new Map<string, Set<number>>();
    for (const seen of await this.repository.listRecords(transaction, names, heirs)) {
      for (const { termKey } of contactTerms(seen.record)) {
        const id = `${termKey} ${seen.name}`;
        publishers.set(id, (publishers.get(id) ?? new Set()).add(seen.sourceId));
      }
    }
    const given = tokens.flatMap((token) => {
      const by = publishers.get(`${token.termKey} ${token.name}`);
      const heir = heirs.find((id) => by?.has(id));
      return heir === undefined ? [] : [{ ...token, sourceId: heir }];
    });
    await this.repository.giveTokens(transaction, given, sourceId);
    return tokens.length < ROWS_AT_A_TIME ? undefined : tokens.at(-1);
  }
}

/** For each name the first heir that knows it, since its earliest time. */
function bestOf(known: readonly KnownBy[], heirs: readonly number[]): KnownBy[] {
  const rank = new Map(heirs.map((id, place) => [id, place]));
  const best = new Map<string, KnownBy>();
  for (const one of known) {
    const other = best.get(one.name);
    const order = other ? rank.get(one.sourceId)! - rank.get(other.sourceId)! : -1;
    if (order < 0 || (order === 0 && one.at < other!.at)) best.set(one.name, one);
  }
  return [...best.values()];
}
