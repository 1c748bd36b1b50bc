import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { mock } from 'node:test';
import { expect, it } from '@jest/globals';
import { AcceptQueues } from './accept-queues.js';

const FLOOD = 400;
/** Enough for the system to spread them over several queues. */
const CLIENTS = 32;

it('S126: a connection that follows another client’s flood is accepted in fewer than half as many turns of the event loop as the flood has connections', async () => {
  const server = createServer((_request, response) => void response.end('served'));
  const queues = new AcceptQueues({ host: '127.0.0.1', port: 0, backlog: FLOOD + 1 });
  server.listen(queues.options);
  await once(server, 'listening');
  await queues.open(server);
  const { port } = server.address() as AddressInfo;
  let [turns, taken] = [0, 0];
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const open = (localAddress: string) =>
    connect({ host: '127.0.0.1', port, localAddress }).on('error', () => {});
  const sockets: Socket[] = [];
  for (let n = 0; n < FLOOD; n++) sockets.push(open('127.0.0.2'));
  const other = open('127.0.0.3');
  const isTaken = new Promise<void>((resolve) => {
    server.on('connection', ({ remoteAddress }: Socket) => {
      taken += 1;
      if (remoteAddress === '127.0.0.3') resolve();
    });
  });
  setImmediate(count);
  await isTaken;
  isOver = true;
  expect(taken).toBeGreaterThan(1);
  expect(turns).toBeLessThan(FLOOD / 2);
  other.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  const [answer] = (await once(other, 'data')) as [Buffer];
  expect(String(answer)).toContain('served');
  for (const socket of [...sockets, other]) socket.destroy();
  const closed = once(server, 'close');
  server.close();
  await Promise.all([closed, queues.close()]);
});

it('S104: clients that have sent only half of a request do not keep a stopping server from ending', async () => {
  const server = createServer(() => {});
  const queues = new AcceptQueues({ host: '127.0.0.1', port: 0 });
  server.listen(queues.options);
  await once(server, 'listening');
  await queues.open(server);
  const { port } = server.address() as AddressInfo;
  let taken = 0;
  const areTaken = new Promise<void>((resolve) => {
    server.on('connection', (socket: Socket) => {
      socket.once('data', () => void (++taken === CLIENTS && resolve()));
    });
  });
  for (let n = 0; n < CLIENTS; n++) {
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .write('GET / HTTP/1.1\r\nhost: a\r\n');
  }
  await areTaken;
  mock.timers.enable({ apis: ['setTimeout'] });
  const closed = queues.close();
  server.close();
  mock.timers.tick(60_000);
  mock.timers.reset();
  await closed;
});
