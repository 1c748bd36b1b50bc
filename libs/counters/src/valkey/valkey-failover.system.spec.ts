import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Valkey } from 'iovalkey';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { TcpProxy } from '../../../../test/faults/tcp-proxy.js';
import { ValkeyLink } from './valkey-link.js';

const here = valkeyAvailability() === undefined ? describe : describe.skip;
const logger = new Logger('counters', { write: () => {} });
const folder = mkdtempSync(join(tmpdir(), 'dds-failover-'));
const portOf = ({ url }: ValkeyServer) => Number(new URL(url).port);

here('a failover of Valkey', () => {
  let servers: ValkeyServer[];
  let clients: Valkey[];

  beforeAll(async () => {
    servers = [];
    for (const name of ['first', 'second'])
      servers.push(await ValkeyServer.start({ folder: join(folder, name) }));
    clients = servers.map(({ url }) => new Valkey(url));
  });
  afterAll(async () => {
    for (const client of clients ?? []) client.disconnect();
    for (const server of servers ?? []) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a gateway leaves a former primary that has become a standby and keeps its connections', async () => {
    let [primary] = servers;
    const proxy = await TcpProxy.start({
      route: () => ({ host: '127.0.0.1', port: portOf(primary) }),
    });
    const url = proxy.through(primary.url);
    const link = new ValkeyLink({ url, gatewayId: newId(), logger, timeoutMs: 10_000 });
    const gatewaysOf = (client: Valkey) => client.zcard('counters:gateways');
    try {
      await link.start();
      await waitFor('the gateway', async () => (await gatewaysOf(clients[0])) === 1);
      [, primary] = servers;
      await clients[0].replicaof('127.0.0.1', portOf(primary));
      await waitFor('the new primary', async () => (await gatewaysOf(clients[1])) === 1);
      await waitFor('the link', () => link.isUsable);
    } finally {
      await link.close();
      await proxy.stop();
    }
  });
});
