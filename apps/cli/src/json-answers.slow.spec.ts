import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderAnswer } from '#libs/contracts';
import { ConfigurationError, newId } from '#libs/platform';
import { MANUAL } from './manual.js';
import { OperatorDesk } from '../../../test/desk/operator-desk.js';

const wordsOf = (example: string) =>
  (example.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));

interface Known {
  accountId: string;
  payment: string;
  period: string;
  callback: string;
  subscription: string;
  key: string;
  work: string[];
  events: string[];
}

interface Row {
  name: string;
  args: (known: Known) => string[];
  answers: unknown;
  /** The action in the resulting entry of the account's or the installation's audit log; null if there is none. */
  audited: string | null;
}

const WHY = ['--reason', 'a test'];
const UNTIL = '2099-01-01T00:00:00Z';
const LIFTED = ['--limit', 'live', '--value', '600', '--until', UNTIL];
const WHOLE = ['--scope', 'whole'];
const REST = ['--scope', 'remaining'];
const INSTALLATION = '00000000-0000-0000-0000-000000000000';
const anything = expect.anything();

const COMMANDS: readonly Row[] = [
  {
    name: 'find an account',
    args: () => ['account', 'find', 'json@example.com'],
    answers: [{ email: 'json@example.com', state: 'active', matched: ['e-mail'] }],
    audited: 'account.inspected',
  },
  {
    name: 'its timeline',
    args: ({ accountId }) => ['account', 'timeline', accountId],
    answers: { email: 'json@example.com', entries: anything },
    audited: 'account.inspected',
  },
  {
    name: 'suspend',
    args: ({ accountId }) => ['account', 'suspend', accountId, ...WHY],
    answers: { hasChanged: true },
    audited: 'account.suspended',
  },
  {
    name: 'unsuspend',
    args: ({ accountId }) => ['account', 'unsuspend', accountId, ...WHY],
    answers: { hasChanged: true },
    audited: 'account.unsuspended',
  },
  {
    name: 'lift the second factor',
    args: ({ accountId }) => ['account', 'lift-second-factor', accountId, ...WHY],
    answers: { hasChanged: false },
    audited: 'second-factor.lifted',
  },
  {
    name: 'grant credits',
    args: ({ accountId }) => ['credits', 'grant', accountId, '70', ...WHY],
    answers: { amount: 70, isNew: true, adjustmentId: anything },
    audited: 'operator.grant-credits',
  },
  {
    name: 'revoke credits',
    args: ({ accountId }) => ['credits', 'revoke', accountId, '30', ...WHY],
    answers: { revoked: 30, isNew: true, revocationId: anything },
    audited: 'operator.revoke-credits',
  },
  {
    name: 'explain a balance line by line',
    args: ({ accountId }) => ['credits', 'explain', accountId],
    answers: { lines: anything, total: 40, unexplained: 0 },
    audited: 'account.inspected',
  },
  {
    name: 'what cannot be booked',
    args: () => ['credits', 'set-aside'],
    answers: { accounts: [], leases: [] },
    audited: null,
  },
  {
    name: 'lift a limit until a date',
    args: ({ accountId }) => ['limits', 'override', accountId, ...LIFTED, ...WHY],
    answers: { limit: 'live', value: 600, until: UNTIL },
    audited: 'operator.override-limit',
  },
  {
    name: 'end an override',
    args: ({ accountId }) => ['limits', 'lift', accountId, '--limit', 'live', ...WHY],
    answers: { limit: 'live', hasChanged: true },
    audited: 'operator.lift-override',
  },
  {
    name: 'list accounts',
    args: () => ['account', 'list', '--standing', 'active', '--limit', '1'],
    answers: [{ state: 'active', suspendedBecause: null }],
    audited: null,
  },
  {
    name: 'list keys',
    args: ({ accountId }) => ['keys', 'list', accountId],
    answers: [{ environment: 'test' }, { environment: 'live', state: 'active' }],
    audited: 'account.inspected',
  },
  {
    name: 'revoke a key',
    args: ({ accountId, key }) => ['keys', 'revoke', accountId, key],
    answers: { state: 'revoked', revoked_because: 'owner' },
    audited: 'key.revoked',
  },
  {
    name: 'list subscriptions',
    args: ({ accountId }) => ['billing', 'subscriptions', accountId],
    answers: [{ sku: 'api-15K-month', cancel_at: null }],
    audited: 'account.inspected',
  },
  {
    name: 'cancel a subscription',
    args: ({ accountId, subscription }) => ['billing', 'cancel', accountId, subscription, ...WHY],
    answers: { state: 'active', cancel_at: anything },
    audited: 'operator.cancel-subscription',
  },
  {
    name: 'read the audit log',
    args: ({ accountId }) => ['audit', 'list', accountId, '--limit', '2'],
    answers: [
      { action: 'account.inspected', actor: `operator:${userInfo().username}` },
      { action: 'operator.cancel-subscription' },
    ],
    audited: 'account.inspected',
  },
  {
    name: 'payments',
    args: ({ accountId }) => ['billing', 'payments', accountId],
    answers: [{ reversals: [] }, { amountMicros: '54000000', reversals: [] }],
    audited: 'account.inspected',
  },
  {
    name: 'refund whole',
    args: ({ accountId, payment }) => ['billing', 'refund', accountId, payment, ...WHOLE, ...WHY],
    answers: { amountMicros: '54000000', refundId: anything, state: anything },
    audited: 'operator.refund',
  },
  {
    name: 'refund the remaining period',
    args: ({ accountId, period }) => ['billing', 'refund', accountId, period, ...REST, ...WHY],
    answers: { amountMicros: anything, plan: 'ends', state: anything },
    audited: 'operator.refund',
  },
  {
    name: 'what billing cannot finish',
    args: () => ['billing', 'set-aside'],
    answers: [{ kind: 'objects', accountId: null, reason: 'a test' }],
    audited: null,
  },
  {
    name: 'list failed work',
    args: () => ['work', 'list'],
    answers: [{ service: 'account', state: 'dead', reason: 'a test' }, { tries: 4 }],
    audited: null,
  },
  {
    name: 'retry failed work',
    args: ({ work }) => ['work', 'redrive', work[0], '--service', 'account'],
    answers: { redriven: 1 },
    audited: 'operator.redrive-work',
  },
  {
    name: 'discard failed work',
    args: ({ work }) => ['work', 'discard', work[1], '--service', 'account', ...WHY],
    answers: { discarded: true },
    audited: 'operator.discard-work',
  },
  {
    name: 'retry a failed event',
    args: ({ events }) => ['events', 'redrive', events[0], '--consumer', 'account'],
    answers: { redriven: 1 },
    audited: 'operator.redrive-events',
  },
  {
    name: 'discard a failed event',
    args: ({ events }) => ['events', 'discard', events[1], '--consumer', 'account', ...WHY],
    answers: { discarded: true },
    audited: 'operator.discard-event',
  },
  {
    name: 'replay a callback',
    args: ({ callback }) => ['billing', 'replay', callback, ...WHY],
    answers: { processor: 'stripe', result: 'synced' },
    audited: 'operator.replay-callback',
  },
  {
    name: 'reconcile now',
    args: () => ['billing', 'reconcile', ...WHY],
    answers: { runId: anything, findings: anything },
    audited: 'operator.reconcile',
  },
  {
    name: 'verify the audit log',
    args: () => ['audit', 'verify'],
    answers: { brokenAt: null, entries: anything },
    audited: null,
  },
];

