import type { KeyEnvironment } from '../api-key.js';
import type { Scope } from '../operations/access.js';
import type { ChangeCursor, ChangePage } from './change-feed.js';
import type { ServiceHttp } from './service-http.js';
import type { BillingDetails } from '../operations/account/billing-details.js';

export type AccountState = 'active' | 'deleted' | 'erased';

/** The facts that the gateway needs about a key and its account. The account's state is checked before the key's. */
export interface KeyRecord {
  keyId: string;
  accountId: string;
  accountState: AccountState;
  /** RFC 3339; only for a deleted account. */
  restorableUntil?: string;
  isSuspended?: boolean;
  state: 'active' | 'revoked';
  environment: KeyEnvironment;
  scopes: Scope[];
  /** Addresses or CIDR blocks; an empty list allows every address. */
  allowedAddresses: string[];
  /** The credits that this key may spend in a UTC day. */
  dailyCreditCap?: number;
  /** Only with a cap: the chain of rotations to which the key belongs. The keys of a chain share one daily count. */
  capLine?: CapLine;
  /** RFC 3339. Also set on the old key of a rotation with overlap. */
  expiresAt?: string;
  /**
   * 1 for the oldest live key that counts towards the plan's number of keys; a key with a rank above the allowance is
   * paused. 0 for keys that do not count (test keys, keys in rotation overlap).
   */
  rank: number;
}

/**
 * The chain of rotations of a key with a cap: the key with its predecessors and successors. All of them share one
 * daily count.
 */
export interface CapLine {
  /** The id of the chain, which is the same for each of its keys. */
  id: string;
  /** The keys that may have been used since the UTC day began. */
  keyIds: string[];
}

/**
 * The recipient of an invoice. Member names are in camel case, because this type is internal; `details` keeps its
 * stored form.
 */
export interface BillingContact {
  firstName: string;
  email: string;
  details: BillingDetails | null;
}

export class AccountClient {
  constructor(private readonly http: ServiceHttp) {}

  /** Returns the key with this hash (`hashApiKey`), including revoked and expired keys; null if there is none. */
  async findKey(hash: string): Promise<KeyRecord | null> {
    const { key } = await this.http.call<{ key: KeyRecord | null }>(
      'GET',
      `/internal/keys/by-hash/${hash}`,
    );
    return key;
  }

  /** Records that keys were used; account writes at most once a minute per key (S15). */
  async noteKeysUsed(keyIds: string[]): Promise<void> {
    await this.http.call('POST', '/internal/keys/used', { body: { keyIds } });
  }

  /** Returns the person and address for an account's invoices. @throws Problem 404 for an erased account. */
  async billingContact(accountId: string): Promise<BillingContact> {
    return this.http.call('GET', '/internal/billing-contact', { accountId });
  }

  async changes(cursor?: ChangeCursor): Promise<ChangePage> {
    return this.http.call('POST', '/internal/changes', { body: cursor ? { cursor } : {} });
  }
}
