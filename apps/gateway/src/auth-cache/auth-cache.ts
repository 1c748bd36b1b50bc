import {
  type AccountClient,
  type EntitlementClient,
  type KeyEnvironment,
  type KeyRecord,
  hashApiKey,
  isWellFormedApiKey,
} from '#libs/contracts';
import {
  type Clock,
  MINUTE_MS,
  Problem,
  SECOND_MS,
  ServiceUnavailable,
  monotonicMs,
} from '#libs/platform';
import { AccountDeletedProblem, AccountSuspended } from '#libs/public-http';
import type { CappedLine } from '../lease/daily-caps.js';
import { AccountEntry, KeyEntry, ownerOf } from './caller.js';
import { InvalidApiKey } from './auth-cache.errors.js';
import { RefusedKeys } from './refused-keys.js';

export interface AuthCacheOptions {
  account: AccountClient;
  entitlement: EntitlementClient;
  clock: Clock;
  /** The server-side secret that is included in the hashes of keys. */
  keyPepper: string;
  /** Called whenever a key has been loaded, before it is used. */
  beforeUse?: (key: CappedLine) => Promise<void>;
  /**
   * Maximum number of cached keys, 200,000 by default. Beyond it, the account of the oldest key is evicted with all its
   * keys.
   */
  keysMax?: number;
}

/** How long cached records may be used after the last successful poll of both change feeds. */
export const FEED_GRACE_MS = MINUTE_MS;

const KEYS_MAX = 200_000;
const LOADS_MAX = 256;
/** A load that is interrupted by changes this often is abandoned: the account changes faster than it can be read. */
const LOAD_TRIES = 4;

const invalidApiKey = new InvalidApiKey();
const accountSuspended = new AccountSuspended();

/**
 * A cache of keys and accounts in memory. A missing record is loaded from its owner. A record is dropped when an event
 * or a change feed names its account; all records are dropped when the feeds stay silent.
 */
export class AuthCache {
  private keys = new Map<string, KeyEntry>();
  private accounts = new Map<string, AccountEntry>();
  private readonly refused = new RefusedKeys();
  private readonly loads = new Map<string, Promise<KeyEntry | Problem>>();
  /**
   * The accounts that an event or a change feed named while loads were running, each with the value of `newsCount` at
   * that moment.
   */
  private readonly named = new Map<string, number>();
  private newsCount = 0;
  private droppedAllAt = 0;
  private trustedUntilMs = 0;

  constructor(private readonly options: AuthCacheOptions) {}

  /** Returns the key if its record is cached and still valid. The argument may be a slice of a longer string. */
  find(apiKey: string, nowMs: number): KeyEntry | undefined {
    if (nowMs > this.trustedUntilMs && this.keys.size > 0) this.dropAll();
    const entry = this.keys.get(apiKey);
    if (entry === undefined) return undefined;
    const { validUntilSecond } = entry.account;
    if (validUntilSecond !== 0 && this.isPast(validUntilSecond)) {
      this.forget(entry.account.id);
      return undefined;
    }
    return entry.expiresAtSecond !== 0 && this.isPast(entry.expiresAtSecond) ? undefined : entry;
  }

  /**
   * Loads a key from its owners. Concurrent calls for one key share a load.
   * @returns the key, its rejection (which is cached for a second), or 503 if it cannot be loaded now.
   */
  async load(apiKey: string): Promise<KeyEntry | Problem> {
    const refusal = this.refused.find(apiKey);
    if (refusal) return refusal;
    if (!isWellFormedApiKey(apiKey)) return invalidApiKey;
    const running = this.loads.get(apiKey);
    if (running) return running;
    if (this.loads.size >= LOADS_MAX) return new ServiceUnavailable('account');
    // A cached slice would keep the whole URL in memory.
    const ownCopy = Buffer.from(apiKey, 'latin1').toString('latin1');
    const load = this.loadWhole(ownCopy).finally(() => {
      this.loads.delete(ownCopy);
      if (this.loads.size === 0) this.named.clear();
    });
    this.loads.set(ownCopy, load);
    return load;
  }

  /** Loads the account of a session, with its current rights from entitlement. @returns the account, or 503. */
  async owner(accountId: string, environment: KeyEnvironment): Promise<KeyEntry | Problem> {
    try {
      const allowance = await this.options.entitlement.allowance(accountId);
      return ownerOf(new AccountEntry(allowance, this.options.clock.now()), environment);
    } catch (error) {
      return unavailable(error);
    }
  }

  /** True while this key is being loaded. */
  isLoading(apiKey: string): boolean {
    return this.loads.has(apiKey);
  }