describe('operator commands with --json', () => {
  let desk: OperatorDesk;
  let known: Known;

  beforeAll(async () => {
    desk = await OperatorDesk.open();
    const { accountId } = await desk.account.register('json@example.com');
    const { billing } = desk;
    await billing.act(await billing.order(accountId), 'pay');
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
    const ordered = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(ordered.body as OrderAnswer, 'pay');
    const [ids] = await billing.database.query<
      Omit<Known, 'accountId' | 'key' | 'work' | 'events'>
    >(
      `select (select payment_id from payment_lines where account_id = $1 and kind = 'package') as payment,
         (select payment_id from payment_lines where account_id = $1 and kind = 'subscription') as period,
         (select id from subscriptions where account_id = $1) as subscription,
         (select id from callbacks order by id limit 1) as callback`,
      [accountId],
    );
    const [{ key }] = await desk.account.database.query<{ key: string }>(
      'select id as key from api_keys where account_id = $1',
      [accountId],
    );
    const [work, events] = [
      [newId(), newId()],
      [newId(), newId()],
    ];
    known = { accountId, key, work, events, ...ids };
    await billing.database.query(
      `insert into work (id, queue, name, payload, state, until, tries, reason)
       values (gen_random_uuid(), 'processor-objects', 'stripe payment pi_unreadable',
         '{"processor": "stripe", "kind": "payment", "id": "pi_unreadable"}', 'waiting', '2099-01-01', 4, 'a test')`,
    );
    await desk.account.database.query(
      `insert into work (id, queue, name, payload, state, until, tries, reason)
       select id, 'a test', id, '{}', 'dead', '2099-01-01', 4, 'a test' from unnest($1::uuid[]) as id`,
      [work],
    );
    await desk.account.database.query(
      `insert into failed_event (consumer, event_id, type, key, state, reason, attempts, topic, bucket, body)
       select 'account', id, 'PaymentConfirmed', id, 'dead', 'a test', 3, 'billing.events', 0, '{}'
       from unnest($1::text[]) as id`,
      [events],
    );
  });
  afterAll(() => desk.close());

  it.each(COMMANDS)(
    '$name prints one JSON value, and writes the expected audit entry, if any',
    async (row) => {
      const chains = async () => [
        ...(await desk.audited(known.accountId)),
        ...(await desk.audited(INSTALLATION)),
      ];
      const before = await chains();
      const { stdout, stderr } = await desk.command(...row.args(known), '--json');
      expect(stderr.replace('Nothing is set aside.\n', '')).toBe('');
      expect(JSON.parse(stdout)).toMatchObject(row.answers as object);
      const path = Object.keys(MANUAL).find((words) =>
        row.args(known).join(' ').startsWith(words),
      )!;
      expect(undescribed(MANUAL[path].json, JSON.parse(stdout))).toEqual([]);
      const added = (await chains()).filter((line) => !before.includes(line) || isRepeatable(line));
      const by = `operator:${userInfo().username} ${row.audited}`;
      if (row.audited === null) expect(await chains()).toEqual(before);
      else expect(added.some((line) => line.startsWith(by))).toBe(true);
      expect((await chains()).length).toBe(before.length + (row.audited === null ? 0 : 1));
      await desk.billing.settle();
    },
  );

  it('changes to sources and to the list of suppressed values are recorded, but not the values', async () => {
    const before = (await desk.audited(INSTALLATION)).length;
    const named = ['--kind', 'zone', '--from', '/zones', '--rights', 'shown'];
    for (const args of [
      ['source', 'add', 'com', ...named],
      ['source', 'set', 'com', '--turnover', '60'],
      ['source', 'run', 'com'],
      ['source', 'remove', 'com'],
      ['corpus', 'suppress', 'email', 'ada@example.com'],
    ]) {
      // No corpus runs here, so the change fails after its entry.
      expect((await desk.command(...args)).code).toBe(1);
    }
    const by = `operator:${userInfo().username}`;
    expect((await desk.audited(INSTALLATION)).slice(before)).toEqual([
      `${by} operator.add-source source:com`,
      `${by} operator.set-source source:com`,
      `${by} operator.run-source source:com`,
      `${by} operator.remove-source source:com`,
      `${by} operator.suppress suppression:email`,
    ]);
  });

  it('work and events that do not exist are neither changed nor recorded', async () => {
    const before = await desk.audited(INSTALLATION);
    for (const args of [
      ['work', 'redrive', newId(), '--service', 'billing'],
      ['work', 'discard', newId(), '--service', 'gateway', ...WHY],
      ['events', 'discard', newId(), '--consumer', 'entitlement', ...WHY],
    ]) {
      const { code, stdout } = await desk.command(...args);
      expect([code, stdout]).toEqual([1, expect.stringContaining('has no such failed')]);
    }
    expect(await desk.audited(INSTALLATION)).toEqual(before);
  });

  it('a discarded e-mail no longer counts as unsent', async () => {
    const { database } = desk.account;
    const [mail, work] = [newId(), newId()];
    await database.query(
      `insert into mail (id, recipient, subject, text, html, next_try_at)
       values ($1, 'ada@example.com', 'a test', '', '', 'infinity')`,
      [mail],
    );
    await database.query(
      `insert into work (id, queue, name, payload, state, until, tries, reason)
       values ($1, 'mail', $2, '{}', 'waiting', '2099-01-01', 4, 'a test')`,
      [work, mail],
    );
    const { stdout } = await desk.command('work', 'discard', work, '--service', 'account', ...WHY);
    expect(stdout).toBe('discarded\n');
    expect(await database.query('select from mail where id = $1', [mail])).toEqual([]);
  });

  it('in the chart’s pod, every command has the settings that it needs, except commands that need an administrator of the database', async () => {
    const lacking: string[] = [];
    for (const [path, { example }] of Object.entries(MANUAL)) {
      // These commands read and write only files.
      if (/^(secrets|routing|tlds)\b/.test(path)) continue;
      await desk.command(...wordsOf(example)).catch((error) => {
        if (!(error instanceof ConfigurationError)) throw error;
        lacking.push(path);
      });
    }
    expect(lacking).toEqual(['provision', 'migrate', 'verify', 'corpus distribute']);
  });

  it('a command for an unknown account fails with a message', async () => {
    const unknown = { ...known, accountId: newId() };
    const about = COMMANDS.filter((row) => row.args(unknown).includes(unknown.accountId));
    expect(about.length).toBeGreaterThan(8);
    for (const row of about) {
      const { code, stdout, stderr } = await desk.command(...row.args(unknown), '--json');
      expect([row.name, code, stdout]).toEqual([row.name, 1, '']);
      expect([row.name, stderr.length > 0]).toEqual([row.name, true]);
    }
  });
});

/**
 * Lists the members of an answer that the manual omits or shows with a different type. Each item of a list is compared
 * with the first one that the manual shows.
 */
function undescribed(shown: unknown, said: unknown, path = ''): string[] {
  if (said === null || shown === null) return [];
  if (typeof shown !== typeof said || Array.isArray(shown) !== Array.isArray(said)) return [path];
  if (Array.isArray(said)) {
    return said.flatMap((item) => undescribed((shown as unknown[])[0], item, `${path}[]`));
  }
  if (typeof said !== 'object') return [];
  return Object.entries(said as object).flatMap(([name, value]) =>
    undescribed((shown as Record<string, unknown>)[name], value, `${path}.${name}`),
  );
}

/** Whether an entry may occur twice: two reads of an account write two identical entries. */
const isRepeatable = (line: string) => line.includes('account.inspected');
