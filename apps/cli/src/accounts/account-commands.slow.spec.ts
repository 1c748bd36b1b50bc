import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashApiKey } from '#libs/contracts';
import { recordedEvents } from '#test/environment';
import { PASSWORD, type Registered } from '../../../../test/account/account-under-test.js';
import { OperatorDesk } from '../../../../test/desk/operator-desk.js';

const EMAIL = 'ada@example.com';
const REQUEST_ID = 'req_4Fh2aBcD01230001zz';

describe('account commands', () => {
  let desk: OperatorDesk;
  let owner: Registered;

  beforeAll(async () => {
    desk = await OperatorDesk.open();
    owner = await desk.account.register(EMAIL);
  });
  afterAll(() => desk.close());

  const logRequest = (accountId: string, requestId: string) =>
    desk.ofGateway(
      `insert into request_log (at, request_id, account_id, key_id, operation, version, subject, status,
         outcome, credits, duration_ms)
       values (clock_timestamp(), $2, $1, $1, 'whois.live', 2, 'a.test', 200, 'delivered', 1, 5)`,
      [accountId, requestId],
    );
  const find = async (text: string) =>
    (await desk.answer('account', 'find', text)) as { accountId: string; matched: string[] }[];

  it('S117: an account is found by any id or address that its owner may quote, and each search is audited', async () => {
    const { accountId } = owner;
    const order = await desk.billing.order(accountId);
    await desk.billing.act(order, 'pay');
    await desk.billing.deliverMail(accountId);
    const [ids] = await desk.billing.database.query<Record<string, string>>(
      `select p.id as payment, p.external_id as charge, o.checkout_id as checkout,
         c.customer_id as customer, i.series || '-' || lpad(i.number::text, 6, '0') as invoice
       from payments p join orders o on o.id = p.order_id
       join processor_customers c on c.account_id = p.account_id
       join invoices i on i.payment_id = p.id where p.account_id = $1`,
      [accountId],
    );
    await logRequest(accountId, REQUEST_ID);
    const texts = [
      EMAIL,
      ' ADA@Example.com ',
      accountId,
      owner.key,
      owner.key.slice(-4),
      `dds_live_…${owner.key.slice(-4)}`,
      order.id,
      order.id.toUpperCase(),
      REQUEST_ID,
    ];
    for (const text of [...texts, ...Object.values(ids)]) {
      expect([text, (await find(text)).map((found) => found.accountId)]).toEqual([
        text,
        [accountId],
      ]);
    }
    expect((await find(EMAIL))[0]).toMatchObject({ state: 'active', email: EMAIL });
    const looks = (await desk.audited(accountId)).filter((line) => line.includes('inspected'));
    expect(looks).toHaveLength(texts.length + Object.keys(ids).length + 1);
    expect(looks[0]).toBe(`operator:${userInfo().username} account.inspected account:${accountId}`);
  });

  it('downloads are blocked until a time or until the block is lifted; each command is audited', async () => {
    const { accountId } = await desk.account.register('blocked@example.com');
    const { client } = desk.entitlement;
    const order = async (verb: string, cause: string, ...more: string[]) =>
      desk.command('account', verb, accountId, '--cause', cause, '--reason', 'a test', ...more);
    const blocks = async () => (await client.allowance(accountId)).blocks;
    expect((await order('block-downloads', 'fraud')).stdout).toBe(
      'downloads blocked (fraud) until the block is lifted\n',
    );
    await order('block-downloads', 'overdue', '--until', '2099-01-31T12:00:00Z');
    expect(await blocks()).toMatchObject([
      { cause: 'fraud', blocks: ['downloads'] },
      { cause: 'overdue', blocks: ['downloads'], to: '2099-01-31T12:00:00.000Z' },
    ]);
    await order('unblock-downloads', 'fraud');
    expect(await blocks()).toMatchObject([{ cause: 'overdue' }]);
    const by = `operator:${userInfo().username} operator.`;
    expect((await desk.audited(accountId)).slice(-3)).toEqual([
      `${by}block-downloads cause:fraud`,
      `${by}block-downloads cause:overdue`,
      `${by}unblock-downloads cause:fraud`,
    ]);
    expect(await order('block-downloads', 'deletion')).toMatchObject({ code: 1 });
  });

  it('a suspension applies to keys and sessions and shows its reason, and ending it undoes exactly this', async () => {
    const { accountId, key, token } = owner;
    const facts = () => desk.account.client.findKey(hashApiKey(key, desk.account.config.keyPepper));
    const session = async () => (await desk.account.dashboard('GET', 'session', { token })).body;
    const before = [await facts(), await session()];
    expect(before[0]).toMatchObject({ isSuspended: false, state: 'active' });
    const [suspend, unsuspend] = ['suspend', 'unsuspend'].map(
      (verb) => () => desk.command('account', verb, accountId, '--reason', 'unpaid dispute'),
    );
    expect(await suspend()).toMatchObject({ code: 0, stdout: `${accountId} is suspended\n` });
    expect(await facts()).toMatchObject({ isSuspended: true, state: 'active' });
    expect(await session()).toMatchObject({ suspended_because: 'unpaid dispute' });
    expect((await find(accountId))[0]).toMatchObject({ suspendedBecause: 'unpaid dispute' });
    expect((await suspend()).stdout).toBe(`${accountId} was already suspended; nothing changed\n`);
    expect((await unsuspend()).code).toBe(0);
    expect([await facts(), await session()]).toEqual(before);
    const said = (await recordedEvents(desk.account.database)).filter(
      ({ type }) => type === 'account.account-suspension-changed',
    );
    expect(said.map(({ data }) => data.isSuspended)).toEqual([true, false]);
    expect((await desk.command('account', 'suspend', accountId)).code).toBe(1);
  });

  it('a live key beyond the number that the plan allows is listed as paused', async () => {
    const { accountId, token } = await desk.account.register('paused@example.com');
    await desk.entitlement.buy(accountId, 5_000);
    for (const name of ['Second', 'Third']) {
      const body = { name, environment: 'live' };
      expect((await desk.account.dashboard('POST', 'keys', { token, body })).status).toBe(201);
    }
    const { stdout } = await desk.command('keys', 'list', accountId);
    const [newest, second] = stdout.split('\n');
    expect([newest, second]).toEqual([
      expect.stringContaining('  paused  "Third"'),
      expect.stringContaining('  active  "Second"'),
    ]);
    const keys = await desk.answer('keys', 'list', accountId);
    expect(keys.map((key: { is_paused: boolean }) => key.is_paused).slice(0, 2)).toEqual([
      true,
      false,
    ]);
  });

  it('a timeline lists each event once, newest first, page by page', async () => {
    const { accountId } = await desk.account.register('timeline@example.com');
    desk.advance(1_000);
    await desk.billing.act(await desk.billing.order(accountId), 'pay');
    desk.advance(1_000);
    await desk.entitlement.buy(accountId, 15_000);
    const whole = await desk.answer('account', 'timeline', accountId, '--inspections');
    const kinds = whole.entries.map(({ kind }: { kind: string }) => kind);
    for (const kind of ['audit', 'order', 'payment', 'invoice', 'callback', 'credits']) {
      expect(kinds).toContain(kind);
    }
    const times = whole.entries.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    const paged: string[] = [];
    let before: string | undefined = new Date(desk.account.clock.now().getTime() + 1).toISOString();
    desk.advance(60_000);
    for (; before !== undefined;) {
      const args = [
        'account',
        'timeline',
        accountId,
        '--limit',
        '2',
        '--before',
        before,
        '--inspections',
      ];
      const page: { entries: object[]; nextBefore?: string } = await desk.answer(...args);
      paged.push(...page.entries.map((entry) => JSON.stringify(entry)));
      before = page.nextBefore;
    }
    const [looked, ...rest] = paged;
    const expected = whole.entries.map((entry: object) => JSON.stringify(entry));
    expect(looked).toContain('account.inspected');
    expect(new Set([looked, ...rest])).toEqual(new Set(expected));
    expect(paged).toHaveLength(expected.length);
  });

  it('inspections by operators are omitted from a page, and the page says how many', async () => {
    const { accountId } = await desk.account.register('looked-at@example.com');
    for (let look = 0; look < 3; look++) {
      desk.advance(1_000);
      await desk.command('account', 'find', accountId);
    }
    const actionsOf = ({ entries }: { entries: { text: string }[] }) =>
      entries.map(({ text }) => text).filter((text) => text.includes('account.inspected'));
    const page = await desk.answer('account', 'timeline', accountId);
    expect([actionsOf(page), page.inspectionsLeftOut]).toEqual([[], 4]);
    const shown = await desk.answer('account', 'timeline', accountId, '--inspections');
    expect([actionsOf(shown).length, shown.inspectionsLeftOut]).toEqual([5, 0]);
    const before = shown.entries[2].at;
    const args = ['account', 'timeline', accountId, '--before', before];
    expect(await desk.answer(...args)).toMatchObject({ inspectionsLeftOut: 2 });
    const { stdout } = await desk.command(...args);
    expect(stdout).toContain(
      '\n2 inspections by operators left out; add --inspections to list them\n',
    );
  });

  it('a match names the field of the account that matched', async () => {
    const { accountId, key } = owner;
    const matched = async (text: string) => (await find(text))[0].matched.join();
    expect(await matched(` <${EMAIL.toUpperCase()}>`)).toBe('e-mail');
    expect(await matched(accountId)).toBe('account id');
    expect(await matched(key.slice(-4))).toMatch(/^key [0-9a-f-]{36} "First key"$/);
    expect(await matched(REQUEST_ID)).toMatch(/^request req_\w+ \(whois\.live a\.test, 200, 2/);
    const ofDashboard = 'req_4Fh2aBcD01230001yy';
    await desk.account.dashboard('POST', 'log-in', {
      body: { email: EMAIL, password: 'not this one' },
      headers: { 'x-request-id': ofDashboard },
    });
    await desk.account.dashboard('POST', 'log-in', {
      body: { email: EMAIL, password: PASSWORD },
      headers: { 'x-request-id': ofDashboard },
    });
    expect(await matched(ofDashboard)).toBe(
      `request ${ofDashboard} of the dashboard (session.logged-in)`,
    );
  });

  it('for an API request, the account that sent the request is listed first, even if another account’s entry names the request', async () => {
    const email = 'forger@example.com';
    const { accountId: forger } = await desk.account.register(email);
    const requestId = 'req_4Fh2aBcD01230001ww';
    await logRequest(owner.accountId, requestId);
    await desk.account.dashboard('POST', 'log-in', {
      body: { email, password: PASSWORD },
      headers: { 'x-request-id': requestId },
    });
    const found = (await find(requestId)).map(({ accountId }) => accountId);
    expect(found).toEqual([owner.accountId, forger]);
  });

  it('a search without a match says so and exits with 1', async () => {
    for (const text of ['nobody@example.com', 'INV-1999-000001', 'pi_unknown', "' or 1=1 --"]) {
      expect(await desk.command('account', 'find', text)).toMatchObject({
        code: 1,
        stdout: 'No account matches this text.\n',
      });
    }
  });
});
