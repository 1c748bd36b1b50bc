import { request } from 'undici';
import type { GatewayConfig } from './gateway.config.js';

/** A probe waits for this answer. */
const TIMEOUT_MS = 1_000;

/** Checks by the names of the services that a gateway asks: each throws when that service does not answer. */
export function ownerChecks(
  config: Pick<GatewayConfig, 'accountUrl' | 'entitlementUrl' | 'lookupUrl' | 'billingInternalUrl'>,
): [name: string, check: () => Promise<void>][] {
  const { accountUrl, entitlementUrl, lookupUrl, billingInternalUrl } = config;
  const owners = { account: accountUrl, entitlement: entitlementUrl, lookup: lookupUrl };
  const all = {
    ...owners,
    ...(billingInternalUrl !== undefined && { billing: billingInternalUrl }),
  };
  return Object.entries(all).map(([name, url]) => [name, () => reach(url)]);
}

/** Any answer will do: what it lacks itself is for its own readiness to say. */
async function reach(url: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { body } = await request(new URL('/health', url), { signal });
  await body.dump();
}
