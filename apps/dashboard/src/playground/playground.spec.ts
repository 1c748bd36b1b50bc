import { LANGUAGES } from '#libs/contracts';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { PLAYED } from './playground.js';

const ASK = 'POST /internal/questions';
const PAGE_BYTES_MAX = 40 * 1024;

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

const open = async (path: string) => {
  const { status, headers, body } = await under.send('GET', path, { cookie: under.cookie });
  return { status, policy: String(headers['content-security-policy']), text: body.toString() };
};
const calls = async (path: string) =>
  JSON.parse((await open(path)).text) as {
    call: { url: string; method: string; json?: string };
    said: string;
    is_valid: boolean;
  };

describe('the playground', () => {
  it('every operation of the API has a page with its form, an answer, and the call in each language', async () => {
    const list = await open('/playground');
    expect(PLAYED.length).toBeGreaterThan(50);
    for (const row of PLAYED) {
      expect(list.text).toContain(`href="/playground/${row.name}"`);
      const { status, text } = await open(`/playground/${row.name}`);
      expect([row.name, status]).toEqual([row.name, 200]);
      for (const language of LANGUAGES) expect(text).toContain(`data-call="${language}"`);
      const { call, is_valid, said } = await calls(`/playground/${row.name}/calls`);
      const price = expect.stringMatching(/cost|credit/);
      expect([row.name, is_valid, said]).toEqual([row.name, true, price]);
      // Operations that exist only in version 1 are meant for clients that migrate.
      const version = row.routes.some((route) => route.version === 2) ? 2 : 1;
      expect(call.url).toMatch(new RegExp(`^https://api\\.example/v${version}\\.0/[^{}]*$`));
      expect(gzipSync(text).length).toBeLessThan(PAGE_BYTES_MAX);
    }
    expect((await open('/playground/keys.create')).status).toBe(404);
  });

  it('S115: only pages of the playground let scripts call the API, and the rest of the policy is unchanged', async () => {
    const { policy } = await open('/playground/whois.live');
    const usual = (await open('/keys')).policy;
    expect(usual).toContain("connect-src 'self'");
    expect(usual).not.toContain('api.example');
    expect(policy).toBe(
      usual.replace("connect-src 'self'", "connect-src 'self' https://api.example"),
    );
    expect((await open('/playground')).policy).toBe(usual);
  });

  it('before a call is sent, its price or the faults that would make the API reject it are shown', async () => {
    const priced = async (query: string) => (await calls(`/playground/${query}`)).said;
    expect(await priced('whois.history/calls?domainName=example.com')).toBe(
      'It costs 5 credits, or nothing if there is no answer.',
    );
    expect(await priced('domain.reputation/calls?domainName=example.com&mode=full')).toContain(
      '3 credits',
    );
    const two = encodeURIComponent('{"domainNames":["a.example","b.example"]}');
    expect(await priced(`whois.bulk/calls?body=${two}`)).toContain('at most 2 credits');
    expect(await priced('whois.bulk/calls?body=%5B')).toContain('body must be');
    const job = `jobs.whois/calls?body=${two}`;
    expect(await priced(job)).toBe('1 credit per answered name, charged as the job runs.');
    expect(await priced(`${job}&dry_run=true`)).toBe('It costs nothing.');
    expect(await priced('monitors.create/calls')).toContain('With interval_minutes, 1 credit');
    expect(await priced('ip.whois/calls?ip=999')).toMatch(/^ip /);
  });

  it('a sample is answered as for a test key, and any other name shows the example', async () => {
    under.answers.set(ASK, {
      status: true,
      domain_name: 'redacted.test',
      provenance: { fields: { domain_name: 'registry_of_sample' } },
    });
    const sample = await open('/playground/whois.live?domainName=redacted.test');
    expect(sample.text).toMatch(/redacted\.test\s*<small>registry_of_sample<\/small>/);
    const asked = under.arrived.filter(({ line }) => line === ASK);
    expect(asked.map(({ body }) => JSON.parse(body.toString()) as object)).toEqual([
      { operation: 'whois.live', query: 'domainName=redacted.test', environment: 'test' },
    ]);
    under.forget();
    const other = await open('/playground/whois.live?domainName=example.com');
    expect(other.text).toContain('An example:');
    expect(under.arrived.filter(({ line }) => line === ASK)).toEqual([]);
  });
});
