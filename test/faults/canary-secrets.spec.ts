import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceTokens, SystemClock } from '#libs/platform';
import { TEST_PASSWORD, TestDatabase, waitFor } from '#test/environment';

const { PATH, NODE_COMPILE_CACHE } = process.env;
/** A port on which no process listens. */
const CLOSED = '127.0.0.1:1';
const canary = (of: string) => `canary-${of}-that-nobody-must-ever-read`;
const CANARY = /canary-\w+-[a-z-]+/;
const encoded = (text: string) => (as: BufferEncoding) => Buffer.from(text).toString(as);

const SERVICE_SECRET = canary('service');
const SECRETS: Record<string, string> = {
  SERVICE_SECRET,
  KEY_PEPPER: canary('pepper'),
  ADDRESS_PEPPER: canary('address'),
  PERSONAL_DATA_SECRET: canary('personal'),
  AUDIT_ANCHOR_SECRET: canary('anchor'),
  SMTP_URL: `smtp://mailer:${canary('smtp')}@${CLOSED}`,
  VALKEY_URL: `redis://:${canary('valkey')}@${CLOSED}`,
  KAFKA_SASL_PASSWORD: canary('kafka'),
};
const SERVICES = ['account', 'entitlement', 'lookup', 'gateway', 'dashboard'] as const;
type Service = (typeof SERVICES)[number];

class Running {
  static readonly all: Running[] = [];
  output = '';
  urls: Record<string, string> = {};
  readonly child: ChildProcess;

