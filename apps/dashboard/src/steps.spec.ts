import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyAnswer, type SubscriptionAnswer, onePage } from '#libs/contracts';
import { DashboardUnderTest, textOf } from '../../../test/dashboard/dashboard-under-test.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const KEY = {
  id: '0197-a',
  name: 'Robot',
  masked: 'dds_live_…a1b2',
  environment: 'live',
  state: 'active',
  scopes: ['whois'],
  daily_credit_cap: null,
  last_used_at: null,
  expires_at: null,
  rank: 1,
} as unknown as KeyAnswer;

const PLAN: SubscriptionAnswer = {
  id: '0197-s',
  line: 'api',
  state: 'active',
  sku: 'api-5K-month',
  quantity: 1,
  interval: 'month',
  amount_micros: '10000000',
  tax_micros: '0',
  currency: 'USD',
  processor: 'stripe',
  period_start: '2026-11-22T10:00:00.000Z',
  period_end: '2026-12-22T10:00:00.000Z',
  paid_through: '2026-12-22T10:00:00.000Z',
  cancel_at: null,
  pending_change: null,
  unpaid_change: null,
  is_current: true,
};

const SESSION = {
  id: '0197-t',
  current: false,
  address: '192.0.2.7',
  user_agent: '',
  created_at: '2026-11-21T10:00:00.000Z',
  last_seen_at: '2026-11-22T10:00:00.000Z',
};

const IDENTITIES = {
  has_password: true,
  offered: ['google'],
  identities: [
    {
      id: '0197-i',
      provider: 'google',
      address: 'ada@example.com',
      created_at: '2026-11-21T10:00:00.000Z',
      last_used_at: '2026-11-22T10:00:00.000Z',
    },
  ],
};
const PASSKEY = {
  id: '0197-p',
  name: 'Chrome on Linux',
  created_at: '2026-11-21T10:00:00.000Z',
  last_used_at: null,
};
const SECOND_FACTOR = { on_since: null, recovery_codes: 0 };

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => {
  under.forget();
  under.setBalance();
});

function setKey(part: Partial<KeyAnswer> = {}): void {
  const key = { ...KEY, ...part };
  under.answers.set('GET /internal/dashboard/keys', { keys: [key], paging: onePage(1, 50) });
  under.answers.set('GET /internal/dashboard/keys/0197-a', key);
}

