import { ServicePool } from '#libs/contracts';
import type { InternalTls, Readiness, ServiceName } from '#libs/platform';

/** The time limit. It is short, because a probe waits for the answer. */
const LIMIT_MS = 1_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Returns whether a service reports that it is ready, and what it lacks. A service that does not answer in time counts
 * as not ready.
 */
export async function readinessOf(
  audience: ServiceName,
  url: string,
  tls?: InternalTls,
): Promise<Readiness> {
  const maxResponseSize = ANSWER_BYTES_MAX;
  const pool = new ServicePool({ audience, url, tls, connections: 1, maxResponseSize });
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/ready', signal });
    const { faults } = (await body.json()) as { faults?: string[] };
    return { isReady: statusCode === 200, faults: faults ?? [] };
  } catch {
    return { isReady: false, faults: [] };
  } finally {
    await pool.destroy();
  }
}
