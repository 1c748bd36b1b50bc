import { createHmac } from 'node:crypto';
import type { Logger } from '#libs/platform';
import { MemoryRepeats } from './memory-repeats.js';
import { MemoryRequestWindow } from './memory-request-window.js';
import type { Repeats } from './repeats.js';
import type { RequestWindow } from './request-window.js';
import { ValkeyLink } from './valkey/valkey-link.js';
import { ValkeyRepeats } from './valkey/valkey-repeats.js';
import { ValkeyRequestWindow } from './valkey/valkey-request-window.js';

export interface OpenCounters {
  /** `redis://` or `rediss://` of the Valkey or Redis that all gateways count in; none: in memory. */
  url?: string;
  /** PEM of the authority of a `rediss://` server's certificate; none: those that Node trusts. */
  tlsCa?: string;
  /** A UUID; another one for each gateway. */
  gatewayId: string;
  /** The same on all gateways: what they tell each other about repeats is hashed with it. */
  secret: string;
  logger: Logger;
  /** Longest an answer of the server may take before a request is decided without it. */
  timeoutMs?: number;
}

/**
 * Where requests are counted: `memory` when no server is configured, `server` on it, `alone` while it is unreachable
 * and each gateway grants its part of a limit.
 */
export type CountingMode = 'memory' | 'server' | 'alone';

export interface Counters {
  window: RequestWindow;
  repeats: Repeats;
  mode(): CountingMode;
  close(): Promise<void>;
}

/** Resolves when the server was reached once, or could not be: then each gateway counts by itself. */
export async function openCounters(options: OpenCounters): Promise<Counters> {
  const { url, tlsCa, gatewayId, logger, timeoutMs } = options;
  if (!url) return inMemory();
  const seed = createHmac('sha256', options.secret).update('repeats').digest().readInt32LE();
  const local = new MemoryRepeats({ seed });
  const link = new ValkeyLink({ url, tlsCa, gatewayId, logger, timeoutMs });
  const window = new ValkeyRequestWindow(link);
  const repeats = new ValkeyRepeats(link, local, gatewayId);
  await Promise.all([link.start(), repeats.start()]);
  const close = async () => {
    repeats.close();
    await window.close();
    await link.close();
  };
  const mode = () => (link.isUsable ? 'server' : 'alone');
  return { window, repeats, mode, close };
}

function inMemory(): Counters {
  return {
    window: new MemoryRequestWindow(),
    repeats: new MemoryRepeats(),
    mode: () => 'memory',
    close: async () => {},
  };
}
