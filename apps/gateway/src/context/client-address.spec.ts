import { BlockList } from 'node:net';
import { expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';
import type { ApiRequest } from './request-context.js';

const proxies = new BlockList();
proxies.addSubnet('10.0.0.0', 8);

it.each([
  ['203.0.113.5', '203.0.113.5'],
  ['203.0.113.5:54321', '203.0.113.5'],
  ['203.0.113.5:54321, 10.0.0.2:443', '203.0.113.5'],
  ['[2001:db8::5]:54321', '2001:db8::5'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['203.0.113.5, unknown', '10.0.0.1'],
])('S96: a proxy that forwards %s means the client %s, whatever the port', (forwarded, client) => {
  const request = {
    socket: { remoteAddress: '10.0.0.1' },
    rawHeaders: ['X-Forwarded-For', forwarded],
  } as unknown as ApiRequest;
  expect(clientAddress(request, proxies)).toBe(client);
});
