import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { DnsClient } from './dns-client.js';

/** The system refuses to connect a socket to the broadcast address, as to a network without a route. */
const UNREACHABLE = '255.255.255.255:53';
const OPTIONS = { timeoutMs: 20_000 };
const CHANNELS = 4;

let resolver: Socket;
let reachable: string;

beforeEach(async () => {
  resolver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(resolver, 'listening');
  reachable = `127.0.0.1:${resolver.address().port}`;
  resolver.on('message', (packet, { port, address }) => {
    const answer = packet.subarray(0, packet.indexOf(0, 12) + 5);
    answer.writeUInt16BE(0x8180, 2);
    answer.writeUInt16BE(0, 10);
    resolver.send(answer, port, address);
  });
});
afterEach(() => {
  resolver.close();
});

async function results(client: DnsClient, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < count; i++) {
    const answer = client.ask('sample.example', 'A', OPTIONS);
    found.push(await answer.then(({ rcode }) => rcode).catch(({ message }: Error) => message));
  }
  client.close();
  return found;
}

it('another resolver answers if there is no route to the first', async () => {
  const client = new DnsClient({ servers: [UNREACHABLE, reachable] });
  expect(await results(client, 4)).toEqual(Array(4).fill('noerror'));
});

it('without a route, a query fails as unreachable', async () => {
  const client = new DnsClient({ servers: [UNREACHABLE] });
  expect(await results(client, 2)).toEqual(['unreachable', 'unreachable']);
});

it('the queries after a failure reach the resolver once there is a route', async () => {
  const connect = jest.spyOn(Socket.prototype, 'connect');
  for (let i = 0; i < CHANNELS; i++) {
    connect.mockImplementationOnce((...given: unknown[]) => {
      process.nextTick(given.at(-1) as (error: Error) => void, new Error('ENETUNREACH'));
    });
  }
  const client = new DnsClient({ servers: [reachable], tries: 1 });
  expect(await results(client, 2 * CHANNELS)).toEqual([
    ...Array<string>(CHANNELS).fill('unreachable'),
    ...Array<string>(CHANNELS).fill('noerror'),
  ]);
});
