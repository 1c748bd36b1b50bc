import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { AddressLoad } from './address-load.js';

const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const servers: Server[] = [];
const sockets: Socket[] = [];
let port = 0;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
  port = 0;
});

async function listen(address: string): Promise<void> {
  const server = createServer((socket) => void socket.on('error', () => {}).resume());
  server.listen(port, address);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  servers.push(server);
}

/** Resolves any name to these addresses, always in the same order. */
const named = (addresses: string[]) =>
  new AddressLoad((_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    ),
  );

async function open(load: AddressLoad): Promise<Socket> {
  const socket = connect({ host: 'lookup', port, lookup: load.lookup });
  sockets.push(socket);
  await once(socket, 'connect');
  load.count(socket);
  return socket;
}

const spread = (load: AddressLoad) => ADDRESSES.map((address) => load.connectionsTo(address));

it('each new connection goes to the address with the fewest connections', async () => {
  for (const address of ADDRESSES) await listen(address);
  const addresses = ADDRESSES.slice(0, 2);
  const load = named(addresses);
  for (let connection = 0; connection < 8; connection += 1) await open(load);
  expect(spread(load)).toEqual([4, 4, 0]);
  addresses.push(ADDRESSES[2]);
  for (let connection = 0; connection < 4; connection += 1) await open(load);
  expect(spread(load)).toEqual([4, 4, 4]);
  for (const socket of sockets.splice(0, 12)) socket.destroy();
  await waitFor('all to be closed', () => spread(load).every((count) => count === 0));
});

it('simultaneous new connections are spread over the addresses', async () => {
  for (const address of ADDRESSES) await listen(address);
  const load = named(ADDRESSES);
  await Promise.all(Array.from({ length: 9 }, () => open(load)));
  expect(spread(load)).toEqual([3, 3, 3]);
});

it('if no server listens at the least loaded address, another address gets the connection', async () => {
  await listen(ADDRESSES[0]);
  const load = named(ADDRESSES);
  for (let connection = 0; connection < 6; connection += 1) await open(load);
  expect(spread(load)).toEqual([6, 0, 0]);
});
