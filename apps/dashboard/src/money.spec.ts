import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { BalanceAnswer, PlanPreviewAnswer, SubscriptionAnswer } from '#libs/contracts';
import { DashboardUnderTest } from '../../../test/dashboard/dashboard-under-test.js';
import { TAX_RULE } from './credits/added-tax.js';

type Grant = BalanceAnswer['grants'][number];

const ORDER_ID = '019a5f00-0000-7000-8000-000000abc123';
const OWNED: SubscriptionAnswer = {
  id: '0197-s',
  line: 'api',
  state: 'active',
  sku: 'api-15K-month',
  quantity: 1,
  interval: 'month',
  amount_micros: '27000000',
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
const PREVIEW: PlanPreviewAnswer = {
  effect: 'now',
  due_micros: '48000000',
  tax_micros: '0',
  currency: 'USD',
  from: '2026-11-22T10:05:00.000Z',
  renewal_micros: '75000000',
  renews_at: OWNED.period_end,
  credits_now: 34_995,
  drops_change: { sku: 'api-5K-month', quantity: 1, at: OWNED.period_end },
};

const grant = (part: Partial<Grant>): Grant => ({
  id: '1',
  source_type: 'trial',
  granted: 500,
  available: 400,
  reserved: 0,
  consumed: 100,
  expired: 0,
  revoked: 0,
  expires_at: null,
  tier: null,
  order_id: null,
  sku: null,
  granted_at: '2026-11-20T10:00:00.000Z',
  ...part,
});
const balance = (grants: Grant[], part: Partial<BalanceAnswer> = {}): BalanceAnswer => {
  const spendable = grants.reduce((sum, { available }) => sum + available, 0);
  return { spendable, reserved: 0, recallable: 0, pending: 0, frozen: 0, debt: 0, grants, ...part };
};

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => {
  under.forget();
  under.answers.set('GET /internal/subscriptions/0197-s', OWNED);
  under.answers.set('GET /internal/subscriptions', { subscriptions: [OWNED] });
});

