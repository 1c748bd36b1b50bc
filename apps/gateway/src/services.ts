import { AccountClient, EntitlementClient, ServiceHttp } from '#libs/contracts';
import type { ServiceTokens } from '#libs/platform';
import type { GatewayConfig } from './gateway.config.js';

export class Services {
  readonly account: AccountClient;
  readonly entitlement: EntitlementClient;
  private readonly connections: ServiceHttp[];

  constructor(
    {
      accountUrl,
      entitlementUrl,
      servicesTimeoutMs: timeoutMs,
    }: Pick<GatewayConfig, 'accountUrl' | 'entitlementUrl' | 'servicesTimeoutMs'>,
    tokens: ServiceTokens,
  ) {
    const common = { caller: 'gateway', tokens, timeoutMs } as const;
    const account = new ServiceHttp({ ...common, url: accountUrl, audience: 'account' });
    const entitlement = new ServiceHttp({
      ...common,
      url: entitlementUrl,
      audience: 'entitlement',
    });
    this.connections = [account, entitlement];
    this.account = new AccountClient(account);
    this.entitlement = new EntitlementClient(entitlement);
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
