import { type OverridableLimit, ServiceHttp } from '#libs/contracts';
import { type Clock, DAY_MS, type ServiceName, ServiceTokens } from '#libs/platform';
import type { Deployment } from './deployment.js';

const CALL_TIMEOUT_MS = 60_000;

/** Returns connections to a service, by default those of operators' commands. The caller must close them. */
export function connectTo(
  audience: ServiceName,
  { url, secret, clock }: { url: string; secret: string; clock: Clock },
  caller: ServiceName = 'cli',
): ServiceHttp {
  const tokens = new ServiceTokens(secret, clock);
  return new ServiceHttp({ url, caller, audience, tokens, timeoutMs: CALL_TIMEOUT_MS });
}

/** Sends a request about an account to entitlement as an operator's command does. */
export async function operate(
  { entitlementUrl: url, serviceSecret: secret, clock }: Deployment,
  { accountId }: { accountId: string },
  path: string,
  body: object,
): Promise<void> {
  const http = connectTo('entitlement', { url, secret, clock });
  await http.call('POST', `/internal/operator/${path}`, { accountId, body });
  await http.close();
}

/** Sets a limit of an account until long after the story. */
export async function override(
  deployment: Deployment,
  account: { accountId: string },
  limit: { name: OverridableLimit; value: number },
): Promise<void> {
  const until = new Date(deployment.clock.now().getTime() + 400 * DAY_MS).toISOString();
  await operate(deployment, account, 'overrides', { ...limit, reason: 'a story', until });
}
