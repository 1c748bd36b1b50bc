import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { DnsClient } from './dns-client.js';
import type { DnsFault } from './dns-fault.js';

const PATIENT_MS = 60_000;

it('S102: accounts with many queries for silent names leave room for others, up to a share each', async () => {
  let queries = 0;
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  server.on('message', () => (queries += 1));
  await once(server, 'listening');
  const servers = [`127.0.0.1:${server.address().port}`];
  const client = new DnsClient({ servers, inFlightMax: 20, tryTimeoutMs: PATIENT_MS });
  try {
    const gone = new AbortController();
    const busy = { greedy: 0, other: 0 };
    const ask = async (asker: keyof typeof busy, place: number) => {
      const options = { timeoutMs: PATIENT_MS, signal: gone.signal, asker };
      await client.ask(`n${place}.example`, 'A', options).catch(({ kind }: DnsFault) => {
        if (kind === 'busy') busy[asker] += 1;
      });
    };
    const asked = (['greedy', 'other'] as const).flatMap((asker) =>
      Array.from({ length: 30 }, (_, place) => ask(asker, place)),
    );
    await waitFor('the queries', () => queries === 30);
    expect(busy).toEqual({ greedy: 10, other: 20 });
    gone.abort();
    await Promise.all(asked);
  } finally {
    client.close();
    server.close();
  }
});
