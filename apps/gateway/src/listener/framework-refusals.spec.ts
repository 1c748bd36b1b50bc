import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';

const KEY = 'canary0123456789';
const HOST = 'Host: localhost';

describe('rejections by the framework', () => {
  let under: GatewayUnderTest;

  beforeAll(async () => {
    under = await GatewayUnderTest.start();
  });
  afterAll(() => under?.stop());

  it.each([
    ['a malformed escape', [`GET /%zz?apiKey=${KEY} HTTP/1.1`, HOST]],
    ['a parameter within an operation', [`GET /v2.0/whois/%c0?apiKey=${KEY} HTTP/1.1`, HOST]],
    ['a parameter in a public path', [`GET /errors/%e0%a4?apiKey=${KEY} HTTP/1.1`, HOST]],
    ['an asterisk', ['GET * HTTP/1.1', HOST]],
    ['an asterisk for options', ['OPTIONS * HTTP/1.1', HOST]],
    ['a rare method', [`PROPFIND /?apiKey=${KEY} HTTP/1.1`, HOST]],
    ['two hosts', [`GET /health?apiKey=${KEY} HTTP/1.1`, HOST, 'Host: other']],
    ['no host', [`GET /health?apiKey=${KEY} HTTP/1.1`]],
    ['an empty host', [`GET /health?apiKey=${KEY} HTTP/1.1`, 'Host:']],
    ['a request that the parser rejects', [`GET /health?apiKey=${KEY} HTTP/1.1`, 'no colon']],
    ['an expectation', [`GET /?apiKey=${KEY} HTTP/1.1`, HOST, 'Expect: tea']],
    ['a tunnel', ['CONNECT localhost:80 HTTP/1.1', HOST]],
  ])(
    'S127: the rejection of %s is a problem document that does not contain the key',
    async (_, lines) => {
      const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(text).toMatch(/content-type: application\/problem\+json/i);
      expect(text).toMatch(/cache-control: private, no-store/i);
      expect(text).toMatch(/x-content-type-options: nosniff/i);
      expect(text).not.toMatch(/FST_|fastify/i);
      expect(text).not.toContain(KEY);
      expect(JSON.parse(text.split('\r\n\r\n')[1])).toMatchObject({ credits_charged: 0 });
    },
  );
});