describe('an action that must be confirmed', () => {
  const steps = [
    ['/keys/0197-a/rotate', '24 hours', 'POST /internal/dashboard/keys/0197-a/rotate'],
    ['/keys/0197-a/revoke', 'never works again', 'DELETE /internal/dashboard/keys/0197-a'],
    [
      '/subscriptions/0197-s/cancel',
      'works until 2026-12-22 (UTC)',
      'POST /internal/subscriptions/0197-s/cancel',
    ],
    [
      '/security/sessions/0197-t/end',
      'logged out at once',
      'DELETE /internal/dashboard/sessions/0197-t',
    ],
    [
      '/security/identities/0197-i/remove',
      'can then no longer log in with',
      'DELETE /internal/dashboard/identities/0197-i',
    ],
    [
      '/security/passkeys/0197-p/remove',
      'can then no longer log in with',
      'DELETE /internal/dashboard/passkeys/0197-p',
    ],
    ['/security/sessions/end-others', 'logged out at once', 'DELETE /internal/dashboard/sessions'],
  ];
  beforeEach(() => {
    setKey();
    under.answers.set('GET /internal/subscriptions', { subscriptions: [PLAN] });
    under.answers.set('GET /internal/subscriptions/0197-s', PLAN);
    under.answers.set('GET /internal/dashboard/sessions', { sessions: [SESSION] });
    under.answers.set('GET /internal/dashboard/second-factor', SECOND_FACTOR);
    under.answers.set('GET /internal/dashboard/identities', IDENTITIES);
    under.answers.set('GET /internal/dashboard/passkeys', { passkeys: [PASSKEY] });
  });

  it.each(steps)(
    'an action such as %s names its consequences and asks for confirmation, and only its form performs the action',
    async (path, said, call) => {
      const list = textOf(await under.get(`/${path.split('/')[1]}`));
      expect(list).toContain(`href="${path}"`);
      expect(list).not.toContain(`action="${path}"`);
      const asked = textOf(await under.get(path));
      expect(asked).toContain(said);
      expect(asked).toContain(`<form method="post" action="${path}">`);
      expect(asked).toMatch(/<a class="button plain" href="\/[a-z]+"/);
      expect(under.changes()).toEqual([]);
      const { 'x-csrf-token': _, ...withoutToken } = under.ours;
      expect((await under.send('POST', path, { ...withoutToken, ...FORM }, '')).status).toBe(403);
      expect(under.changes()).toEqual([]);
      await under.post(path);
      expect(under.changes()).toEqual([call]);
    },
  );

  it('while a replaced key still works, it can be revoked but not rotated', async () => {
    const expires_at = '2026-11-23T10:00:00.000Z';
    const listed = async (state: KeyAnswer['state']) => {
      setKey({ state, expires_at });
      return textOf(await under.get('/keys'));
    };
    const replaced = await listed('replaced');
    expect(replaced).toMatch(/replaced; works until <time [^>]+>2026-11-23 10:00 UTC</);
    expect(replaced).toContain('href="/keys/0197-a/revoke"');
    expect(replaced).not.toContain('/keys/0197-a/rotate');
    const asked = await under.get('/keys/0197-a/revoke');
    expect([asked.status, textOf(asked).includes('/rotate')]).toEqual([200, false]);
    expect((await under.get('/keys/0197-a/rotate')).status).toBe(404);
    const revoked = await listed('revoked');
    expect(revoked).toContain('<span>revoked</span>');
    expect(revoked).not.toContain('/keys/0197-a/revoke');
    expect((await under.get('/keys/0197-a/revoke')).status).toBe(404);
  });

  it('a revoked key can be reissued once, and the new key is shown', async () => {
    const list = async (part: Partial<KeyAnswer>) => {
      setKey({ state: 'revoked', replaced_by: null, ...part });
      return textOf(await under.get('/keys'));
    };
    expect(await list({})).toContain('href="/keys/0197-a/reissue"');
    expect(textOf(await under.get('/keys/0197-a/reissue'))).toContain(
      '<form method="post" action="/keys/0197-a/reissue">',
    );
    under.answers.set('POST /internal/dashboard/keys/0197-a/reissue', {
      key: 'dds_live_x',
      rank: 1,
    });
    expect(textOf(await under.post('/keys/0197-a/reissue'))).toContain('<code>dds_live_x</code>');
    expect(await list({ replaced_by: '0197-b' })).not.toContain('/reissue');
    expect((await under.get('/keys/0197-a/reissue')).status).toBe(404);
  });

  it('the addresses that may use a key are entered one per line, shown with the key, and removed by an empty field', async () => {
    setKey({ allowed_addresses: ['192.0.2.1', '2001:db8::/32'] });
    expect(textOf(await under.get('/keys'))).toContain('only from 192.0.2.1, 2001:db8::/32');
    expect(textOf(await under.get('/keys/0197-a'))).toMatch(
      />\s*192\.0\.2\.1\s2001:db8::\/32<\/textarea/,
    );
    const sent = async (text: string) => {
      under.arrived.length = 0;
      await under.post('/keys/0197-a', `name=a&allowed_addresses=${encodeURIComponent(text)}`);
      const { body } = under.arrived.find(({ line }) => line.startsWith('PATCH'))!;
      return (JSON.parse(body.toString()) as KeyAnswer).allowed_addresses;
    };
    expect(await sent(' 192.0.2.1\r\n2001:db8::/32, 192.0.2.1')).toEqual([
      '192.0.2.1',
      '2001:db8::/32',
    ]);
    expect(await sent('')).toEqual([]);
  });

  it('the last use of a key is shown to the minute; without a use, the page says when one would appear', async () => {
    const shown = async (last_used_at: string | null) => {
      setKey({ last_used_at });
      return textOf(await under.get('/keys'));
    };
    expect(await shown('2026-11-22T10:07:31.000Z')).toMatch(
      /last used <time [^>]+>2026-11-22 10:07 UTC</,
    );
    expect(await shown(null)).toContain('never used (a use appears within two minutes)');
  });

  it('a cancellation shows when the credits of the plan expire', async () => {
    expect(textOf(await under.get('/subscriptions/0197-s/cancel'))).toContain(
      'Its unused credits expire on 2026-12-22 (UTC).',
    );
  });

  it('a reason for cancelling reaches billing as one line, and none is sent if nothing was typed', async () => {
    const sent = async (form: string) => {
      under.arrived.length = 0;
      await under.post('/subscriptions/0197-s/cancel', form);
      const { body } = under.arrived.find(({ line }) => line.startsWith('POST'))!;
      return JSON.parse(body.toString()) as object;
    };
    expect(await sent('reason=Too+dear,%0D%0Aand+slow')).toEqual({ reason: 'Too dear, and slow' });
    expect(await sent('reason=+%0A+')).toEqual({});
  });

  it('the overlap that the owner of a rotated key chose is sent to the account service', async () => {
    await under.post('/keys/0197-a/rotate', 'overlap=7d');
    const { body } = under.arrived.find(({ line }) => line.startsWith('POST'))!;
    expect(JSON.parse(body.toString())).toEqual({ overlap: '7d' });
  });
});

it('S35: payment details can be changed only shortly after the password was entered', async () => {
  const line = 'POST /internal/subscriptions/0197-s/payment-details';
  under.answers.set(line, { redirect_url: 'https://portal.example/1' });
  const ask = () => under.post('/subscriptions/0197-s/payment-details', '');
  const called = () => under.arrived.some((call) => call.line === line);
  under.session.isRecent = false;
  const refused = await ask();
  under.session.isRecent = true;
  expect([refused.status, textOf(refused), called()]).toEqual([
    403,
    expect.stringContaining('Your password, please'),
    false,
  ]);
  expect(textOf(await ask())).toContain('https://portal.example/1');
});

