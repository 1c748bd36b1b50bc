import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';
import { RawClient, plainQuestion } from '../../../../test/gateway/raw-client.js';
import { RefusalDelays } from './refusal-delays.js';

describe('the delay of further 429 answers', () => {
  it('each sender gets ten answers at once in each second, and all further ones wait', () => {
    const delays = new RefusalDelays(200);
    const delaysOf = (sender: string, nowMs: number) =>
      Array.from({ length: 12 }, () => delays.delayOf(sender, nowMs));
    const first = [...Array<number>(10).fill(0), 200, 200];
    expect(delaysOf('one', 5_000)).toEqual(first);
    expect(delaysOf('one', 5_999)).toEqual(Array<number>(12).fill(200));
    expect(delaysOf('other', 5_999)).toEqual(first);
    expect(delaysOf('one', 6_000)).toEqual(first);
  });
});

describe('a key that ignores its 429 answers', () => {
  let under: GatewayUnderTest;
  const clients: RawClient[] = [];

  beforeAll(async () => {
    under = await GatewayUnderTest.start({ GATEWAY_REFUSAL_DELAY_MS: '3600000' });
  });
  afterAll(async () => {
    for (const { socket } of clients) socket.destroy();
    await under?.stop();
  });

  async function open(): Promise<RawClient> {
    const client = await RawClient.open(under.url);
    clients.push(client);
    return client;
  }

  it.each([
    ['our parser', ''],
    ['Node’s parser', 'TE: trailers\r\n'],
  ])(
    'S126: on connections read by %s, its answers wait while others are served',
    async (_, line) => {
      const { account, entitlement } = under.around;
      const { apiKey, keyRecord } = account.addKey();
      entitlement.limits.set(keyRecord.accountId, 0);
      const other = await open();
      const { apiKey: others } = account.addKey();
      const serveOther = async () => {
        const answered = other.statuses.length;
        other.send(plainQuestion(others, 'b.example', line));
        await waitFor('the answer to the other key', () => other.statuses.length > answered);
      };
      // Both keys are known from now on, so the answers that do not wait come in the order of the requests.
      const first = await open();
      first.send(plainQuestion(apiKey, 'a.example', line));
      await waitFor('its first 429', () => first.statuses.length > 0);
      await serveOther();
      const waiting = await waitFor('an answer that waits', async () => {
        const flood = await Promise.all(Array.from({ length: 20 }, open));
        for (const client of flood) client.send(plainQuestion(apiKey, 'a.example', line));
        await serveOther();
        return flood.find((client) => client.statuses.length === 0);
      });
      for (let count = 0; count < 3; count++) await serveOther();
      expect(waiting.text).toBe('');
      expect(new Set(other.statuses)).toEqual(new Set([200]));
    },
  );
});
