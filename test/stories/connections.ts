import { ServiceHttp } from '#libs/contracts';
import { type Clock, type ServiceName, ServiceTokens } from '#libs/platform';

/** A time limit for a machine that is busy with other specs. */
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
