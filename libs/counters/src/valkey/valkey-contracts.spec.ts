import { afterAll, beforeAll, describe } from '@jest/globals';
import { Logger, newId } from '#libs/platform';
import { VALKEY_URL } from '#libs/testing';
import { MemoryRepeats } from '../memory-repeats.js';
import { repeatsContract } from '../repeats.contract.js';
import { requestWindowContract } from '../request-window.contract.js';
import { ValkeyLink } from './valkey-link.js';
import { ValkeyRepeats } from './valkey-repeats.js';
import { ValkeyRequestWindow } from './valkey-request-window.js';

const url = process.env[VALKEY_URL];
const logger = new Logger('counters', { write: () => {} });
const timeoutMs = 10_000;

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

  beforeAll(() => link.start());
  afterAll(async () => {
    await window?.close();
    await link.close();
  });

  const create = (nowMs: () => number) => {
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
