import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { TcpProxy } from '../../../../../test/faults/tcp-proxy.js';
import { ServicePool } from './service-connect.js';

class Instance {
  asked = 0;
  connections = 0;
  readonly held: ServerResponse[] = [];
  private readonly server: Server = createServer(
    { keepAliveTimeout: 72_000 },
    (request, answer) => {
      this.asked += 1;
      if (request.url === '/held') this.held.push(answer);
      else answer.end('{}');
    },
  ).on('connection', () => (this.connections += 1));

  async start(): Promise<{ host: string; port: number }> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

const instances = [new Instance(), new Instance(), new Instance()];
let balancer: TcpProxy | undefined;
let pool: ServicePool | undefined;

afterEach(async () => {
  await pool?.destroy();
  await balancer?.stop();
  for (const instance of instances) await instance.stop();
});

it('connections expire between calls, so each of three instances behind a connection balancer gets at least a quarter', async () => {
  const targets: { host: string; port: number }[] = [];
  for (const instance of instances) targets.push(await instance.start());
  let known = 1;
  let placed = 0;
  balancer = await TcpProxy.start({ route: () => targets[placed++ % known] });
  const { port } = balancer.address;
  const connections = 12;
  pool = new ServicePool({
    audience: 'entitlement',
    url: `http://127.0.0.1:${port}`,
    connections,
    ageMaxMs: 500,
  });
  const ask = async (path: string) => {
    const { statusCode, body } = await pool!.request({ method: 'GET', path });
    return `${statusCode} ${await body.text()}`;
  };
  const slow = ask('/held');
  await waitFor('the slow call', () => instances[0].held.length === 1);
  let isOver = false;
  const answers = new Set<string>();
  /** Makes more calls than there are connections, so that no connection is ever idle. */
  const askers = Array.from({ length: 2 * connections }, async () => {
    while (!isOver) answers.add(await ask('/'));
  });
  await waitFor('all to be open', () => instances[0].connections === connections);
  known = 3;
  // Connections to the first instance that were opened before the other instances were added have ended, except for the
  // connection in use.
  await waitFor('new connections', () => placed >= 3 * connections);
  const before = instances.map(({ asked }) => asked);
  // The number of calls that one connection serves is random; the sum over many connections is not.
  await waitFor('a quarter of the calls at each', () => {
    const since = instances.map(({ asked }, place) => asked - before[place]);
    const all = since.reduce((total, count) => total + count, 0);
    return placed >= 6 * connections && Math.min(...since) >= all / 4;
  });
  isOver = true;
  await Promise.all(askers);
  instances[0].held[0].end('late');
  expect(await slow).toBe('200 late');
  expect([...answers]).toEqual(['200 {}']);
});
