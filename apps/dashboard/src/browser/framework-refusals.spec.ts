import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

const KEY = 'canary0123456789';
const HOST = 'Host: dashboard.example';

describe('rejections by the framework', () => {
  let under: DashboardUnderTest;

  beforeAll(async () => {
    under = await DashboardUnderTest.start();
  });
  afterAll(() => under?.stop());

  it.each([
    ['a malformed escape in a call', [`GET /api/%zz?apiKey=${KEY} HTTP/1.1`, HOST], 'problem'],
    ['a malformed escape in a page', [`GET /%zz?apiKey=${KEY} HTTP/1.1`, HOST], 'page'],
    ['an asterisk', ['GET * HTTP/1.1', HOST], 'problem'],
    ['an asterisk with OPTIONS', ['OPTIONS * HTTP/1.1', HOST], 'problem'],
    ['a rare method', [`PROPFIND /api/x?apiKey=${KEY} HTTP/1.1`, HOST], 'problem'],
    ['two hosts', [`GET /?apiKey=${KEY} HTTP/1.1`, HOST, 'Host: other'], 'problem'],
    ['no host', [`GET /?apiKey=${KEY} HTTP/1.1`], 'problem'],
    ['an empty host', [`GET /?apiKey=${KEY} HTTP/1.1`, 'Host:'], 'problem'],
    ['a request that the parser rejects', [`GET /?apiKey=${KEY} HTTP/1.1`, 'no colon'], 'problem'],
    ['an expectation', [`GET /?apiKey=${KEY} HTTP/1.1`, HOST, 'Expect: tea'], 'problem'],
    ['a tunnel', ['CONNECT localhost:80 HTTP/1.1', HOST], 'problem'],
  ])(
    'S127: the rejection of %s has the dashboard’s usual format, without URL or key',
    async (_, lines, form) => {
      const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
      const type = form === 'page' ? 'text\\/html' : 'application\\/problem\\+json';
      expect(text).toMatch(new RegExp(`content-type: ${type}`, 'i'));
      expect(text).toMatch(/cache-control: private, no-store/i);
      expect(text).toMatch(/content-security-policy: default-src 'none'/i);
      expect(text).not.toMatch(/FST_|fastify|HPE_/i);
      expect(text).not.toContain(KEY);
      if (form === 'problem') expect(text).toMatch(/"code":"[a-z_]+"/);
    },
  );
});
