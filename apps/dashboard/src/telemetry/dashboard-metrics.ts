import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Metrics,
  type Problem,
  SECONDS_BUCKETS,
  SECOND_MS,
  type ServiceName,
  declareCounter,
  declareHistogram,
  toProblem,
} from '#libs/platform';

const REQUESTS = declareCounter(
  'dds_dashboard_requests_total',
  'Requests that the dashboard answered, by kind: page, form, call (by a script), transfer (an upload or a download), callback (from a payment processor), asset, probe, or unknown for an address that does not exist.',
  { labels: ['kind', 'status'] },
);
const DURATION = declareHistogram(
  'dds_dashboard_request_seconds',
  'Time from the headers of a request to the end of its answer.',
  { labels: ['kind'], buckets: SECONDS_BUCKETS },
);
const LOG_INS = declareCounter(
  'dds_dashboard_log_ins_total',
  'Sessions that began or got a new token (begun), and rejected passwords, codes, passkeys and providers, by the code of the rejection. Passwords that confirm a change are included.',
  { labels: ['outcome'] },
);
const OWNER_CALLS = declareCounter(
  'dds_dashboard_owner_calls_total',
  'Calls from the dashboard to other services: answered, refused, or failed (no answer in time, or an error of that service).',
  { labels: ['service', 'outcome'] },
);

const LOG_IN_REFUSALS: ReadonlySet<string> = new Set([
  'wrong_credentials',
  'wrong_code',
  'passkey_refused',
  'provider_refused',
  'too_many_attempts',
]);
/**
 * The codes that count as failures of a service. If a registry does not answer, the service that queried it has not
 * failed.
 */
const FAILURES: ReadonlySet<string> = new Set([
  'internal_error',
  'service_unavailable',
  'service_overloaded',
]);

interface CountedAnswer {
  refusal?: Problem;
  beginsSession?: string;
}

export class DashboardMetrics {
  constructor(private readonly metrics: Metrics) {}

  requestEnded(request: FastifyRequest, reply: FastifyReply): void {
    const kind = kindOf(request);
    this.metrics.counter(REQUESTS).inc({ kind, status: String(reply.statusCode) });
    this.metrics.histogram(DURATION).observe({ kind }, reply.elapsedTime / SECOND_MS);
  }

  /** Runs `work`, a call to a service, and counts its result. @throws the errors of `work`. */
  async callOf<T>(service: ServiceName, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work();
      this.countCall(service);
      return answer;
    } catch (error) {
      this.countCall(service, toProblem(error));
      throw error;
    }
  }

  /**
   * Does the same as `callOf` for a call whose answer contains a rejection instead of throwing it, and also counts
   * log-ins. @throws the errors of `work`.
   */
  async proxied<A extends CountedAnswer>(service: ServiceName, work: () => Promise<A>): Promise<A> {
    let refusal: Problem | undefined;
    try {
      const answer = await work();
      ({ refusal } = answer);
      if (answer.beginsSession !== undefined) this.countLogIn('begun');
      else if (refusal && LOG_IN_REFUSALS.has(refusal.code)) this.countLogIn(refusal.code);
      return answer;
    } catch (error) {
      refusal = toProblem(error);
      throw error;
    } finally {
      this.countCall(service, refusal);
    }
  }

  private countLogIn(outcome: string): void {
    this.metrics.counter(LOG_INS).inc({ outcome });
  }

  private countCall(service: ServiceName, problem?: Problem): void {
    const outcome = !problem ? 'answered' : FAILURES.has(problem.code) ? 'failed' : 'refused';
    this.metrics.counter(OWNER_CALLS).inc({ service, outcome });
  }
}

function kindOf({ method, routeOptions: { url, config } }: FastifyRequest): string {
  if (url === undefined) return 'unknown';
  if (config.isTransfer) return 'transfer';
  if (config.signed !== undefined) return 'callback';
  if (url.startsWith('/api/')) return 'call';
  if (url.startsWith('/assets/') || url === '/favicon.ico') return 'asset';
  if (url === '/health') return 'probe';
  return method === 'GET' || method === 'HEAD' ? 'page' : 'form';
}
