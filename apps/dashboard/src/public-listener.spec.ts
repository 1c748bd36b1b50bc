import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { DashboardUnderTest } from '../../../test/dashboard/dashboard-under-test.js';

const PEER_MAX = 5;
const IDLE = 20;
const MIB = 1024 * 1024;

describe('the dashboard’s listener', () => {
  let under: DashboardUnderTest;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    under = await DashboardUnderTest.start(undefined, {
      DASHBOARD_PEER_CONNECTIONS_MAX: String(PEER_MAX),
      DASHBOARD_TRUSTED_PROXIES: '127.0.0.4',
    });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await under?.stop();
  });

  async function open(localAddress: string): Promise<Socket> {
    const port = Number(new URL(under.url).port);
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  async function openMany(localAddress: string): Promise<Socket[]> {
    const opened: Socket[] = [];
    for (let n = 0; n < IDLE; n++) opened.push(await open(localAddress));
    return opened;
  }

  async function health(socket: Socket): Promise<string> {
    const answer = once(socket, 'data');
    socket.write('GET /health HTTP/1.1\r\nhost: dashboard.example\r\n\r\n');
    return String((await answer)[0]);
  }

  it('S126: idle connections of one address are closed for its newer ones, other addresses are served, and a trusted proxy has no limit', async () => {
    const flood = await openMany('127.0.0.2');
    const isClosed = ({ closed }: Socket) => closed;
    await waitFor('its part', () => flood.filter(isClosed).length === IDLE - PEER_MAX);
    expect(flood.slice(-PEER_MAX).some(isClosed)).toBe(false);
    expect(await health(await open('127.0.0.3'))).toContain('200 OK');
    const proxied = await openMany('127.0.0.4');
    for (const socket of proxied) expect(await health(socket)).toContain('200 OK');
    expect(proxied.some(isClosed)).toBe(false);
  });

  it('S104: headers without end are refused with 431 after a few kilobytes', async () => {
    const socket = await open('127.0.0.3');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write('GET / HTTP/1.1\r\nhost: dashboard.example\r\n');
    const line = `x-long: ${'a'.repeat(8_000)}\r\n`;
    const more = () => void (socket.writable && socket.write(line, more));
    more();
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(text).toContain('"code":"headers_too_large"');
    expect(socket.bytesWritten).toBeLessThan(8 * MIB);
  });
});
