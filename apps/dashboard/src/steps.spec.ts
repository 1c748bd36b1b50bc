import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type KeyAnswer,
  type OrderAnswer,
  type SubscriptionAnswer,
  onePage,
} from '#libs/contracts';
import { DashboardUnderTest } from '../../../test/dashboard/dashboard-under-test.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const BALANCE = 'GET /internal/balance';

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

const balance = (grants: object[] = []) => ({
  spendable: 5_000,
  reserved: 0,
  pending: 0,
  frozen: 0,
  debt: 0,
  grants,
});

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => forget());

function forget(): void {
  under.forget();
  under.answers.set(BALANCE, balance());
}

const get = (path: string) => under.send('GET', path, { cookie: under.cookie });
const post = (path: string, body = '') =>
  under.send('POST', path, { ...under.ours, ...FORM }, body);
const textOf = ({ body }: { body: Buffer }) => body.toString().replaceAll(/\s+/g, ' ');
const changes = () =>
  under.arrived.map(({ line }) => line).filter((line) => !line.startsWith('GET '));

describe('an irreversible step', () => {
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
    under.answers.set('GET /internal/dashboard/keys', { keys: [KEY], paging: onePage(1, 50) });
    under.answers.set('GET /internal/subscriptions', { subscriptions: [PLAN] });
    under.answers.set('GET /internal/subscriptions/0197-s', PLAN);
    under.answers.set('GET /internal/dashboard/sessions', { sessions: [SESSION] });
    under.answers.set('GET /internal/dashboard/second-factor', SECOND_FACTOR);
    under.answers.set('GET /internal/dashboard/identities', IDENTITIES);
    under.answers.set('GET /internal/dashboard/passkeys', { passkeys: [PASSKEY] });
  });

  it.each(steps)(
    '%s asks for confirmation with its consequences, and only its form performs it',
    async (path, said, call) => {
      const list = textOf(await get(`/${path.split('/')[1]}`));
      expect(list).toContain(`href="${path}"`);
      expect(list).not.toContain(`action="${path}"`);
      const asked = textOf(await get(path));
      expect(asked).toContain(said);
      expect(asked).toContain(`<form method="post" action="${path}">`);
      expect(asked).toMatch(/<a class="button plain" href="\/[a-z]+"/);
      expect(changes()).toEqual([]);
      const { 'x-csrf-token': _, ...withoutToken } = under.ours;
      expect((await under.send('POST', path, { ...withoutToken, ...FORM }, '')).status).toBe(403);
      expect(changes()).toEqual([]);
      await post(path);
      expect(changes()).toEqual([call]);
    },
  );

  it('a replaced key can be revoked while it still works, and nothing else', async () => {
    const expires_at = '2026-11-23T10:00:00.000Z';
    const listed = async (state: KeyAnswer['state']) => {
      const keys = [{ ...KEY, state, expires_at }];
      under.answers.set('GET /internal/dashboard/keys', { keys, paging: onePage(1, 50) });
      return textOf(await get('/keys'));
    };
    const replaced = await listed('replaced');
    expect(replaced).toMatch(/replaced; works until <time [^>]+>2026-11-23 10:00 UTC</);
    expect(replaced).toContain('href="/keys/0197-a/revoke"');
    expect(replaced).not.toContain('/keys/0197-a/rotate');
    const asked = await get('/keys/0197-a/revoke');
    expect([asked.status, textOf(asked).includes('/rotate')]).toEqual([200, false]);
    expect((await get('/keys/0197-a/rotate')).status).toBe(404);
    const revoked = await listed('revoked');
    expect(revoked).toContain('<span>revoked</span>');
    expect(revoked).not.toContain('/keys/0197-a/revoke');
    expect((await get('/keys/0197-a/revoke')).status).toBe(404);
  });

  it('an ended key is reissued once, as mail and page promise, and shows its successor once', async () => {
    const list = async (part: Partial<KeyAnswer>) => {
      const keys = [{ ...KEY, state: 'revoked', replaced_by: null, ...part }];
      under.answers.set('GET /internal/dashboard/keys', { keys, paging: onePage(1, 50) });
      return textOf(await get('/keys'));
    };
    expect(await list({})).toContain('href="/keys/0197-a/reissue"');
    expect(textOf(await get('/keys/0197-a/reissue'))).toContain(
      '<form method="post" action="/keys/0197-a/reissue">',
    );
    under.answers.set('POST /internal/dashboard/keys/0197-a/reissue', {
      key: 'dds_live_x',
      rank: 1,
    });
    expect(textOf(await post('/keys/0197-a/reissue'))).toContain('<code>dds_live_x</code>');
    expect(await list({ replaced_by: '0197-b' })).not.toContain('/reissue');
    expect((await get('/keys/0197-a/reissue')).status).toBe(404);
  });

  it('addresses that may use a key are typed one per line, shown with it, and cleared by an empty field', async () => {
    const keys = [{ ...KEY, allowed_addresses: ['192.0.2.1', '2001:db8::/32'] }];
    under.answers.set('GET /internal/dashboard/keys', { keys, paging: onePage(1, 50) });
    expect(textOf(await get('/keys'))).toContain('only from 192.0.2.1, 2001:db8::/32');
    expect(textOf(await get('/keys/0197-a'))).toMatch(
      />\s*192\.0\.2\.1\s2001:db8::\/32<\/textarea/,
    );
    const sent = async (text: string) => {
      under.arrived.length = 0;
      await post('/keys/0197-a', `name=a&allowed_addresses=${encodeURIComponent(text)}`);
      const { body } = under.arrived.find(({ line }) => line.startsWith('PATCH'))!;
      return (JSON.parse(body.toString()) as KeyAnswer).allowed_addresses;
    };
    expect(await sent(' 192.0.2.1\r\n2001:db8::/32, 192.0.2.1')).toEqual([
      '192.0.2.1',
      '2001:db8::/32',
    ]);
    expect(await sent('')).toEqual([]);
  });

  it('the last use of a key is shown to the minute, or when it would appear', async () => {
    const shown = async (last_used_at: string | null) => {
      const keys = [{ ...KEY, last_used_at }];
      under.answers.set('GET /internal/dashboard/keys', { keys, paging: onePage(1, 50) });
      return textOf(await get('/keys'));
    };
    expect(await shown('2026-11-22T10:07:31.000Z')).toMatch(
      /last used <time [^>]+>2026-11-22 10:07 UTC</,
    );
    expect(await shown(null)).toContain('never used (a use appears within two minutes)');
  });

  it('a cancellation shows when the credits of the plan end', async () => {
    expect(textOf(await get('/subscriptions/0197-s/cancel'))).toContain(
      'Its unused credits expire on 2026-12-22 (UTC).',
    );
  });

  it('a reason for cancelling reaches billing as one line, and none is sent if nothing was typed', async () => {
    const sent = async (form: string) => {
      under.arrived.length = 0;
      await post('/subscriptions/0197-s/cancel', form);
      const { body } = under.arrived.find(({ line }) => line.startsWith('POST'))!;
      return JSON.parse(body.toString()) as object;
    };
    expect(await sent('reason=Too+dear,%0D%0Aand+slow')).toEqual({ reason: 'Too dear, and slow' });
    expect(await sent('reason=+%0A+')).toEqual({});
  });

  it('a rotated key works for as long as its owner chose', async () => {
    await post('/keys/0197-a/rotate', 'overlap=7d');
    const { body } = under.arrived.find(({ line }) => line.startsWith('POST'))!;
    expect(JSON.parse(body.toString())).toEqual({ overlap: '7d' });
  });
});

