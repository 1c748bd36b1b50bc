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
  /** A UUID; another one for each gateway, and for each thread of one. */
  gatewayId: string;
  /** The same on all gateways: what they tell each other about repeats is hashed with it. */
  secret: string;
  logger: Logger;
  /** Longest an answer of the server may take before a request is decided without it. */
  timeoutMs?: number;
}

export interface Counters {
  window: RequestWindow;
  repeats: Repeats;
  close(): Promise<void>;
}

/** Resolves when the server was reached once, or could not be: then each gateway counts by itself. */
export async function openCounters(options: OpenCounters): Promise<Counters> {
  const { url, gatewayId, logger, timeoutMs } = options;
  const seed = createHmac('sha256', options.secret).update('repeats').digest().readInt32LE();
  const local = new MemoryRepeats(undefined, undefined, undefined, seed);
  if (!url) return { window: new MemoryRequestWindow(), repeats: local, close: async () => {} };
  const link = new ValkeyLink({ url, gatewayId, logger, timeoutMs });
  const window = new ValkeyRequestWindow(link);
  const repeats = new ValkeyRepeats(link, local, gatewayId);
  await Promise.all([link.start(), repeats.start()]);
  const close = async () => {
    repeats.close();
    await window.close();
    await link.close();
  };
  return { window, repeats, close };
}
