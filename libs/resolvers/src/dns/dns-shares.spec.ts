import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { DnsClient } from './dns-client.js';
import type { DnsFault } from './dns-fault.js';

const PATIENT_MS = 60_000;
const ACCOUNTS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

it('S102: accounts with many queries for silent names leave as many queries to others as they have, and at least one', async () => {
  let queries = 0;
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  server.on('message', () => (queries += 1));
  await once(server, 'listening');
  const servers = [`127.0.0.1:${server.address().port}`];
  const client = new DnsClient({ servers, inFlightMax: 20, tryTimeoutMs: PATIENT_MS });
  try {
    const gone = new AbortController();
    const busy: string[] = [];
    const ask = async (asker: string, place: number) => {
      const options = { timeoutMs: PATIENT_MS, signal: gone.signal, asker };
      await client.ask(`n${place}.example`, 'A', options).catch(({ kind }: DnsFault) => {
        if (kind === 'busy') busy.push(asker);
      });
    };
    const asked = ACCOUNTS.flatMap((asker) =>
      Array.from({ length: 30 }, (_, place) => ask(asker, place)),
    );
    await waitFor('all to be asked or rejected', () => queries + busy.length === asked.length);
    const served = (asker: string) => 30 - busy.filter((one) => one === asker).length;
    expect(ACCOUNTS.map(served)).toEqual([10, 5, 3, 1, 1, 1]);
    gone.abort();
    await Promise.all(asked);
  } finally {
    client.close();
    server.close();
  }
});
