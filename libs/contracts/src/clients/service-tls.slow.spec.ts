import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestOptions, get } from 'node:https';
import { type Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Controller, Get, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceHttp } from '#libs/contracts';
import {
  AllowCallers,
  InternalTls,
  Logger,
  type RunningService,
  type ServiceName,
  ServiceModule,
  ServiceTokens,
  SystemClock,
  freePorts,
  startService,
} from '#libs/platform';
import { OwnAuthority, waitFor } from '#test/environment';

@Controller('/internal')
class DemoController {
  @Get('/name')
  @AllowCallers('gateway')
  name(): object {
    return { name: 'account' };
  }
}

const SECRET = 'one-secret-of-the-whole-installation';
const clock = new SystemClock();
let log = '';
const logger = new Logger('test', { write: (line: string) => void (log += line) });

describe('calls between services over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-tls-'));
  const authority = new OwnAuthority(join(folder, 'authority'));
  const foreign = new OwnAuthority(join(folder, 'foreign'));
  const ofAccount = authority.issue('account');
  const ofGateway = authority.issue('gateway');
  let service: RunningService;
  let probePort: number;

  beforeAll(async () => {
    [probePort] = await freePorts(1);
    const config = { serviceSecret: SECRET, internalTlsFolder: ofAccount, probePort };
    @Module({
      imports: [ServiceModule.register({ name: 'account', clock, logger, secret: config })],
      controllers: [DemoController],
    })
    class DemoModule {}
    service = await startService({
      module: DemoModule,
      logger,
      port: 0,
      host: '127.0.0.1',
      config,
    });
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function answerTo(files: string | undefined, audience: ServiceName = 'account') {
    const tls = files === undefined ? undefined : new InternalTls(files, logger);
    const tokens = new ServiceTokens(SECRET, clock, tls);
    const { url } = service;
    const http = new ServiceHttp({ url, caller: 'gateway', audience, tokens, timeoutMs: 60_000 });
    try {
      return await http.call('GET', '/internal/name');
    } catch (error) {
      return causesOf(error);
    } finally {
      await http.close();
    }
  }

  /** Sends a request with Node's own client. @returns the status, or the reason for its absence. */
  const probe = (options: RequestOptions) =>
    new Promise<string>((resolve) => {
      get(`${service.url}/health`, { ...options, agent: false }, ({ statusCode }) =>
        resolve(String(statusCode)),
      ).on('error', ({ message }) => resolve(message));
    });

  it('S112: a caller with a certificate from the authority is answered', async () => {
    expect(service.url).toMatch(/^https:/);
    expect(await answerTo(ofGateway)).toEqual({ name: 'account' });
  });

  it('S112: a caller without a certificate is refused, whichever authority the caller trusts', async () => {
    expect(await answerTo(undefined)).toMatch(/self-signed|unable to (get|verify)/);
    const trusting = { ca: authority.text, servername: 'account' };
    expect(await probe(trusting)).toMatch(/certificate required/);
  });

  it('S112: a caller with another authority’s certificate is rejected, and rejects the service in turn', async () => {
    expect(await answerTo(foreign.issue('gateway'))).toMatch(/self-signed|unable to (get|verify)/);
    const files = foreign.issue('gateway');
    const [cert, key] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(files, name)));
    const posing = { ca: authority.text, servername: 'account', cert, key };
    expect(await probe(posing)).toMatch(/ECONNRESET|hang up/);
  });

  it('S112: an answer with another service’s certificate is rejected', async () => {
    expect(await answerTo(ofGateway, 'entitlement')).toMatch(/altnames.*entitlement/s);
  });

  it('S112: a plain connection is refused, and a process with a certificate opens none', async () => {
    const plain = service.url.replace('https:', 'http:');
    await expect(fetch(`${plain}/health`)).rejects.toThrow('fetch failed');
    const tokens = new ServiceTokens(SECRET, clock, new InternalTls(ofGateway, logger));
    const named = { url: plain, caller: 'gateway', audience: 'account', tokens } as const;
    expect(() => new ServiceHttp(named)).toThrow('account: its URL must begin with https://');
  });

  it('probes and metrics have a plain port, which serves nothing else', async () => {
    const statusOf = async (path: string) =>
      (await fetch(`http://127.0.0.1:${probePort}${path}`)).status;
    const paths = ['/health', '/ready', '/metrics', '/internal/name', '/health?x', '//health'];
    const statuses = await Promise.all(paths.map(statusOf));
    expect(statuses).toEqual([200, 200, 200, 404, 404, 404]);
  });

  it('S126: if a peer has too many connections, the one that was used last stays open', async () => {
    const files = ofGateway;
    const [cert, key] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(files, name)));
    const { hostname: host, port: number } = new URL(service.url);
    const place = { host, port: Number(number), localAddress: '127.0.0.2' };
    const used = connectTls({ ...place, ca: authority.text, servername: 'account', cert, key });
    await once(used, 'secureConnect');
    const others: Socket[] = [];
    const add = async () => {
      const socket = connect(place).on('error', () => {});
      others.push(socket);
      await once(socket, 'connect');
    };
    for (let i = 1; i < 2_048; i += 1) await add();
    const answer = once(used, 'data');
    used.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(String((await answer)[0])).toContain('200 OK');
    await add();
    await waitFor('one to make room', () => used.closed || others.some(({ closed }) => closed));
    expect(used.closed).toBe(false);
    for (const socket of [used, ...others]) socket.destroy();
  });

  it('metrics show when the certificate expires', async () => {
    const text = await (await fetch(`http://127.0.0.1:${probePort}/metrics`)).text();
    const [, seconds] =
      /^dds_internal_certificate_expires_at_seconds\{service="account"\} (\d+)$/m.exec(text) ?? [];
    const { validToDate } = new X509Certificate(readFileSync(join(ofAccount, 'tls.crt')));
    expect(Number(seconds) * 1_000).toBe(validToDate.getTime());
  });

  it('S113: unusable files change nothing, and renewed ones apply without a restart', async () => {
    const kept = authority.issue('account');
    writeFileSync(join(kept, 'tls.key'), 'no key');
    await waitFor('the fault to be logged', async () => {
      expect(await answerTo(ofGateway)).toEqual({ name: 'account' });
      return log.includes('INTERNAL_TLS_FOLDER was not read');
    });
    const next = new OwnAuthority(join(folder, 'next'));
    const renewed = next.issue('gateway');
    next.issue('account', ofAccount);
    await waitFor('the next authority to be accepted', async () => {
      const answer = await answerTo(renewed);
      return typeof answer === 'object';
    });
    expect(await answerTo(ofGateway)).not.toEqual({ name: 'account' });
    expect(log).toContain('the certificate between services has changed');
    expect(log).not.toContain('PRIVATE KEY');
  });

  it('a missing folder is reported as a fault at the start', () => {
    expect(() => new InternalTls(join(folder, 'nowhere'), logger)).toThrow(
      /^INTERNAL_TLS_FOLDER: .*ca\.crt/,
    );
  });
});

function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.message} ${causesOf(error.cause)}`;
}