  /** Drops an account and all its keys. Running loads that may have read older records start again. */
  drop(accountId: string): void {
    this.newsCount++;
    if (this.loads.size > 0) this.named.set(accountId, this.newsCount);
    // Rejections are not indexed by account, and any change may make one obsolete, so all are dropped. They would
    // expire within a second anyway.
    this.refused.clear();
    this.forget(accountId);
  }

  dropAll(): void {
    this.newsCount++;
    this.droppedAllAt = this.newsCount;
    this.refused.clear();
    this.keys = new Map();
    this.accounts = new Map();
  }

  /** Sets the monotonic time until which records may be used. The pollers extend it. */
  trustUntil(ms: number): void {
    this.trustedUntilMs = ms;
  }

  get size(): number {
    return this.keys.size;
  }

  private async loadWhole(apiKey: string): Promise<KeyEntry | Problem> {
    try {
      for (let tries = 0; tries < LOAD_TRIES; tries++) {
        const since = this.newsCount;
        const record = await this.options.account.findKey(
          hashApiKey(apiKey, this.options.keyPepper),
        );
        const refusal = this.refusalOf(record);
        if (refusal) {
          if (record && this.isOvertaken(record.accountId, since)) continue;
          this.refused.remember(apiKey, refusal);
          return refusal;
        }
        const { accountId, keyId, dailyCreditCap = 0, capLine } = record!;
        const account = await this.accountOf(accountId);
        // The key is prepared before it is cached, so that no other request finds it unprepared.
        const { id: capId, keyIds } = capLine ?? { id: keyId, keyIds: [keyId] };
        await this.options.beforeUse?.({ capId, keyIds, dailyCreditCap });
        if (this.isOvertaken(accountId, since)) continue;
        return this.keep(apiKey, record!, account);
      }
      return new ServiceUnavailable('account');
    } catch (error) {
      return unavailable(error);
    }
  }

  private async accountOf(accountId: string): Promise<AccountEntry> {
    const known = this.currentAccount(accountId);
    if (known) return known;
    const allowance = await this.options.entitlement.allowance(accountId);
    return new AccountEntry(allowance, this.options.clock.now());
  }

  /**
   * Returns why a key is rejected, if it is. The account's state is checked before the key's state, because every key
   * of a deleted account gets 403 for 90 days.
   */
  private refusalOf(record: KeyRecord | null): Problem | undefined {
    if (record === null || record.accountState === 'erased') return invalidApiKey;
    if (record.accountState === 'deleted') return new AccountDeletedProblem(record.restorableUntil);
    const { state, expiresAt } = record!;
    const isExpired =
      expiresAt !== undefined && this.isPast(new Date(expiresAt).getTime() / SECOND_MS);
    if (state === 'revoked' || isExpired) return invalidApiKey;
    return record.isSuspended ? accountSuspended : undefined;
  }

  private isOvertaken(accountId: string, since: number): boolean {
    return this.droppedAllAt > since || (this.named.get(accountId) ?? 0) > since;
  }

  /**
   * Caches a record only while both feeds respond. Otherwise, nothing could invalidate the record, so it is used once.
   */
  private keep(apiKey: string, record: KeyRecord, loaded: AccountEntry): KeyEntry {
    if (monotonicMs() > this.trustedUntilMs) return new KeyEntry(apiKey, loaded, record);
    // The oldest key is removed first, because it may belong to the same account.
    if (this.keys.size >= (this.options.keysMax ?? KEYS_MAX)) this.giveUpOldest();
    const known = this.currentAccount(loaded.id);
    if (known === undefined) {
      this.forget(loaded.id);
      this.accounts.set(loaded.id, loaded);
    }
    const entry = new KeyEntry(apiKey, known ?? loaded, record);
    entry.nextOfAccount = entry.account.firstKey;
    entry.account.firstKey = entry;
    this.keys.set(apiKey, entry);
    return entry;
  }

  private currentAccount(accountId: string): AccountEntry | undefined {
    const known = this.accounts.get(accountId);
    if (known === undefined || known.validUntilSecond === 0) return known;
    return this.isPast(known.validUntilSecond) ? undefined : known;
  }

  private forget(accountId: string): void {
    const account = this.accounts.get(accountId);
    if (account === undefined) return;
    this.accounts.delete(accountId);
    for (let key = account.firstKey; key !== undefined; key = key.nextOfAccount) {
      this.keys.delete(key.apiKey);
    }
    account.firstKey = undefined;
  }

  private giveUpOldest(): void {
    const [oldest] = this.keys.values();
    if (oldest) this.forget(oldest.account.id);
  }

  private isPast(second: number): boolean {
    return this.options.clock.now().getTime() >= second * SECOND_MS;
  }
}

/** Turns every failure of the owners into 503, so that the client can try again. */
function unavailable(error: unknown): Problem {
  const isSaid = error instanceof Problem && error.status === 503;
  return isSaid ? error : new ServiceUnavailable('account', error);
}
