import type { BlockList } from 'node:net';
import {
  type Allowance,
  type KeyEnvironment,
  type KeyRecord,
  type RateClass,
  DEFAULT_SCOPES,
  SCOPES,
  type Scope,
} from '#libs/contracts';
import { CounterId } from '#libs/counters';
import { SECOND_MS } from '#libs/platform';
import { allowListOf } from './allow-list.js';

/**
 * The rights and limits of an account. The entry is also the id under which its requests are counted. Fields are small
 * integers, so that 100,000 entries fit into memory.
 */
export class AccountEntry extends CounterId {
  readonly limits: Record<RateClass, number>;
  readonly keys: number;
  /** The end of the record's validity, in seconds since 1970; 0 if it is unlimited. */
  readonly validUntilSecond: number;
  readonly isSuspended: boolean;
  /** The first of this account's cached keys, which form a linked list. */
  firstKey?: KeyEntry = undefined;

  constructor({ accountId, limits, keys, validUntil, blocks }: Allowance, now: Date) {
    super(accountId);
    this.limits = onlyCopyOf(limits);
    this.keys = keys;
    this.validUntilSecond = secondOf(validUntil);
    const nowMs = now.getTime();
    this.isSuspended = blocks.some(
      ({ blocks: parts, from, to }) =>
        parts.includes('api') &&
        new Date(from).getTime() <= nowMs &&
        (to === undefined || new Date(to).getTime() > nowMs),
    );
  }

  get id(): string {
    return this.text;
  }
}

export class KeyEntry {
  readonly keyId: string;
  readonly isTest: boolean;
  readonly rank: number;
  /** The scopes as bits: bit n represents `SCOPES[n]`. */
  readonly scopeBits: number;
  /** The key's expiry, in seconds since 1970; 0 if it never expires. */
  readonly expiresAtSecond: number;
  /** The maximum number of credits per UTC day; 0 for no cap. */
  readonly dailyCreditCap: number;
  /** The id under which the day's usage is counted: the id of the first key in the chain of rotations. */
  readonly capId: string;
  readonly allowList?: BlockList;
  nextOfAccount?: KeyEntry = undefined;

  /** @param apiKey empty for an account that is identified without a key. */
  constructor(
    readonly apiKey: string,
    readonly account: AccountEntry,
    record: KeyRecord,
  ) {
    this.keyId = record.keyId;
    this.isTest = record.environment === 'test';
    this.rank = record.rank;
    this.scopeBits = record.scopes.reduce((bits, scope) => bits | scopeBit(scope), 0);
    this.expiresAtSecond = secondOf(record.expiresAt);
    this.dailyCreditCap = record.dailyCreditCap ?? 0;
    const lineId = record.capLine?.id;
    // Most keys have never been rotated, so one string serves as both ids.
    this.capId = lineId === undefined || lineId === record.keyId ? record.keyId : lineId;
    this.allowList = allowListOf(record.allowedAddresses);
  }
}

/**
 * Returns the entry for a session of the dashboard: it has every scope except that of managing keys, and is valid from
 * any address. The request log records it under the account's id.
 */
export function ownerOf(account: AccountEntry, environment: KeyEnvironment): KeyEntry {
  return new KeyEntry('', account, {
    keyId: account.id,
    accountId: account.id,
    accountState: 'active',
    state: 'active',
    environment,
    scopes: [...DEFAULT_SCOPES],
    allowedAddresses: [],
    rank: 0,
  });
}

/** The limits in use. Accounts on the same plan have the same limits, so they share one object. */
const limitsInUse = new Map<string, Record<RateClass, number>>();
const LIMITS_MAX = 10_000;

function onlyCopyOf(limits: Record<RateClass, number>): Record<RateClass, number> {
  const { live, bulk, heavy, account } = limits;
  const name = `${live}/${bulk}/${heavy}/${account}`;
  const known = limitsInUse.get(name);
  if (known) return known;
  if (limitsInUse.size >= LIMITS_MAX) limitsInUse.clear();
  const copy = { live, bulk, heavy, account };
  limitsInUse.set(name, copy);
  return copy;
}

/** Returns the bit of a scope in `scopeBits`; 0 for a scope that this release does not know. */
export function scopeBit(scope: Scope): number {
  const place = SCOPES.indexOf(scope);
  return place === -1 ? 0 : 1 << place;
}

/** Returns a time in seconds, rounded down, so that no record is used after it expires; 0 for none. */
function secondOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(new Date(time).getTime() / SECOND_MS);
}
