import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { onePage } from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { expiryOf } from './key-expiry.js';

const NOW = new Date('2026-11-23T10:00:00.000Z');
const KEY = {
  id: '0197-a',
  name: 'Mine',
  masked: 'dds_live_…a1b2',
  state: 'active',
  scopes: ['whois'],
  daily_credit_cap: null,
  expires_at: '2027-01-31T23:59:59.000Z',
  last_used_at: null,
  rank: 1,
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the expiry of a key', () => {
  let under: DashboardUnderTest;
  beforeAll(async () => {
    under = await DashboardUnderTest.start();
  });
  afterAll(() => under.stop());
  beforeEach(() => {
    under.forget();
    under.answers.set('GET /internal/dashboard/keys', { keys: [KEY], paging: onePage(50, 1) });
    under.answers.set('GET /internal/dashboard/keys/0197-a', KEY);
  });

  const get = async (path: string) => {
    const { body } = await under.send('GET', path, { cookie: under.cookie });
    return body.toString().replaceAll(/\s+/g, ' ');
  };
  const sent = async (path: string, fields: string) => {
    under.arrived.length = 0;
    await under.send('POST', path, { ...under.ours, ...FORM }, fields);
    const call = under.arrived.find(({ line }) => /^(POST|PATCH)/.test(line))!;
    return JSON.parse(call.body.toString()) as { expires_at?: string | null };
  };

  it.each([
    ['no choice leaves it as it is', {}, {}],
    ['never is null', { expires_in: 'never' }, { expires_at: null }],
    [
      'a number of days counts from now, up to the last moment of the day, so that a form sent twice is the same request',
      { expires_in: '30' },
      { expires_at: '2026-12-23T23:59:59Z' },
    ],
    [
      'a day, up to its last moment, takes precedence over other choices',
      { expires_in: 'never', expires_on: '2027-01-31' },
      { expires_at: '2027-01-31T23:59:59Z' },
    ],
    [
      'text that is not a date is left to account to reject',
      { expires_on: 'soon' },
      { expires_at: 'soon' },
    ],
    ['any other number of days is rejected', { expires_in: '31' }, { expires_at: '31' }],
    ['a built-in name is rejected', { expires_in: '__proto__' }, { expires_at: '__proto__' }],
  ])('%s', (_, typed, expected) => {
    expect(expiryOf(typed, NOW)).toEqual(expected);
  });

  it('the expiry can be chosen when the key is created or reissued, or later; an edit without an expiry keeps the old one', async () => {
    const chosen = 'name=a&environment=live&expires_in=90&expires_on=';
    expect(Date.parse((await sent('/keys', chosen)).expires_at!)).toBeGreaterThan(Date.now());
    const day = 'name=a&expires_in=&expires_on=2030-05-01';
    expect(await sent('/keys/0197-a', day)).toMatchObject({ expires_at: '2030-05-01T23:59:59Z' });
    expect(await sent('/keys/0197-a', 'name=a&expires_in=&expires_on=')).not.toHaveProperty(
      'expires_at',
    );
    expect(await get('/keys/0197-a')).toContain('As it is: 2027-01-31 23:59 UTC');
    expect(await get('/keys')).toContain('name="expires_in"');
    const ended = { ...KEY, state: 'revoked', replaced_by: null };
    under.answers.set('GET /internal/dashboard/keys/0197-a', ended);
    expect(await get('/keys/0197-a/reissue')).toContain('name="expires_in"');
    expect(await sent('/keys/0197-a/reissue', 'expires_on=2030-05-01')).toEqual({
      expires_at: '2030-05-01T23:59:59Z',
    });
    expect(await sent('/keys/0197-a/reissue', '')).toEqual({ expires_at: null });
  });

  it('a rejected expiry is explained with the label on the page, and stays in the form', async () => {
    const errors = [{ field: 'expires_at', message: 'must be in the future' }];
    const refused = { code: 'invalid_request', status: 400, detail: '', errors };
    under.answers.delete('GET /internal/dashboard/keys');
    under.answer = {
      status: 400,
      type: 'application/json',
      body: Buffer.from(JSON.stringify(refused)),
    };
    const fields = 'name=a&environment=live&expires_in=30&expires_on=2020-01-01';
    const { body } = await under.send('POST', '/keys', { ...under.ours, ...FORM }, fields);
    expect(body.toString()).toContain('The expiry must be in the future.');
    expect(body.toString()).toContain('value="2020-01-01"');
  });
});
