import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderAnswer } from '#libs/contracts';
import { TestClock } from '#test/environment';
import { DashboardUnderTest, textOf } from '../../../../test/dashboard/dashboard-under-test.js';

const clock = new TestClock();
let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start(undefined, {}, clock);
});
afterAll(() => under?.stop());
beforeEach(() => {
  clock.set('2026-11-22T10:10:00.000Z');
  under.forget();
  under.setBalance();
});

it('a search for a package keeps the processor, and another processor keeps the package', async () => {
  const processors = ['stripe', 'paypal'].map((name) => ({
    name,
    title: name,
    pays_with: '',
    differences: [],
  }));
  under.answers.set('GET /internal/processors', { processors });
  const { text } = await under.get('/credits?processor=paypal&amount=20000');
  const [, search] = /<form method="get" action="\/credits"([\s\S]*?)<\/form>/.exec(text)!;
  expect(search).toContain('name="processor" value="paypal"');
  expect(text).toContain('href="/credits?processor=stripe&amp;amount=20000"');
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
  ])(
    'an order paid by %s shows what was granted and until when it is valid',
    async (processor, title) => {
      under.answers.set('GET /internal/orders/1', order({ processor }));
      const grants = [
        grant({ expires_at: '2027-01-22T10:00:00.000Z' }),
        grant({ expires_at: '2026-12-22T10:00:00.000Z' }),
        grant({ expires_at: '2026-11-20T10:00:00.000Z' }),
      ];
      under.setBalance(grants);
      const shown = textOf(await under.get('/credits/orders/1'));
      expect(shown).toContain(
        'Your payment of $10.00 arrived: 5,000 credits, which expire when the next ones arrive, at the latest on 2026-12-22 (UTC).',
      );
      expect(shown).toContain(`<dd>${title}</dd>`);
      expect(shown).toContain('<dd>Every month, until you cancel</dd>');
    },
  );

  it('an old order no longer says what its payment granted, because that may have ended since', async () => {
    const credits = { kind: 'package' as const, sku: 'package', credits: '5000' };
    const [line] = order({}).lines;
    for (const lines of [[line], [{ ...line, ...credits }]]) {
      under.answers.set('GET /internal/orders/1', order({ lines }));
      clock.set('2026-12-06T10:00:00.000Z');
      expect(textOf(await under.get('/credits/orders/1'))).toContain(
        'Your payment of $10.00 arrived',
      );
      clock.set('2026-12-06T10:00:01.000Z');
      const shown = textOf(await under.get('/credits/orders/1'));
      expect(shown).not.toContain('arrived');
      expect(shown).toContain('<dd>Paid.</dd>');
    }
  });

  it('an order of a Domainer plan says when the plan is active, and then links to the files', async () => {
    const [line] = order({}).lines;
    const lines = [{ ...line, kind: 'domainer' as const, sku: 'domainer-names-month' }];
    under.answers.set('GET /internal/orders/1', order({ lines }));
    const shown = async (state: string, sku = lines[0].sku) => {
      const owned = { line: 'domainer', sku, is_current: true, state };
      under.answers.set('GET /internal/subscriptions', { subscriptions: [owned] });
      return textOf(await under.get('/credits/orders/1'));
    };
    const link = '<a class="button" href="/files">';
    const waiting = await shown('incomplete');
    expect(waiting).toContain('begins within moments');
    expect(waiting).not.toContain(link);
    const active = await shown('active');
    expect(active).toContain('is active.');
    expect(active).toContain(link);
    const changed = await shown('active', 'domainer-all-month');
    expect(changed).toContain('arrived: Domainer Names.');
  });

  it('for a number of credits that no package has, the next larger package is selected', async () => {
    under.answers.set('GET /internal/orders', { orders: [] });
    under.answers.set('GET /internal/processors', { processors: [] });
    const shown = textOf(await under.get('/credits?amount=12345'));
    expect(shown).toContain(
      'No package has exactly 12,345 credits. The next larger one has 13,000 and is selected below.',
    );
    expect(shown).toMatch(/type="number"\s+value="12345"/);
  });

  it.each(['stripe', 'paypal'])(
    'an order cancelled at %s says that nothing was charged, and can still be paid',
    async (processor) => {
      const open = order({ processor, state: 'redirected', redirect_url: 'https://pay.example/1' });
      under.answers.set('GET /internal/orders/1', open);
      const cancelled = textOf(await under.get('/billing/return?order=1&cancelled=1'));
      expect(cancelled).toContain('You cancelled the payment. Nothing was charged.');
      expect(cancelled).toContain('Waiting for your payment.');
      expect(cancelled).toContain('href="https://pay.example/1"');
      // Asking PayPal would try a declined payment again.
      expect(under.changes()).toEqual([]);
      under.answers.set('GET /internal/orders/1', order({ processor }));
      const paid = textOf(await under.get('/billing/return?order=1&cancelled=1'));
      expect(paid).toContain('Your payment of $10.00 arrived: 5,000 credits a month');
      expect(paid).not.toContain('Nothing was charged');
    },
  );

  it('a URL of the subscriptions page that claims a cancelled payment shows no message about money', async () => {
    under.answers.set('GET /internal/subscriptions', { subscriptions: [] });
    const shown = textOf(await under.get('/subscriptions?cancelled=1'));
    expect(shown).toContain('You came back without finishing the payment.');
    expect(shown).not.toContain('Nothing was charged');
  });

  it('an order says that PayPal declined its payment and what to do next, and can be cancelled', async () => {
    const refused = order({
      processor: 'paypal',
      state: 'redirected',
      redirect_url: 'https://pay.example/1',
      declined_at: '2026-11-22T10:05:00.000Z',
    });
    under.answers.set('POST /internal/orders/1/return', refused);
    const shown = textOf(await under.get('/billing/return?order=1'));
    expect(shown).toContain('PayPal declined the payment of $10.00. Nothing was charged.');
    expect(shown).not.toContain('Waiting for your payment');
    expect(shown).toContain('href="https://pay.example/1"');
    expect(shown).toContain('<form method="post" action="/credits/orders/1/drop">');
    under.answers.set('GET /internal/orders', { orders: [refused] });
    under.answers.set('GET /internal/processors', { processors: [] });
    expect(textOf(await under.get('/credits'))).toContain('Payment declined: pay in another way');
    under.answers.set('POST /internal/orders/1/drop', { ...refused, state: 'cancelled' });
    const dropped = textOf(await under.post('/credits/orders/1/drop', ''));
    expect(dropped).toContain('Cancelled. Nothing was charged.');
    expect(dropped).not.toContain('/drop');
    expect(dropped).toContain('<a href="/plans">See all plans</a>');
    expect(dropped).not.toContain('declined');
  });

  it.each([
    ['cancelled', 'Cancelled. Nothing was charged.', 'Cancelled'],
    ['expired', 'The payment page has expired.', 'Not paid in time'],
    ['processing', 'The payment is being processed', 'Payment being processed'],
  ] as const)(
    'an order that is %s no longer waits for another payment after a declined one',
    async (state, text, words) => {
      const over = order({ state, declined_at: '2026-11-22T10:05:00.000Z' });
      under.answers.set('GET /internal/orders/1', over);
      const shown = textOf(await under.get('/credits/orders/1'));
      expect(shown).toContain(text);
      expect(shown).not.toContain('declined');
      under.answers.set('GET /internal/orders', { orders: [over] });
      under.answers.set('GET /internal/processors', { processors: [] });
      const listed = textOf(await under.get('/credits'));
      expect(listed).toContain(words);
      expect(listed).not.toContain('declined');
    },
  );

  it('orders that are not on the first page can be listed, too', async () => {
    const paging = { next_cursor: 'a.b' };
    under.answers.set('GET /internal/orders', { orders: [order({})], paging });
    under.answers.set('GET /internal/orders?cursor=a.b', { orders: [order({ state: 'expired' })] });
    under.answers.set('GET /internal/processors', { processors: [] });
    expect((await under.get('/credits')).text).toContain('href="/credits?cursor=a.b"');
    const older = (await under.get('/credits?cursor=a.b')).text;
    expect(older).toContain('Not paid in time');
    expect(older).not.toContain('Older orders');
  });

  it('the list describes a waiting order in words, never by the name of its state', async () => {
    under.answers.set('GET /internal/orders', { orders: [order({ state: 'redirected' })] });
    under.answers.set('GET /internal/processors', { processors: [] });
    const shown = textOf(await under.get('/credits'));
    expect(shown).toContain('Waiting for your payment');
    expect(shown).not.toContain('redirected');
  });
});

describe('the overview', () => {
  it('all credits that expire first are counted, whatever their source', async () => {
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
    under.setBalance(grants);
    expect(textOf(await under.get('/'))).toContain('10,400 of them expire by 2026-12-22');
  });
});
