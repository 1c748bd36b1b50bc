import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DashboardUnderTest, OWN_ORIGIN } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());

it('S104: a JSON body that arrives too slowly at the dashboard gets 408, and its socket is closed', async () => {
  const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const { origin, cookie, 'x-csrf-token': token } = under.ours;
  socket.write(
    `POST /api/keys HTTP/1.1\r\nhost: ${new URL(OWN_ORIGIN).host}\r\norigin: ${origin}\r\n` +
      `sec-fetch-site: same-origin\r\nx-csrf-token: ${token}\r\ncookie: ${cookie}\r\n` +
      'content-type: application/json\r\ncontent-length: 2000\r\n\r\n{"name":"',
  );
  const drip = setInterval(() => socket.writable && socket.write('a'), 200);
  await once(socket, 'close');
  clearInterval(drip);
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
}, 60_000);
