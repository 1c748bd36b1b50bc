import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { DAY_MS, FIRST_ID, HOUR_MS, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { sideOf } from '../../../../test/billing/sides/side-of.js';
import { RefundsMaintenanceRepository } from './refunds.repository.js';
import { RETRY_PAUSES_MS } from '../payments/failed-refund.js';
import { RefundsService } from './refunds.service.js';
import { ReturnMoneyJob } from './return-money.job.js';
import { SettleRefundsJob } from './settle-refunds.job.js';

let billing: BillingUnderTest;
let accountId: string;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing.stop());
beforeEach(() => {
  accountId = billing.newAccount();
});
afterEach(() => {
  expect(billing.logLines.splice(0)).toEqual([]);
});

const madeThere = () => billing.simulator.paypal.world.all('refund');
const attempts = () =>
  billing.database.query<{ state: string }>(
    'select state from reversals where account_id = $1 order by id',
    [accountId],
  );

async function buy(): Promise<string> {
  await billing.act(await billing.order(accountId, 15_000, 'paypal'), 'pay');
  return paymentOf(accountId);
}
async function paymentOf(id: string): Promise<string> {
  const sql = 'select id from payments where account_id = $1';
  const [payment] = await billing.database.query<{ id: string }>(sql, [id]);
  return payment.id;
}
async function payDeleted(): Promise<string> {
  const bought = await billing.order(accountId, 15_000, 'paypal');
  await billing.deliver('deleted', accountId);
  await billing.act(bought, 'pay');
  return paymentOf(accountId);
}
/** Moves a payment to a processor that this installation does not have, so that every call for the payment throws. */
const strand = (paymentId: string) =>
  billing.database.query(`update payments set processor = 'gone' where id = $1`, [paymentId]);

it('a refund whose state is unknown is not reported as refused, and is made once', async () => {
  const paymentId = await buy();
  const before = madeThere().length;
  billing.simulator.paypal.captures.firstStatus = 'IN_REVIEW';
  const refund = () => {
    const body = { refundId: newId(), paymentId, scope: 'whole', reason: 'asked for it' };
    return billing.call('POST', 'operator/refunds', { accountId, caller: 'cli', body });
  };
  expect((await refund()).status).toBe(503);
  billing.simulator.paypal.captures.firstStatus = 'COMPLETED';
  await billing.settle();
  expect(await attempts()).toEqual([{ state: 'requested' }]);
  expect((await refund()).body).toMatchObject({ code: 'nothing_to_refund' });
  expect(madeThere()).toHaveLength(before + 1);
  for (const one of madeThere()) one.status = 'COMPLETED';
  await billing.retry();
  expect(await attempts()).toEqual([{ state: 'final' }]);
});

it('a refund that the processor does not confirm is set aside after an hour, whatever the version of its id', async () => {
  const paymentId = await buy();
  billing.simulator.apiFaults.lostRequests = Infinity;
  const refundId = randomUUID();
  const body = { refundId, paymentId, scope: 'whole', reason: 'asked for it' };
  const call = { accountId, caller: 'cli', body } as const;
  expect((await billing.call('POST', 'operator/refunds', call)).status).toBe(503);
  billing.simulator.apiFaults.lostRequests = 0;
  const age = `update reversals set created_at = clock_timestamp() - interval '2 hours' where id = $1`;
  await billing.database.query(age, [refundId]);
  const { body: listed } = await billing.call('GET', 'operator/set-aside', { caller: 'cli' });
  expect(listed).toContainEqual(expect.objectContaining({ kind: 'refunds', id: refundId }));
  await billing.get(SettleRefundsJob).runOnce();
});

/** Starts the refund of a plan's payment at PayPal, which neither receives the call nor lists such refunds. */
async function loseRefund() {
  const plan = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
  const ordered = await billing.call('POST', 'orders', { accountId, body: plan });
  await billing.act(ordered.body, 'pay');
  const paymentId = await paymentOf(accountId);
  const asCli = { accountId, caller: 'cli' } as const;
  const refund = (refundId: string) => {
    const body = { refundId, paymentId, scope: 'whole', reason: 'asked for it' };
    return billing.call('POST', 'operator/refunds', { ...asCli, body });
  };
  const lost = newId();
  const dismiss = () => billing.call('POST', `operator/refunds/${lost}/dismiss`, asCli);
  billing.simulator.apiFaults.lostRequests = Infinity;
  expect((await refund(lost)).status).toBe(503);
  return { lost, refund, dismiss };
}

