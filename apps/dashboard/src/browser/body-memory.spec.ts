import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

const MIB = 1024 * 1024;
const SIGNED = { 'stripe-signature': 't=1,v1=forged', 'content-type': 'application/json' };

describe('request bodies of unknown senders', () => {
  let under: DashboardUnderTest;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    under = await DashboardUnderTest.start(undefined, { DASHBOARD_TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterAll(() => under?.stop());
  beforeEach(() => under.forget());
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  function send(
    headers: Record<string, string>,
    sentBytes: number,
    { from = '192.0.2.1', announcedBytes = MIB } = {},
  ) {
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    sockets.push(socket);
    const answer = { text: '' };
    socket.on('data', (chunk: Buffer) => (answer.text += chunk.toString()));
    socket.on('error', () => {});
    const given: Record<string, string> = {
      host: 'dashboard.example',
      'x-forwarded-for': from,
      ...headers,
    };
    if (!('transfer-encoding' in given)) given['content-length'] = String(announcedBytes);
    const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
    socket.write(`${['POST /callbacks/stripe HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(sentBytes, 0x20));
    return { socket, answer };
  }

  it('S125: a callback without a signature header is rejected before its body is read', async () => {
    const unsigned: Record<string, string>[] = [{}, { 'stripe-signature': '' }, { 'x-a': 't=1' }];
    for (const headers of unsigned) {
      const { socket, answer } = send(headers, 0);
      await once(socket, 'close');
      expect(answer.text).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.text).toContain('"code":"callback_rejected"');
    }
    expect(under.arrived).toEqual([]);
  });

  it('S16: a report of published keys without a signature header is rejected before its body is read', async () => {
    const { status, text } = await under.send('POST', '/secret-scanning', {}, Buffer.from('[]'));
    expect([status, JSON.parse(text).code]).toEqual([401, 'report_rejected']);
    expect(under.arrived).toEqual([]);
  });

  it('S125: bodies with forged signatures take at most 2 MiB per network and 8 MiB in total, and genuine bodies are accepted', async () => {
    const isRefused = ({ answer }: ReturnType<typeof send>) => answer.text.includes(' 503 ');
    // Each body lacks its last byte, so the rest waits in memory.
    const first = Array.from({ length: 6 }, () => send(SIGNED, MIB - 1));
    await waitFor('one network to use up its share', () => first.filter(isRefused).length === 4);
    const others = [2, 3, 4, 5, 6, 7].flatMap((network) =>
      [1, 2].map(() => send(SIGNED, MIB - 1, { from: `192.0.2.${network}` })),
    );
    const areTooMany = () => [...first, ...others].filter(isRefused).length >= 10;
    await waitFor('the rest to be used up', areTooMany);
    expect(under.arrived).toEqual([]);
    expect(first.find(isRefused)!.answer.text).toContain('"code":"service_overloaded"');
    // Unfinished bodies of senders that use more memory are rejected to make room.
    const body = Buffer.alloc(4096, 0x20);
    const { status } = await under.send('POST', '/callbacks/stripe', SIGNED, body);
    expect(status).toBe(200);
    expect(under.arrived.at(-1)!.body.equals(body)).toBe(true);
  });

  it('S125: the networks of one IPv6 site share 2 MiB, so others have room', async () => {
    const isRefused = ({ answer }: ReturnType<typeof send>) => answer.text.includes(' 503 ');
    const ofSite = Array.from({ length: 10 }, (_, network) =>
      send(SIGNED, MIB - 1, { from: `2001:db8:1:${network}::1` }),
    );
    await waitFor('the site to use up its share', () => ofSite.filter(isRefused).length === 8);
    const { status } = await under.send('POST', '/callbacks/stripe', SIGNED, Buffer.from('{}'));
    expect(status).toBe(200);
  });

  it('S125: an unfinished body is rejected to make room for a smaller body from the same address', async () => {
    const from = '127.0.0.1';
    const isRefused = ({ answer }: ReturnType<typeof send>) => answer.text.includes(' 503 ');
    const unfinished = Array.from({ length: 4 }, () => send(SIGNED, MIB - 1, { from }));
    await waitFor('the share to be used up', () => unfinished.filter(isRefused).length === 2);
    const body = Buffer.alloc(64 * 1024, 0x20);
    expect((await under.send('POST', '/callbacks/stripe', SIGNED, body)).status).toBe(200);
    await waitFor('one to make room', () => unfinished.filter(isRefused).length === 3);
  });

  it('a short chunk counts as the memory that it takes', async () => {
    const { socket, answer } = send({ ...SIGNED, 'transfer-encoding': 'chunked' }, 0);
    socket.write('1\r\na\r\n'.repeat(2_200));
    await once(socket, 'close');
    expect(answer.text).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('S125: a body that is rejected for its length uses no memory after the answer', async () => {
    const from = '127.0.0.1';
    for (let n = 0; n < 40; n++) {
      const { socket, answer } = send(SIGNED, MIB, { from, announcedBytes: MIB + 1 });
      await once(socket, 'close');
      expect(answer.text).toMatch(/^(HTTP\/1\.1 413 |$)/);
    }
    const body = Buffer.alloc(MIB, 0x20);
    expect((await under.send('POST', '/callbacks/stripe', SIGNED, body)).status).toBe(200);
  });

  it('S125: a body’s memory is released after the answer', async () => {
    const body = Buffer.alloc(MIB, 0x20);
    for (let n = 0; n < 12; n++) {
      const { status } = await under.send('POST', '/callbacks/stripe', SIGNED, body);
      expect(status).toBe(200);
    }
  });
});