  constructor(service: Service, env: Record<string, string>) {
    const main = `dist/apps/${service}/src/main.js`;
    this.child = spawn(process.execPath, ['--enable-source-maps', main], {
      env: { PATH, NODE_COMPILE_CACHE, LOG_LEVEL: 'debug', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const heard = (chunk: Buffer) => void (this.output += chunk.toString());
    Running.all.push(this);
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', heard);
  }

  async up(): Promise<void> {
    const line = await waitFor(
      'it to be up',
      () => this.output.split('\n').find((text) => text.includes(' is up"') && text.endsWith('}')),
      120_000,
    );
    this.urls = JSON.parse(line) as Record<string, string>;
  }

  async ended(signal?: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    const end = child.exitCode === null ? once(child, 'close') : [child.exitCode];
    if (signal) child.kill(signal);
    const [code] = (await end) as [number | null];
    return code;
  }
}

describe('the secrets of failing services', () => {
  const folder = mkdtempSync(join(tmpdir(), 'canary-'));
  const running = new Map<Service, Running>();
  let database: TestDatabase;
  let answered = '';

  beforeAll(async () => {
    database = await TestDatabase.create();
    for (const service of SERVICES) {
      const started = new Running(service, inFiles(environmentOf(service)));
      running.set(service, started);
      await started.up();
    }
  });
  afterAll(async () => {
    for (const { child } of Running.all) child.kill('SIGKILL');
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  function environmentOf(service: Service): Record<string, string> {
    const url = (name: Service) => running.get(name)?.urls.url ?? `http://${CLOSED}`;
    const prefix = service.toUpperCase();
    return {
      ...SECRETS,
      [`${prefix}_PORT`]: '0',
      [`${prefix}_DATABASE_URL`]: database.url(service),
      [`${prefix}_MAINTENANCE_DATABASE_URL`]: database.url(`${service}_maintenance`),
      ENTITLEMENT_AUDITOR_DATABASE_URL: database.url('entitlement_auditor'),
      GATEWAY_AUDITOR_DATABASE_URL: database.url('gateway_auditor'),
      ...(service === 'account' && { KAFKA_BROKERS: CLOSED }),
      KAFKA_TLS: 'true',
      KAFKA_SASL_USERNAME: 'account',
      API_PORT: '0',
      DASHBOARD_PORT: '0',
      GATEWAY_INTERNAL_PORT: '0',
      DASHBOARD_INTERNAL_PORT: '0',
      DASHBOARD_DRAIN_NOTICE_MS: '0',
      GATEWAY_JOURNAL: join(folder, 'leases.journal'),
      GATEWAY_DRAIN_NOTICE_MS: '0',
      ACCOUNT_URL: url('account'),
      ENTITLEMENT_URL: url('entitlement'),
      LOOKUP_URL: url('lookup'),
      GATEWAY_URL: url('gateway'),
    };
  }

  function inFiles(settings: Record<string, string>): Record<string, string> {
    const isSecret = (name: string) => name in SECRETS || name.endsWith('DATABASE_URL');
    return Object.fromEntries(
      Object.entries(settings).map(([name, value]) => {
        if (!isSecret(name)) return [name, value];
        writeFileSync(join(folder, name), value);
        return [`${name}_FILE`, join(folder, name)];
      }),
    );
  }

  async function ask(url: string, request: RequestInit = {}): Promise<void> {
    const answer = await fetch(url, { redirect: 'manual', ...request });
    answered += `${JSON.stringify([...answer.headers])} ${await answer.text()}\n`;
  }

  async function provoke(): Promise<void> {
    const tokens = new ServiceTokens(SERVICE_SECRET, new SystemClock());
    for (const [service, { urls }] of running) {
      const authorization = `Bearer ${tokens.issue('gateway', service)}`;
      for (const path of ['health', 'ready', 'metrics', 'nowhere', '%ff', 'internal/changes']) {
        for (const headers of [{}, { authorization }, { authorization: `${authorization}x` }]) {
          await ask(`${urls.url}/${path}`, { headers });
        }
      }
      const headers = { authorization, 'content-type': 'application/json' };
      const posts = ['internal/dashboard/sign-up', 'internal/leases', 'internal/changes'];
      for (const path of posts) {
        const email = 'canary@example.com';
        const signUp = { first_name: 'Ada', email, password: 'seven green bicycles' };
        for (const body of ['{', '{"__proto__":1}', JSON.stringify(signUp)]) {
          await ask(`${urls.url}/${path}`, { method: 'POST', headers, body });
        }
      }
    }
    const { apiUrl } = running.get('gateway')!.urls;
    const { dashboardUrl } = running.get('dashboard')!.urls;
    await ask(`${apiUrl}/v2.0/whois/live?domainName=name.example&apiKey=dds_live_none`);
    for (const path of ['', 'api/account', 'api/log-in', 'nowhere']) {
      await ask(`${dashboardUrl}/${path}`);
    }
  }

  const leaks = (text: string) =>
    [...Object.values(SECRETS).map((value) => CANARY.exec(value)![0]), TEST_PASSWORD]
      .flatMap((secret) => [secret, ...(['hex', 'base64url'] as const).map(encoded(secret))])
      .filter((form) => text.includes(form));

  it('S113: secrets appear in no log line, metric or answer, even if mail server, broker and database are down', async () => {
    await provoke();
    const account = running.get('account')!;
    await waitFor('an e-mail to fail', () => account.output.includes('failed and is retried'));
    await database.drop();
    await provoke();
    for (const process of running.values()) await process.ended('SIGTERM');
    const outputs = [...running.values()].map(({ output }) => output);
    for (const output of outputs) expect(output).toMatch(/"answered".*drains/s);
    expect(answered).toContain('internal_error');
    expect(leaks([answered, ...outputs].join('\n'))).toEqual([]);
  });

  it('S113: secrets do not appear in the output of a service that cannot start', async () => {
    database = await TestDatabase.create();
    const wrong = canary('wrong');
    /**
     * Returns environments in which a service cannot start. Most faults are tried with only one service, because all
     * services read their settings and open their databases with the same code.
     */
    const faultsOf = (service: Service): Record<string, string>[] => {
      const settings = environmentOf(service);
      const name = `${service.toUpperCase()}_DATABASE_URL`;
      const short = { ...settings, SERVICE_SECRET: wrong.slice(0, 31) };
      switch (service) {
        case 'account':
          return [
            { ...short, KAFKA_BROKERS: wrong },
            { ...settings, [name]: settings[name].replace(TEST_PASSWORD, wrong) },
          ];
        case 'entitlement':
          return [{ ...settings, [name]: `${wrong} is no URL` }];
        case 'gateway':
          return [{ ...settings, ...inFiles(settings) }];
        default:
          return [short];
      }
    };
    const fail = async (service: Service): Promise<void> => {
      for (const environment of faultsOf(service)) {
        const process = new Running(service, environment);
        expect([service, await process.ended()]).toEqual([service, 1]);
        expect(process.output).toContain('cannot start');
        expect(process.output).not.toContain('canary-');
        expect(leaks(process.output)).toEqual([]);
      }
    };
    await Promise.all(SERVICES.map(fail));
  });
});
