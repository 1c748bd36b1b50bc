import { BlockList } from 'node:net';
import { expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';
import type { ApiRequest } from './request-context.js';

const proxies = new BlockList();
proxies.addSubnet('10.0.0.0', 8);

const clientOf = (peer: string, forwarded: string) => {
  const socket = { remoteAddress: peer };
  const request = { socket, rawHeaders: ['X-Forwarded-For', forwarded] };
  return clientAddress(request as unknown as ApiRequest, proxies);
};

it.each([
  ['203.0.113.5', '203.0.113.5'],
  ['203.0.113.5:54321', '203.0.113.5'],
  ['203.0.113.5:54321, 10.0.0.2:443', '203.0.113.5'],
  ['[2001:db8::5]:54321', '2001:db8::5'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['203.0.113.5, unknown', '10.0.0.1'],
  ['198.51.100.7, 203.0.113.5', '203.0.113.5'],
])('S96: a proxy that forwards %s means the client %s, whatever the port', (forwarded, client) => {
  expect(clientOf('10.0.0.1', forwarded)).toBe(client);
});

it.each(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1'])(
  'S96: what %s forwards is ignored, because it is no proxy of ours',
  (peer) => {
    expect(clientOf(peer, '203.0.113.5')).toBe(peer.replace('::ffff:', ''));
    expect(clientOf(peer, '203.0.113.5, 10.0.0.2')).toBe(peer.replace('::ffff:', ''));
  },
);
