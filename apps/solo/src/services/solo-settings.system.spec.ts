import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { checkSettings, isDemoWanted, unusedSettings } from './solo-settings.js';

/** The settings of a dashboard that is reachable only from this machine. */
const AT_HOME = { SERVICE_SECRET: 'x'.repeat(64) };
const PROGRAM = new URL('../main.js', import.meta.url).pathname;

it('all faults of solo, its services and the log are listed at once, and nothing is created', () => {
  const parent = mkdtempSync(join(tmpdir(), 'solo-'));
  const folder = join(parent, 'data');
  const faults = {
    API_PORT: 'eighty',
    DASHBOARD_PORT: '70000',
    INVOICE_SERIES: 'b2',
    LOG_LEVEL: 'loud',
  };
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder, GATEWAY_DRAIN_MS: '-1', ...faults };
  const options = { env, encoding: 'utf8', timeout: 150_000 } as const;
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM], options);
  expect(status).toBe(1);
  const named = stderr.split('\n').flatMap((line) => /^ {2}- (\w+): /.exec(line)?.[1] ?? []);
  expect(named.sort()).toEqual([...Object.keys(faults), 'GATEWAY_DRAIN_MS'].sort());
  expect(existsSync(folder)).toBe(false);
  rmSync(parent, { recursive: true });
});

it('S113: for an invalid mail server, the setting is named, but its password is not shown', () => {
  const check = () => checkSettings({ SMTP_URL: 'http://us:hush-now@example.com' });
  expect(check).toThrow(/^((?!hush-now).)*SMTP_URL((?!hush-now).)*$/s);
});

it('an environment without any setting is valid', () => {
  expect(() => checkSettings({})).not.toThrow();
});

it.each([
  ['the dashboard listens on all addresses', { DASHBOARD_HOST: '0.0.0.0' }],
  ['the dashboard listens on all addresses of IPv6', { DASHBOARD_HOST: '::' }],
  ['the dashboard has a public address', { BILLING_URL: 'https://my.example.org' }],
  [
    'the name of the dashboard only begins with “localhost”',
    { BILLING_URL: 'http://localhost.example.org' },
  ],
])(
  'S82: if %s, a mail server must be configured, because a page would show all e-mails',
  (_, settings) => {
    expect(() => checkSettings(settings)).toThrow(/SMTP_URL: must be set.*mailbox page/s);
    expect(() => checkSettings({ ...settings, SMTP_URL: 'smtp://mail.example:25' })).not.toThrow();
  },
);

it.each([
  { DASHBOARD_HOST: '127.0.0.2', BILLING_URL: 'http://127.0.0.2:8081' },
  { DASHBOARD_HOST: '::1', BILLING_URL: 'http://[::1]:8081' },
  { BILLING_URL: 'http://dashboard.localhost:8081' },
])('a dashboard that only this machine can reach needs no mail server: %p', (settings) => {
  expect(() => checkSettings(settings)).not.toThrow();
});

it.each([
  { BILLING_URL: 'https://my.example.org' },
  { DASHBOARD_HOST: '0.0.0.0' },
  { NODE_ENV: 'production' },
  { API_HOST: '0.0.0.0' },
  { BASE_URL: 'https://api.example.org' },
  { BASE_URL_FILE: '/run/settings/base_url' },
])('a production start creates no demo account, even if one is requested: %p', (settings) => {
  for (const wanted of ['full', 'empty', 'none', undefined] as const) {
    expect(isDemoWanted({ ...AT_HOME, ...settings }, wanted)).toBe(false);
  }
});

it('on a private machine there is a demo account unless it is switched off', () => {
  expect(
    [undefined, 'full', 'empty', 'none'].map((one) => isDemoWanted(AT_HOME, one as 'full')),
  ).toEqual([true, true, true, false]);
});

it('a setting without effect in one process is reported, unless it is blank', () => {
  expect(unusedSettings({ KAFKA_BROKERS: 'kafka:9092', GATEWAY_REUSE_PORT: 'true' })).toEqual([
    'KAFKA_BROKERS is not used by npm start: see npm run cluster',
    expect.stringMatching(/^GATEWAY_REUSE_PORT is not used by npm start: /),
  ]);
  expect(unusedSettings({ KAFKA_BROKERS: ' ', VALKEY_URL: 'redis://127.0.0.1' })).toEqual([]);
});

it('a setting can come from a file, but not also from a variable; files for generated values are ignored', () => {
  const folder = mkdtempSync(join(tmpdir(), 'solo-'));
  const file = join(folder, 'value');
  writeFileSync(file, 'https://api.example.org');
  const environment = { BASE_URL_FILE: file, SERVICE_SECRET_FILE: join(folder, 'none') };
  expect(() => checkSettings(environment)).not.toThrow();
  expect(() => checkSettings({ ...environment, BASE_URL: 'https://other.example.org' })).toThrow(
    /BASE_URL: is given twice/,
  );
  rmSync(folder, { recursive: true });
});