describe('a plan change', () => {
  const change = { sku: 'api-50K-month', quantity: 1, due_micros: '65000000' };
  const until = '2026-11-23T10:00:00.000Z';
  const unpaid = { ...change, is_declined: true, pay_url: 'https://pay.example/2', until };
  const changed = async (plan: Partial<SubscriptionAnswer>, redirect_url: string | null = null) => {
    const subscription = { ...PLAN, ...plan };
    under.answers.set('POST /internal/subscriptions/0197-s/change', { subscription, redirect_url });
    under.answers.set('GET /internal/subscriptions', { subscriptions: [subscription] });
    const answer = await under.post('/subscriptions/0197-s/change', 'sku=api-50K-month');
    const to = answer.headers.location;
    return { text: textOf(answer), to: typeof to === 'string' ? to : '' };
  };

  it.each([
    ['stripe', 'Your card was declined; $65.00 is due for the change to API plan 50K.'],
    ['paypal', 'PayPal declined the payment; $65.00 is due for the change to API plan 50K.'],
  ])(
    'a change whose payment %s declined shows the amount due, and can be paid or dropped',
    async (processor, words) => {
      const { to } = await changed({ processor, unpaid_change: unpaid }, 'https://pay.example/2');
      expect(to).toBe('/subscriptions?changed=0197-s');
      for (const path of [to, '/subscriptions']) {
        const shown = textOf(await under.get(path));
        expect(shown).toContain(words);
        expect(shown).toContain('Pay it by 2026-11-23 10:00 UTC, or drop the change.');
        expect(shown).toContain('API plan 5K stays as it is until then.');
        expect(shown).toContain('href="https://pay.example/2"');
        expect(shown).toContain('action="/subscriptions/0197-s/drop"');
      }
    },
  );

  it('a change that the customer has to act on links to the payment page, and is listed', async () => {
    const waiting = { ...unpaid, is_declined: false };
    const { text, to } = await changed({ unpaid_change: waiting }, 'https://pay.example/2');
    expect(to).toBe('');
    expect(text).toContain('href="https://pay.example/2"');
    const shown = textOf(await under.get('/subscriptions'));
    expect(shown).toContain('$65.00 is due for the change to API plan 50K.');
    expect(shown).not.toContain('declined');
  });

  it('a customer who returns from the payment page sees the change as pending', async () => {
    const waiting = { ...PLAN, unpaid_change: { ...unpaid, is_declined: false } };
    under.answers.set('GET /internal/subscriptions', { subscriptions: [waiting] });
    const back = '/billing/subscriptions?token=EC-1&PayerID=P';
    expect(textOf(await under.get(back))).toContain(
      'If you have just paid, the payment is on its way',
    );
    expect(textOf(await under.get('/subscriptions'))).not.toContain('on its way');
  });

  it('an unpaid change without a payment page can be requested again', async () => {
    await changed({ processor: 'paypal', unpaid_change: { ...unpaid, pay_url: null } });
    expect(textOf(await under.get('/subscriptions'))).toContain(
      'href="/subscriptions/0197-s/change?sku=api-50K-month&amp;quantity=1"',
    );
  });

  it.each([
    [{}, 'You have API plan 5K for $10.00 a month. It renews on 2026-12-22 (UTC).'],
    [{ cancel_at: PLAN.period_end }, 'API plan 5K is cancelled: it works until 2026-12-22 (UTC).'],
    [
      { pending_change: { sku: 'api-15K-month', quantity: 1, at: PLAN.period_end } },
      'API plan 5K stays until 2026-12-22 (UTC); then API plan 15K begins.',
    ],
  ])('a change is confirmed with a sentence about the new situation: %j', async (plan, words) => {
    const { to } = await changed(plan);
    expect(textOf(await under.get(to))).toContain(words);
    expect(textOf(await under.get('/subscriptions?changed=another'))).not.toContain(words);
  });
});

describe('a cancelled plan', () => {
  it('a cancelled plan cannot be changed until its cancellation is undone', async () => {
    const cancelled = { ...PLAN, cancel_at: PLAN.period_end };
    under.answers.set('GET /internal/subscriptions', { subscriptions: [cancelled] });
    under.answers.set('GET /internal/processors', { processors: [] });
    for (const path of ['/subscriptions', '/plans', '/plans?interval=year']) {
      const shown = textOf(await under.get(path));
      expect(shown).toContain('action="/subscriptions/0197-s/undo"');
      expect(shown).toContain('Undo the cancellation');
      expect(shown).not.toContain('Change plan');
      expect(shown).not.toContain('/subscriptions/0197-s/change');
    }
    under.answers.set('GET /internal/subscriptions', { subscriptions: [PLAN] });
    expect(textOf(await under.get('/plans'))).toContain('/subscriptions/0197-s/change');
  });
});
