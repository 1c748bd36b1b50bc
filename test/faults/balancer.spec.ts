import { type IncomingMessage, type Server, createServer, get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { Balancer } from './balancer.js';

class Named {
  isReady = true;
  private readonly server: Server;

  constructor(readonly name: string) {
    this.server = createServer((request, response) => {
      const isRefused = request.url === '/health' && !this.isReady;
      response.writeHead(isRefused ? 503 : 200, { connection: 'close' }).end(this.name);
    });
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('balancer', () => {
  const servers = [new Named('first'), new Named('second')];
  let balancer: Balancer;

  beforeAll(async () => {
    const targets = await Promise.all(servers.map((server) => server.start()));
    // The time limit is long, because a stall of this process is not a fault of the servers.
    balancer = await Balancer.start(targets, 60_000);
  });
  afterAll(async () => {
    await balancer.stop();
    for (const server of servers) await server.stop();
  });

  const ask = async () => {
    const [answer] = await once(get(balancer.origin, { agent: false }), 'response');
    return text(answer as IncomingMessage);
  };

  it('uses the servers in turn', async () => {
    const names = [await ask(), await ask(), await ask(), await ask()];
    expect(names.toSorted()).toEqual(['first', 'first', 'second', 'second']);
  });

  it('sends nothing to an unready server until it is ready again', async () => {
    servers[0].isReady = false;
    await waitFor('one server to leave the rotation', () => balancer.healthy.length === 1);
    expect([await ask(), await ask(), await ask()]).toEqual(['second', 'second', 'second']);
    servers[0].isReady = true;
    await waitFor('all servers to be in the rotation', () => balancer.healthy.length === 2);
    expect([await ask(), await ask()].toSorted()).toEqual(['first', 'second']);
  });
});