describe('an order', () => {
  const order = (part: Partial<OrderAnswer>): OrderAnswer => ({
    id: '1',
    state: 'paid',
    processor: 'stripe',
    amount_micros: '10000000',
    tax_micros: '0',
    currency: 'USD',
    redirect_url: null,
    declined_at: null,
    created_at: '2026-11-22T10:00:00.000Z',
    expires_at: '2026-11-22T11:00:00.000Z',
    lines: [
      {
        kind: 'subscription',
        sku: 'api-5K-month',
        quantity: 1,
        amount_micros: '10000000',
        tax_micros: '0',
        credits: null,
      },
    ],
    ...part,
  });
  const granted_at = '2026-11-22T10:00:00.000Z';
  const grant = (part: object) => ({
    source_type: 'subscription',
    granted: 5_000,
    granted_at,
    order_id: null,
    sku: 'api-5K-month',
    ...part,
  });

  it.each([
    ['stripe', 'Stripe'],
    ['paypal', 'PayPal'],
  ])('that was paid by %s says what arrived and until when', async (processor, title) => {
    under.answers.set('GET /internal/orders/1', order({ processor }));
    const grants = [
      grant({ expires_at: '2027-01-22T10:00:00.000Z' }),
      grant({ expires_at: '2026-12-22T10:00:00.000Z' }),
      grant({ expires_at: '2026-11-20T10:00:00.000Z' }),
    ];
    under.answers.set(BALANCE, balance(grants));
    const shown = textOf(await get('/credits/orders/1'));
    expect(shown).toContain(
      'Your payment of $10.00 arrived: 5,000 credits, which expire when the next ones arrive, by 2026-12-22 (UTC).',
    );
    expect(shown).toContain(`<dd>${title}</dd>`);
    expect(shown).toContain('<dd>Every month, until you cancel</dd>');
  });

  it.each(['stripe', 'paypal'])(
    'that was cancelled at %s says that nothing was charged, and can still be paid',
    async (processor) => {
      const open = order({ processor, state: 'redirected', redirect_url: 'https://pay.example/1' });
      under.answers.set('POST /internal/orders/1/return', open);
      const cancelled = textOf(await get('/billing/return?order=1&cancelled=1'));
      expect(cancelled).toContain('You cancelled the payment. Nothing was charged.');
      expect(cancelled).toContain('Waiting for your payment.');
      expect(cancelled).toContain('href="https://pay.example/1"');
      under.answers.set('POST /internal/orders/1/return', order({ processor }));
      const paid = textOf(await get('/billing/return?order=1&cancelled=1'));
      expect(paid).toContain('Your payment of $10.00 arrived: 5,000 credits a month');
      expect(paid).not.toContain('Nothing was charged');
    },
  );

  it('a link to the subscriptions that claims a cancelled payment shows no message about money', async () => {
    under.answers.set('GET /internal/subscriptions', { subscriptions: [PLAN] });
    const shown = textOf(await get('/subscriptions?cancelled=1'));
    expect(shown).toContain('You came back without finishing the payment.');
    expect(shown).not.toContain('Nothing was charged');
  });

  it('whose payment PayPal refused says so, with what to do next, and can be dropped there', async () => {
    const refused = order({
      processor: 'paypal',
      state: 'redirected',
      redirect_url: 'https://pay.example/1',
      declined_at: '2026-11-22T10:05:00.000Z',
    });
    under.answers.set('POST /internal/orders/1/return', refused);
    const shown = textOf(await get('/billing/return?order=1'));
    expect(shown).toContain('PayPal refused the payment of $10.00. Nothing was charged.');
    expect(shown).not.toContain('Waiting for your payment');
    expect(shown).toContain('href="https://pay.example/1"');
    expect(shown).toContain('<form method="post" action="/credits/orders/1/drop">');
    under.answers.set('GET /internal/orders', { orders: [refused] });
    under.answers.set('GET /internal/processors', { processors: [] });
    expect(textOf(await get('/credits'))).toContain('Payment refused: pay in another way');
    under.answers.set('POST /internal/orders/1/drop', order({ state: 'cancelled' }));
    const dropped = textOf(await post('/credits/orders/1/drop', ''));
    expect(dropped).toContain('Cancelled. Nothing was charged.');
    expect(dropped).not.toContain('/drop');
    expect(dropped).toContain('<a href="/plans">See all plans</a>');
  });

  it('that waits is described in the list, never by the name of its state', async () => {
    under.answers.set('GET /internal/orders', { orders: [order({ state: 'redirected' })] });
    under.answers.set('GET /internal/processors', { processors: [] });
    const shown = textOf(await get('/credits'));
    expect(shown).toContain('Waiting for your payment');
    expect(shown).not.toContain('redirected');
  });
});

