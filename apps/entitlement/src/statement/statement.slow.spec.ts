import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { AccountDeleted, CreditsAnswer } from '#libs/contracts';
import { faultsOf, newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { StatementRepository } from './statement.repository.js';
import { StatementService } from './statement.service.js';

let entitlement: EntitlementUnderTest;
let accountId: string;

beforeAll(async () => {
  entitlement = await EntitlementUnderTest.start();
});
afterAll(() => entitlement.stop());
beforeEach(() => {
  entitlement.clock.set('2026-03-02T09:00:00Z');
  accountId = newId();
});
afterEach(async () => {
  expect(await entitlement.violations()).toEqual([]);
});

const at = (time: string) => entitlement.clock.set(time);

async function lease(operations: Record<string, number> | undefined, consumed: number) {
  const leaseId = newId();
  const min = Math.max(1, consumed);
  await entitlement.client.acquire({ accountId, leaseId, gatewayId: 'g', min, wanted: 0 });
  return { accountId, leaseId, consumed, operations };
}

async function credits(cursor?: string): Promise<CreditsAnswer> {
  const query = cursor === undefined ? '' : `&cursor=${cursor}`;
  return entitlement.ask(`/internal/account/credits?version=2${query}`, accountId);
}

describe('the answer of account.credits', () => {
  it('the lines add up to the balance even if credits are granted between the two reads', async () => {
    await entitlement.buy(accountId, 5_000);
    const repository = entitlement.service.app.get(StatementRepository, { strict: false });
    const listLines = repository.listLines.bind(repository);
    jest.spyOn(repository, 'listLines').mockImplementationOnce(async (...asked) => {
      await entitlement.buy(accountId, 400);
      return listLines(...asked);
    });
    const { balance, ledger } = await credits();
    const sum = ledger.reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBe(balance.remaining);
  });

  it('the answer shows what is left of each grant, and all ledger lines add up to that', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    await entitlement.operator.grantByOperator(accountId, {
      adjustmentId: newId(),
      amount: 100,
      reason: 'a test',
      expiresAt: '2026-03-05T00:00:00Z',
    });
    const open = await lease({ 'whois.live': 30 }, 40);
    await entitlement.client.settle('g', [{ ...open, consumed: 30 }]);
    const answer = await credits();
    expect(faultsOf(CreditsAnswer, answer)).toEqual([]);
    expect(answer.balance).toEqual({
      remaining: 5_070,
      spendable: 5_060,
      leased: 10,
      pending: 30,
      frozen: 0,
      debt: 0,
    });
    expect(answer.grants).toMatchObject([
      { source: 'operator', available: 60, reserved: 40, expires_at: '2026-03-05T00:00:00.000Z' },
      { source: 'package', available: 5_000, expires_at: null },
    ]);
    await entitlement.reverse(accountId, lineId, '1');
    at('2026-03-06T00:00:00Z');
    await entitlement.client.close({ ...open, consumed: 30 });
    await entitlement.deliver(AccountDeleted, accountId, {
      deletedAt: '2026-03-06T00:00:00Z',
      restoreUntil: '2026-06-04T00:00:00Z',
    });
    const { ledger } = await credits();
    const byAmount = ledger.toSorted((a, b) => a.amount - b.amount);
    expect(byAmount).toMatchObject([
      { kind: 'refund', amount: -5_000 },
      { kind: 'expiry', amount: -60 },
      { kind: 'use', amount: -30, operation: 'whois.live', at: '2026-03-06T00:00:00.000Z' },
      { kind: 'expiry', amount: -10, reference: expect.stringMatching(/^operator:/) },
      { kind: 'grant', amount: 100 },
      { kind: 'grant', amount: 5_000 },
    ]);
    expect(await sumOfLines()).toBe(0);
  });

  it('the answer links from a day of use to the requests of that day', async () => {
    await entitlement.buy(accountId, 100);
    await entitlement.client.close(await lease({ 'whois.live': 3 }, 3));
    const [{ requests }] = (await credits()).ledger;
    expect(requests).toBe('/v2.0/account/requests?day=2026-03-02&operation=whois.live');
  });

  it('the pages contain every line once, even if one movement has two lines', async () => {
    await entitlement.buy(accountId, 1_000);
    const lineId = await entitlement.buy(accountId, 400);
    await entitlement.use(accountId, 1_200);
    // One movement with several lines: unused credits are revoked, and used credits become debt.
    for (let index = 0; index < 30; index++) {
      const reversalId = await entitlement.reverse(accountId, lineId, '1');
      await entitlement.undo(accountId, reversalId);
    }
    const seen: string[] = [];
    const lines: CreditsAnswer['ledger'] = [];
    let cursor: string | undefined;
    do {
      const { ledger, paging } = await credits(cursor);
      lines.push(...ledger);
      seen.push(...ledger.map(({ id }) => id));
      expect(ledger.length).toBeLessThanOrEqual(50);
      expect(paging.has_next).toBe(paging.next_cursor !== null);
      cursor = paging.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(100);
    expect(await sumOfLines()).toBe(200);
    let balance = 0;
    for (const line of lines.toReversed()) {
      balance += line.amount;
      expect([line.id, line.balance]).toEqual([line.id, balance]);
    }
  });

  it('credits that are due to expire stay in the balance of the ledger until a line books their expiry', async () => {
    await entitlement.operator.grantByOperator(accountId, {
      adjustmentId: newId(),
      amount: 100,
      reason: 'a test',
      expiresAt: '2026-03-05T00:00:00Z',
    });
    at('2026-03-06T00:00:00Z');
    const { balance, ledger } = await credits();
    expect(balance.remaining).toBe(0);
    expect(ledger.map((line) => [line.kind, line.balance])).toEqual([['grant', 100]]);
    await entitlement.operator.explainBalance(accountId);
    expect((await credits()).ledger.map((line) => [line.kind, line.balance])).toEqual([
      ['expiry', 0],
      ['grant', 100],
    ]);
  });

  it('an operator’s explanation adds up to the balance: grants, usage by month, refunds, debt, reserved credits', async () => {
    await entitlement.buy(accountId, 1_000);
    const lineId = await entitlement.buy(accountId, 400);
    await entitlement.client.close(await lease({ 'whois.live': 5 }, 5));
    at('2026-03-03T09:00:00Z');
    await entitlement.client.close(await lease({ 'whois.live': 6, 'dns.live': 2 }, 8));
    const open = await lease({ 'whois.live': 20 }, 20);
    await entitlement.client.settle('g', [{ ...open, consumed: 12 }]);
    await entitlement.use(accountId, 1_200);
    await entitlement.reverse(accountId, lineId, '1');
    const explained = await entitlement.operator.explainBalance(accountId);
    const {
      spendable,
      reserved,
      pending: unbooked,
      debt,
    } = await entitlement.client.balance(accountId);
    expect(explained).toMatchObject({
      unexplained: 0,
      total: spendable + reserved + unbooked - debt,
    });
    expect(explained.lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(explained.total);
    expect(explained.balance).toMatchObject({ spendable, reserved, unbooked, debt });
    expect(unbooked).toBe(12);
    expect(debt).toBeGreaterThan(0);
    expect(explained.lines.map(({ kind, amount, lines: count }) => [kind, amount, count])).toEqual(
      expect.arrayContaining([
        ['grant', 1_000, 1],
        ['grant', 400, 1],
        ['use', -11, 2],
        ['use', -2, 1],
      ]),
    );
  });

  it('an explanation applies due dates, and includes frozen credits', async () => {
    const account = await entitlement.newAccount();
    await entitlement.operator.grantByOperator(account, {
      adjustmentId: newId(),
      amount: 70,
      reason: 'sorry',
      expiresAt: '2026-03-04T00:00:00Z',
    });
    at('2026-03-05T00:00:00Z');
    await entitlement.deliver(AccountDeleted, account, {
      deletedAt: '2026-03-05T00:00:00Z',
      restoreUntil: '2026-06-03T00:00:00Z',
    });
    expect(await entitlement.operator.explainBalance(account)).toMatchObject({
      lines: [
        { kind: 'grant', amount: 500 },
        { kind: 'grant', amount: 70 },
        { kind: 'expiry', amount: -70 },
      ],
      balance: { spendable: 0, frozen: 500 },
      total: 500,
      unexplained: 0,
    });
  });

  it('a line reveals no other person, no claim and no lease', async () => {
    const own = await entitlement.newAccount();
    accountId = own;
    await entitlement.newAccount();
    await entitlement.use(accountId, 3);
    const { ledger } = await credits();
    expect(ledger.map(({ kind, reference }) => `${kind} ${reference}`)).toEqual([
      'use undefined',
      'grant trial',
    ]);
    for (const { id } of ledger)
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){4}[0-9a-f]{8}\.\w+$/);
  });

  it('an invalid cursor is rejected', async () => {
    for (const cursor of ['bm9uZQ', Buffer.from('["x","use"]').toString('base64url')]) {
      await expect(credits(cursor)).rejects.toThrow('cursor');
    }
  });
});

