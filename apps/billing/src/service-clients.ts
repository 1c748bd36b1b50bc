import { AccountClient, EntitlementClient, ServiceHttp } from '#libs/contracts';
import type { ServiceTokens } from '#libs/platform';
import type { BillingConfig } from './billing.config.js';

export class ServiceClients {
  readonly account: AccountClient;
  readonly entitlement: EntitlementClient;
  private readonly connections: ServiceHttp[];

  constructor(
    { accountUrl, entitlementUrl }: Pick<BillingConfig, 'accountUrl' | 'entitlementUrl'>,
    tokens: ServiceTokens,
  ) {
    const common = { caller: 'billing', tokens } as const;
    const account = new ServiceHttp({ ...common, url: accountUrl, audience: 'account' });
    const owned = new ServiceHttp({ ...common, url: entitlementUrl, audience: 'entitlement' });
    this.connections = [account, owned];
    this.account = new AccountClient(account);
    this.entitlement = new EntitlementClient(owned);
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
