import type { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { visitorAddress } from './visitor-address.js';

it.each([
  ['203.0.113.5', '203.0.113.5'],
  ['203.0.113.5:54321', '203.0.113.5'],
  ['2001:db8::5', '2001:db8::5'],
  ['[2001:db8::5]:54321', '2001:db8::5'],
  ['203.0.113.5:54321:1', '10.0.0.1'],
  ['unknown', '10.0.0.1'],
])('S96: if a proxy forwards %s, the visitor’s address is %s, whatever the port', (ip, visitor) => {
  const socket = { remoteAddress: '10.0.0.1' } as Socket;
  expect(visitorAddress({ ip, socket })).toBe(visitor);
});