it('a refund that PayPal neither confirms nor lists can be dismissed after some hours; then the payment can be refunded again', async () => {
  const { lost, refund, dismiss } = await loseRefund();
  expect((await dismiss()).body).toMatchObject({ code: 'nothing_to_refund' });
  billing.clock.advance(6 * HOUR_MS);
  await billing.get(SettleRefundsJob).runOnce();
  billing.simulator.apiFaults.lostRequests = 0;
  expect(await attempts()).toEqual([{ state: 'requested' }]);
  expect((await refund(newId())).body).toMatchObject({ code: 'nothing_to_refund' });
  expect((await dismiss()).body).toMatchObject({ refundId: lost, state: 'undone' });
  expect((await refund(newId())).body).toMatchObject({ state: 'final' });
  await billing.settle();
  await billing.follow();
  expect(await attempts()).toEqual([{ state: 'undone' }, { state: 'final' }]);
  const events = (await billing.events(accountId)).map(({ type }) => type);
  expect(events.filter((type) => type === 'billing.payment-reversal-undone')).toHaveLength(1);
});

it('a refund that is dismissed after it was listed is not made', async () => {
  const { dismiss } = await loseRefund();
  billing.clock.advance(6 * HOUR_MS);
  const repository = billing.get(RefundsMaintenanceRepository);
  const listed = await repository.listToSettle(FIRST_ID, 100);
  expect((await dismiss()).body).toMatchObject({ state: 'undone' });
  billing.simulator.apiFaults.lostRequests = 0;
  const before = madeThere().length;
  const listing = jest.spyOn(repository, 'listToSettle').mockResolvedValueOnce(listed);
  await billing.get(SettleRefundsJob).runOnce();
  listing.mockRestore();
  expect(madeThere()).toHaveLength(before);
  expect(await attempts()).toEqual([{ state: 'undone' }]);
});

it.each([
  [29, 'made', 'final'],
  [31, 'left to the operator', 'requested'],
])(
  'a refund whose call was lost and that PayPal does not list is, after %i days, %s',
  async (days, _, state) => {
    await loseRefund();
    billing.clock.advance(days * DAY_MS);
    billing.simulator.apiFaults.lostRequests = 0;
    await billing.get(SettleRefundsJob).runOnce();
    expect(await attempts()).toEqual([{ state }]);
  },
);

it('a process that listed a payment before its refund was rejected also waits for the pause', async () => {
  await payDeleted();
  billing.simulator.apiFaults.refusedRefunds = 1;
  const [repository, refunds] = [
    billing.get(RefundsMaintenanceRepository),
    billing.get(RefundsService),
  ];
  const [listed] = await repository.listToReturn(1);
  await billing.get(ReturnMoneyJob).runOnce();
  expect(billing.logLines.splice(0)).toHaveLength(1);
  await Promise.all([refunds.returnAll(listed, 'twice'), refunds.returnAll(listed, 'twice')]);
  expect(await attempts()).toEqual([{ state: 'undone' }]);
  await billing.pass(RETRY_PAUSES_MS[0]);
  const [{ refund }] = await repository.listToRetry(billing.clock.now(), 1);
  await Promise.all([refunds.retryDue(listed, refund.id), refunds.retryDue(listed, refund.id)]);
  await billing.settle();
  expect(await attempts()).toEqual([{ state: 'undone' }, { state: 'final' }]);
});

it('a payment that cannot be refunded, and a refund that cannot be settled, do not block other refunds', async () => {
  await strand(await payDeleted());
  billing.clock.advance(1);
  accountId = billing.newAccount();
  await payDeleted();
  billing.simulator.paypal.callbacks.faults.drop = true;
  billing.simulator.apiFaults.lostAnswers = Infinity;
  await billing.get(ReturnMoneyJob).runOnce();
  expect(billing.logLines.splice(0).join()).toContain('could not be refunded yet');
  expect(await attempts()).toEqual([{ state: 'requested' }]);
  billing.simulator.apiFaults.lostAnswers = 0;
  await billing.get(SettleRefundsJob).runOnce();
  billing.simulator.paypal.callbacks.faults.drop = false;
  expect(billing.logLines.splice(0).join()).toContain('could not be settled yet');
  expect(await attempts()).toEqual([{ state: 'final' }]);
});

