import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { MemoryRepeatWindow } from '../memory-repeat-window.js';
import { repeatWindowContract } from '../repeat-window.contract.js';
import { rateLimiterContract } from '../rate-limiter.contract.js';
import { ValkeyLink } from './valkey-link.js';
import { ValkeyRepeatWindow } from './valkey-repeat-window.js';
import { ValkeyRateLimiter } from './valkey-rate-limiter.js';

const logger = new Logger('counters', { write: () => {} });
/** A long time limit, because on a busy machine a request would otherwise be decided without the server. */
const timeoutMs = 60_000;

(valkeyAvailability() === undefined ? describe : describe.skip)('over a real server', () => {
  let time: () => number = () => 0;
  const gatewayId = newId();
  /** A separate server, because a shared one would also count gateways of other specs, which have their own clock. */
  let server: ValkeyServer;
  let folder: string;
  let link: ValkeyLink;
  let rateLimiter: ValkeyRateLimiter | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dds-valkey-'));
    server = await ValkeyServer.start({ folder });
    const nowMs = () => time();
    link = new ValkeyLink({ url: server.url, gatewayId, logger, timeoutMs, nowMs });
    await link.start();
    await waitFor('the server to be reached', () => link.isUsable);
  });
  afterAll(async () => {
    await rateLimiter?.close();
    await link?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const create = (nowMs: () => number) => {
    // Otherwise, the timer of the previous limiter would update its entries with this limiter's clock.
    void rateLimiter?.close();
    time = nowMs;
    return (rateLimiter = new ValkeyRateLimiter(link, nowMs));
  };
  rateLimiterContract('ValkeyRateLimiter', create, 30);
  repeatWindowContract(
    'ValkeyRepeatWindow',
    (nowMs) => new ValkeyRepeatWindow(link, new MemoryRepeatWindow({ nowMs }), gatewayId),
  );
});
