import type { IncomingMessage } from 'node:http';
import type { Owned } from '#libs/contracts';
import { JsonServer } from './json-server.js';

/** A stand-in for entitlement that provides what billing needs: the credits and debts of accounts. */
export class EntitlementHoldings extends JsonServer {
  private readonly holdings = new Map<string, Partial<Owned>>();

  set(accountId: string, owned: Partial<Owned>): void {
    this.holdings.set(accountId, owned);
  }

  protected answer({ headers, url }: IncomingMessage): object {
    if (url !== '/internal/owned') return [];
    const owned = this.holdings.get(headers['x-account-id'] as string);
    return { packages: [], subscriptions: [], debt: '0', ...owned };
  }
}