async function sumOfLines(): Promise<number> {
  let [sum, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const answer: CreditsAnswer = await credits(cursor);
    sum += answer.ledger.reduce((total, { amount }) => total + amount, 0);
    expect(answer.ledger.every(({ amount }) => amount !== 0)).toBe(true);
    cursor = answer.paging.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return sum;
}

describe('the ledger', () => {
  it('customers see grants, usage and refunds, but no leases', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    const [periodStart, periodEnd] = ['2026-03-02T09:00:00Z', '2026-04-02T09:00:00Z'];
    const month = { subscriptionId: newId(), periodStart, periodEnd, cancelAt: periodEnd };
    await entitlement.subscribe(accountId, month);
    await entitlement.use(accountId, 16_000);
    const reversalId = await entitlement.reverse(accountId, lineId, '1');
    await entitlement.buy(accountId, 300);
    await entitlement.undo(accountId, reversalId);
    await entitlement.reverse(accountId, lineId, '0.02');
    await entitlement.use(accountId, 4);
    at('2026-05-02T09:00:00Z');
    const { debt, spendable: left } = await entitlement.client.balance(accountId);
    const { items } = await entitlement.client.ledger(accountId);
    expect(items.map(({ kind, amount }) => `${kind} ${amount}`).toReversed()).toEqual([
      'grant 5000',
      'grant 15000',
      'use -16004',
      'refund -4000',
      'refund -1000',
      'grant 300',
      'refund 4000',
      'refund 700',
      'refund 300',
      'refund -100',
    ]);
    const sum = items.reduce((total, { amount }) => total + Number(amount), 0);
    expect(sum).toBe(left - debt);
  });

  it('the statement is read page by page, each line once', async () => {
    for (let index = 0; index < 60; index++) await entitlement.buy(accountId, 1_000 + index);
    const first = await entitlement.client.ledger(accountId);
    const second = await entitlement.client.ledger(accountId, first.paging.next_cursor!);
    expect([first.items.length, second.items.length]).toEqual([50, 10]);
    expect(second.paging.next_cursor).toBeNull();
    const amounts = [...first.items, ...second.items].map(({ amount }) => Number(amount));
    expect(amounts).toEqual(Array.from({ length: 60 }, (_, index) => 1_059 - index));
    const statement = entitlement.service.app.get(StatementService);
    const { balance, allowance, ledger, changes } = await statement.overview(accountId);
    expect(ledger).toEqual(first.items);
    expect(changes.days.map(({ amount }) => amount)).toEqual([balance.spendable]);
    expect(allowance).toEqual(await entitlement.client.allowance(accountId));
    await expect(entitlement.client.ledger(accountId, 'bm9uZQ')).rejects.toThrow('cursor');
  });
});