describe('a plan change', () => {
  const change = { sku: 'api-50K-month', quantity: 1, due_micros: '65000000' };
  const until = '2026-11-23T10:00:00.000Z';
  const unpaid = { ...change, is_declined: true, pay_url: 'https://pay.example/2', until };
  const changed = async (plan: Partial<SubscriptionAnswer>, redirect_url: string | null = null) => {
    const subscription = { ...PLAN, ...plan };
    under.answers.set('POST /internal/subscriptions/0197-s/change', { subscription, redirect_url });
    under.answers.set('GET /internal/subscriptions', { subscriptions: [subscription] });
    const answer = await post('/subscriptions/0197-s/change', 'sku=api-50K-month');
    const to = answer.headers.location;
    return { text: textOf(answer), to: typeof to === 'string' ? to : '' };
  };

  it.each([
    ['stripe', 'Your card was declined; $65.00 is open for the change to API plan 50K.'],
    ['paypal', 'PayPal refused the payment; $65.00 is open for the change to API plan 50K.'],
  ])('that %s refused shows what is open, to be paid or dropped', async (processor, words) => {
    const { to } = await changed({ processor, unpaid_change: unpaid }, 'https://pay.example/2');
    expect(to).toBe('/subscriptions?changed=0197-s');
    for (const path of [to, '/subscriptions']) {
      const shown = textOf(await get(path));
      expect(shown).toContain(words);
      expect(shown).toContain('Pay it by 2026-11-23 10:00 UTC, or drop the change.');
      expect(shown).toContain('API plan 5K stays as it is until then.');
      expect(shown).toContain('href="https://pay.example/2"');
      expect(shown).toContain('action="/subscriptions/0197-s/drop"');
    }
  });

  it('that only waits for its customer links to the payment page, and waits in the list', async () => {
    const waiting = { ...unpaid, is_declined: false };
    const { text, to } = await changed({ unpaid_change: waiting }, 'https://pay.example/2');
    expect(to).toBe('');
    expect(text).toContain('href="https://pay.example/2"');
    const shown = textOf(await get('/subscriptions'));
    expect(shown).toContain('$65.00 is open for the change to API plan 50K.');
    expect(shown).not.toContain('declined');
  });

  it('is shown as on its way to customers who come back from paying it', async () => {
    const waiting = { ...PLAN, unpaid_change: { ...unpaid, is_declined: false } };
    under.answers.set('GET /internal/subscriptions', { subscriptions: [waiting] });
    const back = '/billing/subscriptions?token=EC-1&PayerID=P';
    expect(textOf(await get(back))).toContain('If you have just paid, the payment is on its way');
    expect(textOf(await get('/subscriptions'))).not.toContain('on its way');
  });

  it('whose page needs an agreement first can be requested again', async () => {
    await changed({ processor: 'paypal', unpaid_change: { ...unpaid, pay_url: null } });
    expect(textOf(await get('/subscriptions'))).toContain(
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
  ])('ends in a sentence that says what is now true: %j', async (plan, words) => {
    const { to } = await changed(plan);
    expect(textOf(await get(to))).toContain(words);
    expect(textOf(await get('/subscriptions?changed=another'))).not.toContain(words);
  });
});

describe('a cancelled plan', () => {
  it('cannot be changed until its cancellation is undone', async () => {
    const cancelled = { ...PLAN, cancel_at: PLAN.period_end };
    under.answers.set('GET /internal/subscriptions', { subscriptions: [cancelled] });
    under.answers.set('GET /internal/processors', { processors: [] });
    for (const path of ['/subscriptions', '/plans', '/plans?interval=year']) {
      const shown = textOf(await get(path));
      expect(shown).toContain('action="/subscriptions/0197-s/undo"');
      expect(shown).toContain('Undo the cancellation');
      expect(shown).not.toContain('Change plan');
      expect(shown).not.toContain('/subscriptions/0197-s/change');
    }
    under.answers.set('GET /internal/subscriptions', { subscriptions: [PLAN] });
    expect(textOf(await get('/plans'))).toContain('/subscriptions/0197-s/change');
  });
});

describe('the overview', () => {
  it('counts all credits that end first, whatever their origin', async () => {
    const left = (available: number, expires_at: string | null) => ({
      source_type: 'trial',
      granted: 10_000,
      reserved: 0,
      available,
      expires_at,
      order_id: null,
      sku: null,
      granted_at: '2026-11-22T10:00:00.000Z',
    });
    const grants = [
      left(7_000, '2026-12-30T10:00:00.000Z'),
      left(10_000, '2026-12-22T23:00:00.000Z'),
      left(400, '2026-12-22T10:00:00.000Z'),
      left(900, null),
    ];
    under.answers.set(BALANCE, balance(grants));
    expect(textOf(await get('/'))).toContain('10,400 of them expire by 2026-12-22');
  });
});

describe('a mailed link that was used or has expired', () => {
  const refused = () => {
    const body = { code: 'link_invalid', status: 410, detail: 'This link was already used.' };
    under.answer = { ...under.answer, status: 410, body: Buffer.from(JSON.stringify(body)) };
  };
  const send = (path: string, cookie?: string) =>
    under.send('POST', path, { ...under.ours, ...FORM, ...(cookie && { cookie }) }, 'token=t');
  const stranger = `__Host-csrf=${'c'.repeat(43)}`;

  it.each([
    ['/sign-up/confirm', '/sign-up'],
    ['/password/reset', '/password/forgot'],
    ['/account/email/confirm', '/account/email'],
  ])('%s offers a new one', async (path, next) => {
    refused();
    const answer = await send(path, stranger);
    expect(answer.status).toBe(410);
    expect(textOf(answer)).toContain('This link was already used.');
    expect(textOf(answer)).toContain(`href="${next}"`);
  });

  it('reloading the page of the first keys leads to the overview', async () => {
    refused();
    const { status, headers } = await send('/sign-up/confirm');
    expect([status, headers.location]).toEqual([303, '/']);
  });
});

describe('after a log-in', () => {
  const BODY = 'email=ada%40example.com&password=a+sentence+is+fine';
  const landing = async (to: string) => {
    const answer = await post('/log-in', `${BODY}&to=${encodeURIComponent(to)}`);
    return answer.headers.location;
  };

  it('the requested page opens, even after a wrong password', async () => {
    const asked = '/requests?day=2026-11-20&operation=whois.live';
    const { headers } = await under.send('GET', asked);
    expect(headers.location).toBe(`/log-in?to=${encodeURIComponent(asked)}`);
    const page = textOf(await under.send('GET', String(headers.location)));
    const field = `name="to" value="${asked.replace('&', '&amp;')}"`;
    expect(page).toContain(field);
    under.answer = { ...under.answer, status: 401, body: Buffer.from('{"code":"wrong"}') };
    expect(textOf(await post('/log-in', `${BODY}&to=${encodeURIComponent(asked)}`))).toContain(
      field,
    );
    forget();
    expect(await landing(asked)).toBe(asked);
  });

  it('a key in an address is removed', async () => {
    const { headers } = await under.send('GET', '/keys?apiKey=dds_live_0123456789abcdefghij');
    expect(headers.location).not.toContain('0123456789');
  });

  it('only a path of our own is followed; an open redirect is rejected', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example/',
      '///evil.example/',
      '/\\evil.example/',
      '\\\\evil.example',
      '/\t/evil.example/',
      '/\n/evil.example',
      '/.//evil.example',
      '/x/..//evil.example/',
      'javascript:alert(1)',
      ' /keys',
      'keys',
      '/log-in?to=/log-in',
      `/${'x'.repeat(1_001)}`,
      '',
    ]) {
      expect([to, await landing(to)]).toEqual([to, '/']);
      const shown = textOf(await under.send('GET', `/log-in?to=${encodeURIComponent(to)}`));
      expect(shown).toContain('name="to" value="/"');
    }
  });
});