async function words(path: string): Promise<string> {
  const { status, body } = await under.send('GET', path, { cookie: under.cookie });
  expect([path, status]).toEqual([path, 200]);
  return body
    .toString()
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

describe('the preview of a change', () => {
  const CHANGE = '/subscriptions/0197-s/change?sku=api-50K-month';
  const preview = (part: Partial<PlanPreviewAnswer>) =>
    under.answers.set('POST /internal/subscriptions/0197-s/preview', { ...PREVIEW, ...part });

  it('a change that is paid for now is shown with amount, dates, credits, limits and losses', async () => {
    preview({});
    const plan = grant({ source_type: 'subscription', sku: OWNED.sku, available: 1_000 });
    under.answers.set('GET /internal/balance', balance([grant({}), plan]));
    const said = await words(CHANGE);
    for (const part of [
      '$48.00 due now',
      'It renews on 2026-12-22 (UTC)',
      'Price, from 2026-12-22 $27.00 a month $75.00 a month',
      'Credits a month 15,000 50,000',
      'Live requests a minute 40 80',
      'Keys 3 5',
      'You have 1,400 credits. The change adds 34,995 at once for the rest of the current month. You then have 36,395.',
      'The change to API plan 5K on 2026-12-22 is cancelled.',
    ]) {
      expect(said).toContain(part);
    }
    expect(said).not.toContain('paused');
    under.answers.set('GET /internal/balance', { ...balance([grant({})]), debt: 4_995 });
    expect(await words(CHANGE)).toContain(
      'The change adds 34,995 at once for the rest of the current month, which first repay the 4,995 that you owe after a refund. You then have 30,400.',
    );
  });

  it('each preview has its own idempotency key, even for the same plan in the same second, and a repeated form has the same key', async () => {
    preview({});
    under.answers.set('POST /internal/subscriptions/0197-s/change', {
      subscription: OWNED,
      redirect_url: null,
    });
    for (let time = 0; time < 2; time += 1) {
      const { body } = await under.send('GET', CHANGE, { cookie: under.cookie });
      const inputs = body.toString().matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
      const fields = new URLSearchParams();
      for (const [, name, value] of inputs) fields.set(name, value);
      const headers = { ...under.ours, 'content-type': 'application/x-www-form-urlencoded' };
      for (let sent = 0; sent < 2; sent += 1) {
        const path = '/subscriptions/0197-s/change';
        expect(await under.send('POST', path, headers, fields.toString())).toMatchObject({
          status: 303,
        });
      }
    }
    const changes = under.arrived.filter(({ line }) => line.endsWith('/change'));
    const keys = changes.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2]]);
    expect(new Set(keys)).toHaveProperty('size', 2);
  });

  it('a change of a Domainer plan names the files that the new plan lacks, even if it costs more', async () => {
    const owned = { ...OWNED, line: 'domainer', sku: 'domainer-dns-month' } as const;
    under.answers.set('GET /internal/subscriptions/0197-s', owned);
    preview({ drops_change: null });
    const said = await words('/subscriptions/0197-s/change?sku=domainer-whois-month');
    expect(said).toContain('Files of names, DNS names, WHOIS');
    expect(said).toContain('What you lose Files of DNS are no longer included.');
    under.answers.set('GET /internal/subscriptions/0197-s', OWNED);
    expect(await words(CHANGE)).not.toContain('Files of');
  });

  it('a change at the end of the period is shown with what is lost at that time', async () => {
    preview({
      effect: 'period_end',
      due_micros: '0',
      from: OWNED.period_end,
      renewal_micros: '10000000',
      credits_now: 0,
      drops_change: null,
    });
    const plan = grant({ source_type: 'subscription', sku: OWNED.sku, available: 9_000 });
    under.answers.set('GET /internal/balance', balance([plan]));
    const said = await words('/subscriptions/0197-s/change?sku=api-5K-month');
    for (const part of [
      'Nothing is charged now. The new plan begins on 2026-12-22 (UTC)',
      'You have 9,000 credits. The change adds none before 2026-12-22.',
      '$27.00 a month $10.00 a month',
      'The plan has 9,000 credits now. Credits that are left on 2026-12-22 expire when the new ones arrive.',
      'The plan allows 2 live keys: the oldest continue to work, and the others are paused, unless a package allows more.',
      'Monitors beyond the limit of the plan are paused, not deleted, unless a package allows more.',
    ]) {
      expect(said).toContain(part);
    }
  });
});