it('a refund that waits for a dispute does not block other refunds, and is made when the dispute is won', async () => {
  const repository = billing.get(RefundsMaintenanceRepository);
  const due = async () => {
    const listed = await repository.listToRetry(billing.clock.now(), 1);
    return listed.map(({ payment }) => payment.accountId);
  };
  const refuse = async () => {
    accountId = billing.newAccount();
    await payDeleted();
    billing.simulator.apiFaults.refusedRefunds = 1;
    await billing.get(ReturnMoneyJob).runOnce();
    expect(billing.logLines.splice(0)).toHaveLength(1);
    return accountId;
  };
  const disputed = await refuse();
  const sql = 'select external_id from payments where account_id = $1';
  const [paid] = await billing.database.query<{ external_id: string }>(sql, [disputed]);
  const side = sideOf(billing, 'paypal');
  const dispute = side.dispute(paid.external_id);
  await billing.settle();
  billing.clock.advance(1);
  const other = await refuse();
  await billing.pass(RETRY_PAUSES_MS[0]);
  expect(await due()).toEqual([other]);
  const failed = `select id from reversals where account_id = $1 and state = 'undone'`;
  const [{ id }] = await billing.database.query<{ id: string }>(failed, [disputed]);
  const asked = { accountId: disputed, caller: 'cli' } as const;
  expect((await billing.call('POST', `operator/refunds/${id}/retry`, asked)).body).toMatchObject({
    code: 'nothing_to_refund',
    detail: 'Nothing of this payment is left to refund.',
  });
  side.decideDispute(dispute, 'won');
  await billing.settle();
  expect(await due()).toEqual([disputed]);
  await billing.get(ReturnMoneyJob).runOnce();
  await billing.settle();
  expect(await due()).toEqual([]);
});

it('the rest of an unwanted payment is refunded even after another refund', async () => {
  const paymentId = await payDeleted();
  const before = madeThere().length;
  billing.simulator.apiFaults.refusedRefunds = 1;
  await billing.get(ReturnMoneyJob).runOnce();
  expect(billing.logLines.splice(0)).toHaveLength(1);
  const body = {
    refundId: newId(),
    paymentId,
    scope: 'whole',
    amountMicros: '10000000',
    reason: 'asked for it',
  };
  await billing.call('POST', 'operator/refunds', { accountId, caller: 'cli', body });
  await billing.settle();
  await billing.get(ReturnMoneyJob).runOnce();
  await billing.settle();
  expect(await attempts()).toEqual([{ state: 'undone' }, { state: 'final' }, { state: 'final' }]);
  expect(madeThere().length).toBe(before + 2);
});

it('the rest of an unwanted payment is refunded even after a partial refund was retried', async () => {
  const paymentId = await buy();
  const before = madeThere().length;
  billing.simulator.apiFaults.refusedRefunds = 1;
  const body = {
    refundId: newId(),
    paymentId,
    scope: 'whole',
    amountMicros: '10000000',
    reason: 'asked for it',
  };
  await billing.call('POST', 'operator/refunds', { accountId, caller: 'cli', body });
  expect(billing.logLines.splice(0)).toHaveLength(1);
  await billing.database.query('update payments set is_unwanted = true where id = $1', [paymentId]);
  await billing.follow();
  expect(await attempts()).toEqual([{ state: 'undone' }]);
  await billing.pass(RETRY_PAUSES_MS[0]);
  await billing.follow();
  await billing.follow();
  expect(await attempts()).toEqual([{ state: 'undone' }, { state: 'final' }, { state: 'final' }]);
  expect(madeThere().length).toBe(before + 2);
});

it('money that was returned and arrived again is returned again', async () => {
  await payDeleted();
  await billing.follow();
  await billing.follow();
  expect(await attempts()).toEqual([{ state: 'final' }]);
  const [made] = madeThere().slice(-1);
  billing.simulator.paypal.captures.failRefund(made.id);
  await billing.settle();
  expect(await attempts()).toEqual([{ state: 'undone' }]);
  await billing.pass(RETRY_PAUSES_MS[0] + 1);
  await billing.follow();
  expect(await attempts()).toEqual([{ state: 'undone' }, { state: 'final' }]);
});

it('refunds that stay unconfirmed do not delay later ones, however many they are', async () => {
  const beginUnconfirmed = async () => {
    accountId = billing.newAccount();
    const paymentId = await payDeleted();
    billing.simulator.apiFaults.lostRequests = Infinity;
    await billing.get(ReturnMoneyJob).runOnce();
    billing.simulator.apiFaults.lostRequests = 0;
    expect(await attempts()).toEqual([{ state: 'requested' }]);
    return paymentId;
  };
  await strand(await beginUnconfirmed());
  await billing.database.query(
    `insert into reversals select (jsonb_populate_record(r,
       jsonb_build_object('id', '00000000-0000-7000-8000-' || lpad(i::text, 12, '0')))).*
     from reversals r, generate_series(1, 100) i where account_id = $1`,
    [accountId],
  );
  await beginUnconfirmed();
  for (let run = 1; run <= 2; run += 1) await billing.get(SettleRefundsJob).runOnce();
  expect(billing.logLines.splice(0).join()).toContain('could not be settled yet');
  expect(await attempts()).toEqual([{ state: 'final' }]);
});
