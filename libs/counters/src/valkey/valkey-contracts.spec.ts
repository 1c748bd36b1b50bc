import { afterAll, beforeAll, describe } from '@jest/globals';
import { Logger, newId } from '#libs/platform';
import { VALKEY_URL, waitFor } from '#libs/testing';
import { MemoryRepeats } from '../memory-repeats.js';
import { repeatsContract } from '../repeats.contract.js';
import { requestWindowContract } from '../request-window.contract.js';
import { ValkeyLink } from './valkey-link.js';
import { ValkeyRepeats } from './valkey-repeats.js';
import { ValkeyRequestWindow } from './valkey-request-window.js';

const url = process.env[VALKEY_URL];
const logger = new Logger('counters', { write: () => {} });
/** A busy machine may be late, and then a request would be decided without the server. */
const timeoutMs = 60_000;

(url === undefined ? describe.skip : describe)('over a real server', () => {
  let time: () => number = () => 0;
  const gatewayId = newId();
  const link = new ValkeyLink({
    url: url ?? '',
    gatewayId,
    logger,
    timeoutMs,
    nowMs: () => time(),
  });
  let window: ValkeyRequestWindow | undefined;

  beforeAll(async () => {
    await link.start();
    await waitFor('the server to be reached', () => link.isUsable);
  });
  afterAll(async () => {
    await window?.close();
    await link.close();
  });

  const create = (nowMs: () => number) => {
    // The timer of the one before would look after its rows by this one's clock.
    void window?.close();
    time = nowMs;
    return (window = new ValkeyRequestWindow(link, nowMs));
  };
  requestWindowContract('ValkeyRequestWindow', create, 30);
  repeatsContract(
    'ValkeyRepeats',
    (nowMs) => new ValkeyRepeats(link, new MemoryRepeats({ nowMs }), gatewayId),
  );
});
