import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { OperatorDesk } from '../../../../test/desk/operator-desk.js';

describe('billing commands', () => {
  let desk: OperatorDesk;

  beforeAll(async () => {
    desk = await OperatorDesk.open();
  });
  afterAll(() => desk.close());

  it('a refund and a callback handled again are audited; the repeat of either changes nothing', async () => {
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
    expect((await refund()).stdout).toContain('54.00 refunded, final, 15,000 credits taken back');
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

  it.each([
    ['--amount', 'abc', 'such as 12.50'],
    ['--amount', '-5', 'such as 12.50'],
    ['--amount', '0.001', 'such as 12.50'],
    ['--amount', '0.00', 'such as 12.50'],
    ['--from', 'tomorrow', 'such as 2027-01-31T12:00:00Z'],
    ['--from', '2027-02-31T99:00:00Z', 'such as 2027-01-31T12:00:00Z'],
  ])(
    'a refund %s of %p is a slip, named before anything is asked for',
    async (name, text, hint) => {
      const { accountId } = await desk.account.register(`${newId()}@example.com`);
      const before = await desk.audited(accountId);
      const wish = ['--scope', 'whole', '--reason', 'asked for it', name, text];
      const end = await desk.command('billing', 'refund', accountId, newId(), ...wish);
      expect([end.code, end.stderr]).toEqual([1, expect.stringContaining(hint)]);
      expect(await desk.audited(accountId)).toEqual(before);
    },
  );
});
