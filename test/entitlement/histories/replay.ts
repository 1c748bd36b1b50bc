import { isDeepStrictEqual } from 'node:util';
import type { MaintenanceDatabase } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { bucketOf } from '#libs/messaging';
import { waitFor } from '#test/environment';
import { Random } from '../../random.js';
import { EntitlementUnderTest } from '../entitlement-under-test.js';
import { Customer, type Delivery, MODES, type Mode, SLOT_DAYS } from './deliveries.js';
import { expectedGrants } from './expected.js';
import { type GrantRow, type Tally, amountsOf, compareAmounts, planSpends } from './judgement.js';
import { BEGIN, HORIZON_DAYS, REST_DAYS, type ToldHistory } from './told-history.js';

const CALLS_AT_ONCE = 16;
const DELIVERY_LIMIT_MS = 120_000;

/** Replays histories of money as entitlement would receive their events. */
export async function replay(
  histories: readonly ToldHistory[],
  modesOf?: (place: number) => readonly Mode[],
): Promise<Tally> {
  const entitlement = await EntitlementUnderTest.start(BEGIN.toISOString());
  try {
    const outbox = await entitlement.test.maintenance('billing');
    await entitlement.transport.startRelay('billing', outbox);
    return await new Replay(entitlement, outbox, histories, modesOf).run();
  } finally {
    await entitlement.stop();
  }
}

/**
 * Replays histories of money in parallel under one clock, each in several modes. Billing's events pass through outbox,
 * relay, transport and inbox. At the end, every invariant holds, and each mode has the credits that were paid for.
 */
class Replay {
  private readonly customers: Customer[];
  private readonly spends = new Map<number, { customer: Customer; amount: number }[]>();
  readonly tally: Tally = { customers: 0, events: 0, faults: [] };

  constructor(
    private readonly entitlement: EntitlementUnderTest,
    private readonly outbox: MaintenanceDatabase,
    histories: readonly ToldHistory[],
    modesOf: (place: number) => readonly Mode[] = () => MODES,
  ) {
    let number = 1;
    this.customers = histories.flatMap((history, place) => {
      const random = new Random(place + 1);
      return modesOf(place).map((mode) => {
        const customer = new Customer(mode, history, number++, random.for(mode));
        for (const { slot, amount } of planSpends(random.for('spends'))) {
          this.spends.set(slot, [...(this.spends.get(slot) ?? []), { customer, amount }]);
        }
        return customer;
      });
    });
    this.tally.customers = this.customers.length;
  }

  async run(): Promise<Tally> {
    const bySlot = Map.groupBy(
      this.customers.flatMap(({ deliveries }) => deliveries),
      ({ slot }) => slot,
    );
    const slots = [...new Set([...bySlot.keys(), ...this.spends.keys()])].sort((a, b) => a - b);
    for (const slot of slots) {
      this.entitlement.clock.set(new Date(BEGIN.getTime() + slot * SLOT_DAYS * DAY_MS));
      await this.deliver(bySlot.get(slot) ?? []);
      await this.spend(this.spends.get(slot) ?? []);
    }
    const end = new Date(BEGIN.getTime() + (HORIZON_DAYS + REST_DAYS) * DAY_MS);
    this.entitlement.clock.set(end);
    await this.advanceAll();
    await this.judge(end);
    return this.tally;
  }

  /** Writes the rows as billing's transactions would, and waits until entitlement has handled them. */
  private async deliver(deliveries: Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const byId = new Map(deliveries.toReversed().map((delivery) => [delivery.id, delivery]));
    const rows = [...byId.values()]
      .toReversed()
      .map((delivery) => ({ ...delivery, bucket: bucketOf(delivery.key) }));
    await this.outbox.query(SAY, [JSON.stringify(rows), this.entitlement.clock.now()]);
    this.entitlement.transport.wake('billing');
    const ids = [...byId.keys()];
    await waitFor(
      `${ids.length} events to be handled`,
      async () => {
        const [{ handled }] = await this.entitlement.database.query<{ handled: number }>(
          `select (select count(*) from inbox where event_id = any($1::uuid[]))::int
             + (select count(*) from failed_event where event_id = any($1::text[]))::int as handled`,
          [ids],
        );
        return handled === ids.length;
      },
      DELIVERY_LIMIT_MS,
    );
    this.tally.events += deliveries.length;
  }

  private async spend(spends: { customer: Customer; amount: number }[]): Promise<void> {
    for (let start = 0; start < spends.length; start += CALLS_AT_ONCE) {
      const some = spends.slice(start, start + CALLS_AT_ONCE);
      await Promise.all(some.map(({ customer, amount }) => this.use(customer.accountId, amount)));
    }
  }

  /** Uses up to this many credits, as a job does. */
  private async use(accountId: string, wanted: number): Promise<void> {
    const { client } = this.entitlement;
    let holdId = newId();
    let answer = await client.hold({ accountId, holdId, amount: wanted });
    let amount = wanted;
    if (answer.outcome === 'insufficient' && answer.spendable > 0) {
      amount = answer.spendable;
      holdId = newId();
      answer = await client.hold({ accountId, holdId, amount });
    }
    if (answer.outcome !== 'held') return;
    await client.settleHold(accountId, holdId, 'all', amount);
    await client.closeHold(accountId, holdId);
  }

  private async advanceAll(): Promise<void> {
    await waitFor('every account to be up to date', async () => {
      await this.entitlement.advanceAll();
      const [{ due }] = await this.entitlement.database.query<{ due: number }>(
        'select count(*)::int as due from credit_accounts where next_due_at <= $1',
        [this.entitlement.clock.now()],
      );
      return due === 0;
    });
  }

  private async judge(end: Date): Promise<void> {
    const { faults } = this.tally;
    for (const violated of await this.entitlement.violations())
      faults.push(JSON.stringify(violated));
    const [{ failed }] = await this.entitlement.database.query<{ failed: number }>(
      'select count(*)::int as failed from failed_event',
    );
    if (failed > 0) faults.push(`${failed} events have failed`);
    const byHistory = Map.groupBy(this.customers, ({ history }) => history);
    for (const [{ name, lines }, customers] of byHistory) {
      const expected = expectedGrants(lines, end);
      const found = await Promise.all(customers.map((customer) => this.grantsOf(customer)));
      const [inOrder] = found;
      for (const [index, { mode }] of customers.entries()) {
        const [where, own] = [`${name}, ${mode}`, found[index]];
        faults.push(...compareAmounts(where, own, expected));
        if (!isDeepStrictEqual(amountsOf(inOrder), amountsOf(own))) {
          faults.push(`${where}: amounts differ from those in order`);
        }
      }
    }
  }

  private async grantsOf(customer: Customer): Promise<GrantRow[]> {
    const rows = await this.entitlement.database.query<Record<string, string>>(GRANTS, [
      customer.accountId,
    ]);
    return rows.map(({ line_id: lineId, source_index: index, kind, ...row }) => ({
      name: `${customer.originalOf(lineId)}/${index}`,
      kind,
      granted: Number(row.granted),
      reversed: Number(row.reversal_target),
    }));
  }
}

/** Writes events to the outbox. A repeated event keeps its row and is sent once more. */
const SAY = `
  insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
  select id, bucket, key, aggregate, sequence, type, version, $2, data
  from jsonb_to_recordset($1::jsonb) as e(id uuid, bucket smallint, key text, aggregate text,
    sequence bigint, type text, version smallint, data json)
  on conflict (id) do update set sent_at = null`;

const GRANTS = `
  select line_id, source_index, source_type as kind, granted, reversal_target
  from credit_grants where account_id = $1
  order by line_id, source_index, source_type`;