describe('credits', () => {
  const grants = [
    grant({ source_type: 'package', order_id: ORDER_ID, sku: 'package-15000', granted: 15_000 }),
    grant({ source_type: 'package', available: 0, granted: 7_000 }),
    grant({
      source_type: 'subscription',
      sku: OWNED.sku,
      expires_at: '2026-12-22T10:00:00.000Z',
      granted: 15_001,
    }),
    grant({ granted: 500 }),
  ];

  it('credits are shown with their source, in the order they are used', async () => {
    under.answers.set('GET /internal/balance', balance(grants));
    const said = await words('/subscriptions');
    const places = [
      'Trial, 2026-11-20',
      'API plan 15K, 2026-11-20',
      'Package, 2026-11-20 , order ABC123',
      '7,000',
    ].map((part) => said.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('credits that a paid plan or order has not granted yet are shown as pending', async () => {
    under.answers.set('GET /internal/balance', balance([grant({})]));
    expect(await words('/subscriptions')).toContain('its credits are on their way');
    const order = {
      id: ORDER_ID,
      state: 'paid',
      processor: 'stripe',
      amount_micros: '54000000',
      tax_micros: '0',
      currency: 'USD',
      redirect_url: null,
      declined_at: null,
      created_at: new Date().toISOString(),
      expires_at: '2026-11-22T11:00:00.000Z',
      lines: [
        {
          kind: 'package',
          sku: 'package-15000',
          quantity: 1,
          amount_micros: '54000000',
          tax_micros: '0',
          credits: '15000',
        },
      ],
    };
    under.answers.set(`GET /internal/orders/${ORDER_ID}`, order);
    expect(await words(`/credits/orders/${ORDER_ID}`)).toContain(
      '15,000 credits that never expire (on their way',
    );
    under.answers.set('GET /internal/balance', balance(grants));
    expect(await words(`/credits/orders/${ORDER_ID}`)).not.toContain('on their way');
    expect(await words('/subscriptions')).not.toContain('on their way');
  });

  it('S102: the overview calls each service once, since calls cost most of its CPU time', async () => {
    under.setBalance();
    await words('/');
    expect(under.arrived.map(({ line }) => line).toSorted()).toEqual([
      'GET /internal/dashboard/keys',
      'GET /internal/monitors',
      'GET /internal/overview',
      'GET /internal/subscriptions',
      'GET /internal/usage/overview',
    ]);
  });

  it.each([
    [null, null, 'Live keys 3 0 3'],
    [null, 'next', 'Live keys 3 – –'],
    [2, 'next', 'Live keys 3 2 1'],
  ])(
    'if the newest keys have the rank %s and the next page is %s, the overview says "%s"',
    async (rank, next_cursor, said) => {
      const keys = { keys: [{ rank }], paging: { next_cursor } };
      under.answers.set('GET /internal/dashboard/keys', keys);
      const allowance = { limits: {}, monitors: {}, keys: 3 };
      const overview = { balance: balance([grant({})]), allowance, changes: { days: [] } };
      under.answers.set('GET /internal/overview', overview);
      expect(await words('/')).toContain(said);
    },
  );

  it('credits frozen by a deletion are shown with the time of their return', async () => {
    const frozen = balance([grant({})], { frozen: 400 });
    under.answers.set('GET /internal/overview', { balance: frozen, changes: { days: [] } });
    expect(await words('/')).toContain('400 credits will come back within a minute');
  });
});

describe('prices before an order', () => {
  beforeEach(() => {
    under.answers.set('GET /internal/subscriptions', { subscriptions: [] });
    under.answers.set('GET /internal/orders', { orders: [] });
    under.answers.set('GET /internal/processors', { processors: [] });
    under.answers.set('GET /internal/balance', balance([]));
  });
  const tax = (ppm: number | null, isReverse = false) =>
    under.answers.set('GET /internal/tax', { tax_ppm: ppm, is_reverse_charge: isReverse });

  it('prices of packages, plans and the add-on include the tax that the billing details require', async () => {
    tax(190_000);
    const credits = await words('/credits');
    expect(credits).toContain('According to your billing details , 19 % tax is added.');
    expect(credits).toContain('15,000 credits for $64.26 ($54.00 and $10.26 tax), $0.0036 each');
    const plans = await words('/plans');
    expect(plans).toContain('API plan 15K $32.13 ($27.00 and $5.13 tax) a month');
    expect(plans).toMatch(/Rate-limit add-on \$[0-9.]+ \(\$[0-9.]+ and \$[0-9.]+ tax\) a month/);
  });

  it('prices say why there is no tax, or which details are missing to compute it', async () => {
    const said = async () => [await words('/credits'), await words('/plans')];
    tax(0, true);
    for (const page of await said()) expect(page).toContain('you owe it yourself (reverse charge)');
    tax(0);
    for (const page of await said()) expect(page).toContain('At present, no tax is added.');
    tax(null);
    for (const page of [...(await said()), await words('/prices')]) {
      expect(page).toContain(TAX_RULE);
    }
    for (const page of await said()) expect(page).toContain('fill in your billing details first');
  });
});

it('an order or a plan change waits for billing, which waits for a processor', async () => {
  const limits = jest.spyOn(AbortSignal, 'timeout');
  try {
    for (const path of ['/credits', '/subscriptions/0197-s/cancel', '/api/subscriptions/1/drop']) {
      limits.mockClear();
      await under.post(path);
      expect([path, limits.mock.calls]).toEqual([path, expect.arrayContaining([[25_000]])]);
    }
  } finally {
    limits.mockRestore();
  }
});
