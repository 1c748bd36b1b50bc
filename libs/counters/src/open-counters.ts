import { createHmac } from 'node:crypto';
import type { Logger } from '#libs/platform';
import { MemoryRepeatWindow } from './memory-repeat-window.js';
import { MemoryRateLimiter } from './memory-rate-limiter.js';
import type { RepeatWindow } from './repeat-window.js';
import type { RateLimiter } from './rate-limiter.js';
import { ValkeyLink } from './valkey/valkey-link.js';
import { ValkeyRepeatWindow } from './valkey/valkey-repeat-window.js';
import { ValkeyRateLimiter } from './valkey/valkey-rate-limiter.js';

export interface OpenCounters {
  /**
   * `redis://` or `rediss://` URL of the Valkey or Redis in which all gateways count; if unset, the gateway counts in
   * memory. A function is called for each new connection.
   */
  url?: string | (() => string);
  /**
   * PEM of the authority that signed a `rediss://` server's certificate; by default, the authorities that Node trusts.
   */
  tlsCa?: string;
  /** A UUID; every gateway has its own. */
  gatewayId: string;
  /** The secret that all gateways share; it seeds the hashes of the repeats that they announce to each other. */
  secret: string;
  logger: Logger;
  /** The longest wait for the server's answer before a request is decided without it; 50 ms by default. */
  timeoutMs?: number;
}

/**
 * Where requests are counted: in `memory` if no server is configured, on the `server`, or `alone` while the server is
 * unreachable and each gateway grants its share of a limit.
 */
export type CountingMode = 'memory' | 'server' | 'alone';

export interface Counters {
  rateLimiter: RateLimiter;
  repeatWindow: RepeatWindow;
  mode(): CountingMode;
  close(): Promise<void>;
}

/**
 * Opens the counters: in memory without a `url`, otherwise on the server. Resolves once the first connection has
 * succeeded or failed; after a failure, each gateway counts on its own until the server answers.
 */
export async function openCounters(options: OpenCounters): Promise<Counters> {
  const { url, tlsCa, gatewayId, logger, timeoutMs } = options;
  if (!url) return inMemory();
  const seed = createHmac('sha256', options.secret).update('repeats').digest().readInt32LE();
  const local = new MemoryRepeatWindow({ seed });
  const link = new ValkeyLink({ url, tlsCa, gatewayId, logger, timeoutMs });
  const rateLimiter = new ValkeyRateLimiter(link);
  const repeatWindow = new ValkeyRepeatWindow(link, local, gatewayId);
  await Promise.all([link.start(), repeatWindow.start()]);
  const close = async () => {
    repeatWindow.close();
    await rateLimiter.close();
    await link.close();
  };
  const mode = () => (link.isUsable ? 'server' : 'alone');
  return { rateLimiter, repeatWindow, mode, close };
}

function inMemory(): Counters {
  return {
    rateLimiter: new MemoryRateLimiter(),
    repeatWindow: new MemoryRepeatWindow(),
    mode: () => 'memory',
    close: async () => {},
  };
}
