import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { GatewayUnderTest, live } from '../../../../test/gateway/gateway-under-test.js';
import { plainQuestion } from '../../../../test/gateway/raw-client.js';

describe('connections of one address', () => {
  let under: GatewayUnderTest;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    under = await GatewayUnderTest.start({ GATEWAY_PEER_CONNECTIONS_MAX: '5' });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await under?.stop();
  });

  async function open(localAddress: string, url = under.url): Promise<Socket> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  async function ask(socket: Socket, path: string): Promise<string> {
    const answer = Promise.race([once(socket, 'data'), once(socket, 'close')]);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    return String((await answer)[0]);
  }

  it('S126: plain connections and Node’s connections share one limit, and other addresses are served', async () => {
    const { apiKey } = under.around.account.addKey();
    const flood: Socket[] = [];
    for (let n = 0; n < 20; n++) {
      const socket = await open('127.0.0.2');
      flood.push(socket);
      if (n % 2 === 0) expect(await ask(socket, '/favicon.ico')).toContain('200 OK');
    }
    await waitFor('its part', () => flood.filter(({ closed }) => closed).length === 15);
    const other = await open('127.0.0.3');
    expect(await ask(other, live(apiKey))).toContain('200 OK');
    expect(await ask(other, live(apiKey))).toContain('200 OK');
  });

  it.each([
    ['our parser', ''],
    ['Node’s parser', 'TE: trailers\r\n'],
  ])(
    'S126: connections read by %s that wait for a delayed 429 make room for others of their address',
    async (_, line) => {
      const { account, entitlement, folder } = under.around;
      const { apiUrl } = await under.around.startGateway({
        GATEWAY_PEER_CONNECTIONS_MAX: '20',
        GATEWAY_REFUSAL_DELAY_MS: '3600000',
        GATEWAY_JOURNAL: `${folder}/waiting-${line.length}`,
      });
      const { apiKey, keyRecord } = account.addKey();
      entitlement.limits.set(keyRecord.accountId, 0);
      const question = plainQuestion(apiKey, 'a.example', line);
      for (let n = 0; n < 20; n++) {
        const socket = await open('127.0.0.2', apiUrl);
        // Further answers wait after the first ten, so every connection soon waits.
        socket.on('data', () => socket.write(question));
        socket.write(question);
      }
      const { apiKey: others } = account.addKey();
      const elsewhere = await open('127.0.0.3', apiUrl);
      for (let n = 0; n < 5; n++) {
        expect(await ask(elsewhere, live(others))).toContain('200 OK');
      }
      expect(await ask(await open('127.0.0.2', apiUrl), live(others))).toContain('200 OK');
    },
  );

  it('S126: of 2,000 idle connections from one address, at most its share stays open, and others are served', async () => {
    const { apiUrl } = await under.around.startGateway({
      GATEWAY_PEER_CONNECTIONS_MAX: '256',
      GATEWAY_JOURNAL: `${under.around.folder}/idle`,
    });
    const { apiKey } = under.around.account.addKey();
    const idle: Socket[] = [];
    while (idle.length < 2_000) {
      idle.push(
        ...(await Promise.all(Array.from({ length: 100 }, () => open('127.0.0.2', apiUrl)))),
      );
    }
    await waitFor('its share', () => idle.filter(({ closed }) => closed).length >= 2_000 - 256);
    expect(await ask(await open('127.0.0.3', apiUrl), live(apiKey))).toContain('200 OK');
  });
});
