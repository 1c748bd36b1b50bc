import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { OperatorDesk } from '../../../../test/desk/operator-desk.js';

describe('billing commands', () => {
  let desk: OperatorDesk;
  let typist: ReturnType<typeof desk.account.register> | undefined;

  beforeAll(async () => {
    desk = await OperatorDesk.open();
  });
  afterAll(() => desk.close());

  it('a refund is audited, and neither repeating it nor replaying a callback changes anything', async () => {
    const { accountId } = await desk.account.register('refunded@example.com');
    expect((await desk.command('billing', 'payments', accountId)).stdout).toContain('paid nothing');
    await desk.billing.act(await desk.billing.order(accountId), 'pay');
    const [{ payment, callback }] = await desk.billing.database.query<Record<string, string>>(
      `select p.id as payment, (select id from callbacks order by id limit 1) as callback
       from payments p where p.account_id = $1`,
      [accountId],
    );
    const why = ['--reason', 'asked for it'];
    const refund = () =>
      desk.command(
        'billing',
        'refund',
        accountId,
        payment,
        '--scope',
        'whole',
        ...why,
        '--id',
        payment,
      );
    expect((await refund()).stdout).toContain('54.00 refunded, final, 15,000 credits revoked');
    expect((await refund()).code).toBe(0);
    await desk.billing.settle();
    const said = (await desk.billing.events(accountId)).length;
    const replayed = await desk.answer('billing', 'replay', callback, ...why);
    expect(replayed).toMatchObject({ processor: 'stripe', result: 'synced' });
    expect((await desk.billing.events(accountId)).length).toBe(said);
    expect((await desk.audited(accountId)).slice(-2).map((line) => line.split(' ')[1])).toEqual([
      'operator.refund',
      'operator.refund',
    ]);
    expect(desk.billing.simulator.world.all('refund')).toHaveLength(1);
    expect((await desk.command('billing', 'replay', 'evt_unknown', ...why)).code).toBe(1);
  });

  it('a failed refund says when it will be retried; an operator can retry it now or dismiss it', async () => {
    const { accountId } = await desk.account.register('refused@example.com');
    await desk.billing.act(await desk.billing.order(accountId), 'pay');
    const [{ payment }] = await desk.billing.database.query<Record<string, string>>(
      'select id as payment from payments where account_id = $1',
      [accountId],
    );
    const why = ['--reason', 'asked for it'];
    const wish = ['--scope', 'whole', '--amount', '10.00', '--id'];
    const decide = (order: string, refundId: string) =>
      desk.command('billing', order, accountId, refundId, ...why);
    const [first, second] = [newId(), newId()];
    desk.billing.simulator.apiFaults.refusedRefunds = 2;
    await desk.command('billing', 'refund', accountId, payment, ...why, ...wish, first);
    const { stdout } = await desk.command('billing', 'payments', accountId);
    expect(stdout).toMatch(new RegExp(`refund ${first} undone: 10.00 .*, retried at 20`));
    expect((await decide('retry-refund', first)).stderr).toContain('refused this refund');
    expect((await decide('retry-refund', first)).stderr).toContain('has not failed');
    await desk.command('billing', 'refund', accountId, payment, ...why, ...wish, second);
    desk.billing.simulator.apiFaults.refusedRefunds = 1;
    const third = newId();
    await desk.command('billing', 'refund', accountId, payment, ...why, ...wish, third);
    expect((await decide('dismiss-refund', third)).stdout).toBe(
      'This refund will not be retried.\n',
    );
    expect((await decide('dismiss-refund', third)).code).toBe(1);
    expect(desk.billing.logLines.splice(0)).toHaveLength(3);
    const [made] = await desk.billing.database.query<{ count: number }>(
      `select count(*)::int from reversals where account_id = $1 and state <> 'undone'`,
      [accountId],
    );
    expect(made.count).toBe(1);
    expect((await desk.audited(accountId)).join()).toContain('operator.dismiss-refund');
  });

  it('a refund whose answer is lost names its id, and a repeat with the same id refunds nothing more', async () => {
    const { billing } = desk;
    const { accountId } = await desk.account.register('lost@example.com');
    await billing.act(await billing.order(accountId), 'pay');
    const [{ payment }] = await billing.database.query<Record<string, string>>(
      'select id as payment from payments where account_id = $1',
      [accountId],
    );
    const part = ['--scope', 'whole', '--amount', '10.00', '--reason', 'asked for it'];
    const refund = (...more: string[]) =>
      desk.command('billing', 'refund', accountId, payment, ...part, ...more);
    billing.simulator.apiFaults.lostAnswers = Infinity;
    const { code, stderr } = await refund();
    billing.simulator.apiFaults.lostAnswers = 0;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--id [\w-]{36}\n/)]);
    const [, refundId] = /--id (\S+)/.exec(stderr)!;
    expect((await refund('--id', refundId)).stdout).toContain('10.00 refunded');
    const made = await billing.database.query(
      `select id from reversals where account_id = $1 and state <> 'undone'`,
      [accountId],
    );
    expect(made).toEqual([{ id: refundId }]);
  });

  it('the e-mail about an invoice is sent again, only to its recipient, and a refund says how it affects the plan', async () => {
    const { billing } = desk;
    const { accountId } = await desk.account.register('again@example.com');
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    const [{ number, payment }] = await billing.database.query<Record<string, string>>(
      `select i.series || '-' || lpad(i.number::text, 6, '0') as number, p.id as payment
       from invoices i join payments p on p.id = i.payment_id where i.account_id = $1`,
      [accountId],
    );
    const before = (await billing.deliverMail(accountId)).length;
    const why = ['--reason', 'asked for it'];
    const typed = number.replace(/-0+/, '-');
    const sent = await desk.command('billing', 'resend-receipt', accountId, typed, ...why);
    expect(sent.stdout).toContain('will be sent again');
    const mails = await billing.deliverMail(accountId);
    expect(mails.map(({ subject }) => subject).slice(before)).toEqual([
      `Receipt: 27.00 USD, invoice ${number}`,
    ]);
    const { accountId: other } = await desk.account.register('other@example.com');
    expect((await desk.command('billing', 'resend-receipt', other, number, ...why)).code).toBe(1);
    const give = (...wish: string[]) =>
      desk.command('billing', 'refund', accountId, payment, ...why, ...wish);
    const part = await give('--scope', 'whole', '--amount', '5.00');
    expect(part.stdout).toContain('The plan continues; the same share');
    expect((await give('--scope', 'remaining')).stdout).toContain('The plan ends, and its credits');
  });

  it.each([
    ['--amount', 'abc', 'such as 12.50'],
    ['--amount', '-5', 'such as 12.50'],
    ['--amount', '0.001', 'such as 12.50'],
    ['--amount', '0.00', 'such as 12.50'],
    ['--from', 'tomorrow', 'such as 2027-01-31T12:00:00Z'],
    ['--from', '2027-02-31T99:00:00Z', 'such as 2027-01-31T12:00:00Z'],
  ])(
    'a refund %s of %p is reported as a mistake before any request is sent',
    async (name, text, hint) => {
      const { accountId } = await (typist ??= desk.account.register('typist@example.com'));
      const before = await desk.audited(accountId);
      const wish = ['--scope', 'whole', '--reason', 'asked for it', name, text];
      const end = await desk.command('billing', 'refund', accountId, newId(), ...wish);
      expect([end.code, end.stderr]).toEqual([1, expect.stringContaining(hint)]);
      expect(await desk.audited(accountId)).toEqual(before);
    },
  );
});
