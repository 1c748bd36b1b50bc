import { Client } from 'undici';
import { connectTo } from '#libs/contracts';
import type { InternalTls, ServiceName } from '#libs/platform';
import type { GatewayConfig } from './gateway.config.js';

/** A probe waits for this answer. */
const TIMEOUT_MS = 1_000;

/** Checks by the names of the services that a gateway asks: each throws when that service does not answer. */
export function ownerChecks(
  config: Pick<GatewayConfig, 'accountUrl' | 'entitlementUrl' | 'lookupUrl' | 'billingInternalUrl'>,
  tls?: InternalTls,
): [name: string, check: () => Promise<void>][] {
  const { accountUrl, entitlementUrl, lookupUrl, billingInternalUrl } = config;
  const owners = { account: accountUrl, entitlement: entitlementUrl, lookup: lookupUrl };
  const all = {
    ...owners,
    ...(billingInternalUrl !== undefined && { billing: billingInternalUrl }),
  };
  return (Object.entries(all) as [ServiceName, string][]).map(([audience, url]) => {
    const connect = connectTo({ audience, url, tls, timeoutMs: TIMEOUT_MS });
    return [audience, () => reach(new Client(url, { connect }))];
  });
}

/** Any answer will do: its own faults belong to its own readiness. */
async function reach(client: Client): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { body } = await client.request({ method: 'GET', path: '/health', signal });
    await body.dump();
  } finally {
    await client.destroy();
  }
}