describe('an owner’s ways to log in', () => {
  it('a new password requires the old one, and the page confirms the change', async () => {
    expect(textOf(await get('/account/password'))).toContain('Every other browser is logged out');
    const form = 'current_password=the+old+one&password=the+new+one';
    const changed = textOf(await post('/account/password', form));
    const [{ line, body }] = under.arrived;
    expect([line, JSON.parse(body.toString())]).toEqual([
      'POST /internal/dashboard/password/change',
      { current_password: 'the old one', password: 'the new one' },
    ]);
    expect(changed).toContain('The new password is set');
    expect(textOf(await get('/account?changed=password'))).not.toContain('password is set');
  });

  it('S35: a new address requires the password, which is checked first', async () => {
    under.answer = { ...under.answer, status: 401, body: Buffer.from('{"code":"wrong"}') };
    const form = 'email=new%40example.com&password=mine';
    const refused = textOf(await post('/account/email', form));
    expect(refused).toContain('value="new@example.com"');
    const password = 'POST /internal/dashboard/session/reauthenticate';
    expect(changes()).toEqual([password]);
    forget();
    const sent = textOf(await post('/account/email', form));
    expect(sent).toContain('Until then everything stays as it is');
    expect(changes()).toEqual([password, 'POST /internal/dashboard/account/email']);
  });

  it('S37: a known address is offered the ways in that open its account, not the provider just used', async () => {
    const providers = ['google', 'github'];
    under.answers.set('GET /internal/dashboard/log-in/providers', { providers });
    const connects = { connects: 'ada@example.com', to: '/' };
    under.answers.set('POST /internal/dashboard/log-in/return', connects);
    const shown = textOf(await post('/log-in/github/return', 'query=%3Fcode%3D1'));
    expect(shown).toContain('action="/log-in/google"');
    expect(shown).not.toContain('action="/log-in/github"');
    expect(shown).toContain('If you log in with Google instead, connect GitHub afterwards');
  });

  it('S31: opening the link to a new address changes nothing; only its button confirms', async () => {
    const opened = textOf(await under.send('GET', '/account/email/confirm?token=abc'));
    expect(opened).toContain('<form method="post" action="/account/email/confirm">');
    expect(under.arrived).toEqual([]);
    const { 'x-csrf-token': token, ...ours } = under.ours;
    const form = `csrf=${token}&token=abc`;
    const { body } = await under.send('POST', '/account/email/confirm', { ...ours, ...FORM }, form);
    expect(body.toString()).toContain('Your address is changed');
    expect(changes()).toEqual(['POST /internal/dashboard/account/email/confirm']);
  });
});
