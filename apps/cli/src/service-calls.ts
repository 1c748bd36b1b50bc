import { BillingClient, ServiceHttp } from '#libs/contracts';
import { InternalTls, Logger, ServiceTokens, SystemClock } from '#libs/platform';
import type { CliConfig } from './cli.config.js';
import { required } from './required.js';

const TIMEOUT_MS = 60_000;
const URLS = {
  account: ['accountUrl', 'ACCOUNT_URL'],
  billing: ['billingUrl', 'BILLING_INTERNAL_URL'],
  corpus: ['corpusUrl', 'CORPUS_URL'],
  entitlement: ['entitlementUrl', 'ENTITLEMENT_URL'],
} as const;

/**
 * Reads data from billing if the settings contain its URL; otherwise, prints a note and returns an empty list. @throws
 * the errors of `withService`.
 */
export async function withBilling<T>(
  config: CliConfig,
  work: (billing: BillingClient) => Promise<T[]>,
): Promise<T[]> {
  if (config.billingUrl === undefined) {
    process.stderr.write('Billing is not called: BILLING_INTERNAL_URL is not set.\n');
    return [];
  }
  return withService(config, 'billing', (http) => work(new BillingClient(http)));
}

/**
 * Runs `work` with calls to one service, and closes the connections. @throws ConfigurationError if the service's URL or
 * the secret is not set; the errors of `work`.
 */
export async function withService<T>(
  config: CliConfig,
  audience: keyof typeof URLS,
  work: (http: ServiceHttp) => Promise<T>,
): Promise<T> {
  const [property, env] = URLS[audience];
  const url = required(config, property, env);
  const secret = required(config, 'serviceSecret', 'SERVICE_SECRET');
  const { internalTlsFolder: folder } = config;
  const tls = folder ? new InternalTls(folder, new Logger('cli')) : undefined;
  const tokens = new ServiceTokens(secret, new SystemClock(), tls);
  const http = new ServiceHttp({ url, caller: 'cli', audience, tokens, timeoutMs: TIMEOUT_MS });
  try {
    return await work(http);
  } finally {
    await http.close();
  }
}
