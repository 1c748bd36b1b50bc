import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Valkey } from 'iovalkey';
import { Logger, newId } from '#libs/platform';
import { VALKEY_URL, ValkeyServer, makeOwnCertificate, waitFor } from '#test/environment';
import { CounterId } from '../counter-id.js';
import { type CountingMode, openCounters } from '../open-counters.js';

(process.env[VALKEY_URL] === undefined ? describe.skip : describe)('a server with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-valkey-tls-'));
  const tls = makeOwnCertificate(folder, 'server');
  let server: ValkeyServer;

  beforeAll(async () => {
    server = await ValkeyServer.start({ folder, password: 'a-password', tls });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Sends three requests to two gateways in turn, with a limit of two.
   * @returns where the gateways counted before the first request, which requests were allowed, and the log.
   */
  async function takenBy(options: { url: string; tlsCa?: string }, isTrusted = false) {
    const lines: string[] = [];
    const logger = new Logger('counters', { write: (line) => void lines.push(line) });
    const [first, second] = await Promise.all(
      [1, 2].map(() =>
        openCounters({ ...options, secret: 's', gatewayId: newId(), logger, timeoutMs: 60_000 }),
      ),
    );
    // On a busy machine, the first handshake may not finish in time; another attempt follows soon.
    const areOnServer = () => [first!, second!].every((counters) => counters.mode() === 'server');
    if (isTrusted) await waitFor('both to count on the server', areOnServer);
    const id = new CounterId(newId());
    const modes: CountingMode[] = [first!.mode(), second!.mode()];
    const taken: boolean[] = [];
    for (const { rateLimiter } of [first!, second!, first!]) {
      taken.push((await rateLimiter.take(id, 0, 2)).allowed);
    }
    await Promise.all([first!.close(), second!.close()]);
    return { modes, taken, log: lines.join('') };
  }

  it('gateways that trust the server’s authority share counts on it', async () => {
    const { modes, taken } = await takenBy({ url: server.url, tlsCa: tls.authority }, true);
    expect(modes).toEqual(['server', 'server']);
    expect(taken).toEqual([true, true, false]);
  });

  it('repeated connections to a server whose certificate is rejected do not crash a gateway', async () => {
    const tlsCa = makeOwnCertificate(folder, 'of-the-same-name').authority;
    const attempts = Array.from({ length: 10 }, () => takenBy({ url: server.url, tlsCa }));
    for (const { modes } of await Promise.all(attempts)) expect(modes).toEqual(['alone', 'alone']);
  });

  it.each<[string, () => { url: string; tlsCa?: string }]>([
    ['whose authority nobody here trusts', () => ({ url: server.url })],
    [
      'with the certificate of another authority',
      () => ({ url: server.url, tlsCa: makeOwnCertificate(folder, 'other').authority }),
    ],
    [
      'asked without TLS',
      () => ({ url: server.url.replace('rediss:', 'redis:'), tlsCa: tls.authority }),
    ],
  ])('gateways send nothing to a server %s, and count alone', async (_what, options) => {
    const { modes, log } = await takenBy(options());
    expect(modes).toEqual(['alone', 'alone']);
    expect(log).not.toContain('a-password');
  });

  it('S113: a gateway still counts on the server after the old password has been removed', async () => {
    const as = (password: string) => server.url.replace('a-password', password);
    let url = server.url;
    const logger = new Logger('counters', { write: () => undefined });
    const options = { tlsCa: tls.authority, secret: 's', logger, timeoutMs: 60_000 };
    const gateway = await openCounters({ ...options, url: () => url, gatewayId: newId() });
    const operator = new Valkey(server.url, { tls: { ca: tls.authority } });
    /** Returns the id of the gateway's connection; 0 if there is none. */
    const connection = async () => {
      const list = String(await operator.call('CLIENT', 'LIST'));
      return Number(/^id=(\d+) .* name=domain-data-gateways /m.exec(list)?.[1] ?? 0);
    };
    try {
      await waitFor('the gateway to count in it', () => gateway.mode() === 'server');
      const first = await connection();
      await operator.call('ACL', 'SETUSER', 'default', '>the-next-one');
      url = as('the-next-one');
      await operator.call('ACL', 'SETUSER', 'default', '<a-password');
      await operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      const isBack = async () => (await connection()) > first && gateway.mode() === 'server';
      await waitFor('the gateway to be back', isBack);
      expect((await gateway.rateLimiter.take(new CounterId(newId()), 0, 1)).allowed).toBe(true);
      const { modes } = await takenBy({ url: as('a-password'), tlsCa: tls.authority });
      expect(modes).toEqual(['alone', 'alone']);
    } finally {
      await operator.call('ACL', 'SETUSER', 'default', '>a-password').catch(() => undefined);
      operator.disconnect();
      await gateway.close();
    }
  });
});
