import { isDeepStrictEqual } from 'node:util';
import type { MaintenanceDatabase } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { bucketOf } from '#libs/messaging';
import { waitFor } from '#test/environment';
import { Random } from '../../random.js';
import { EntitlementUnderTest } from '../entitlement-under-test.js';
import { Customer, type Delivery, MODES, type Mode, SLOT_DAYS } from './deliveries.js';
import { BEGIN, HORIZON_DAYS, REST_DAYS, type ToldHistory } from './told-history.js';

const CALLS_AT_ONCE = 16;
const DELIVERY_LIMIT_MS = 120_000;
const SPENDS_MAX = 3;

export interface Tally {
  customers: number;
  events: number;
  faults: string[];
}

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
 * relay, transport and inbox. At the end, every announced line is known, every invariant holds (I17 and I19 calculate the
 * credits of the lines and of their reversals), and each mode has the same credits.
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
        // The same in every mode, so that the results can be compared.
        const plan = random.for('spends');
        for (let left = plan.between(0, SPENDS_MAX); left > 0; left--) {
          const slot = plan.between(1, HORIZON_DAYS / SLOT_DAYS);
          const amount = plan.pick([200, 2_000, 5_000, 20_000, 60_000]);
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
    this.entitlement.clock.set(new Date(BEGIN.getTime() + (HORIZON_DAYS + REST_DAYS) * DAY_MS));
    await this.advanceAll();
    await this.judge();
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

  private async judge(): Promise<void> {
    const { faults } = this.tally;
    for (const violated of await this.entitlement.violations())
      faults.push(JSON.stringify(violated));
    const [{ failed }] = await this.entitlement.database.query<{ failed: number }>(
      'select count(*)::int as failed from failed_event',
    );
    if (failed > 0) faults.push(`${failed} events have failed`);
    const byHistory = Map.groupBy(this.customers, ({ history }) => history);
    for (const [{ name, said }, customers] of byHistory) {
      const paid = new Set(
        said.flatMap(({ data }) => data.lines?.map(({ lineId }) => lineId) ?? []),
      );
      const found = await Promise.all(customers.map((customer) => this.grantsOf(customer)));
      for (const [index, { mode }] of customers.entries()) {
        const { lines, grants } = found[index];
        if (lines !== paid.size) faults.push(`${name}, ${mode}: ${lines} of ${paid.size} lines`);
        if (isDeepStrictEqual(grants, found[0].grants)) continue;
        faults.push(`${name}, ${mode}: the grants differ from those in order`);
      }
    }
  }

  /** Returns the number of known lines, and the credits of each slice of a line. */
  private async grantsOf(customer: Customer): Promise<{ lines: number; grants: string[] }> {
    const { database } = this.entitlement;
    const of = [customer.accountId];
    const [{ lines }] = await database.query<{ lines: number }>(
      'select count(*)::int as lines from payment_lines where account_id = $1',
      of,
    );
    const rows = await database.query<{ line: string; credits: string }>(GRANTS, of);
    const grants = rows.map(({ line, credits }) => `${customer.originalOf(line)} ${credits}`);
    return { lines, grants: grants.toSorted() };
  }
}

/** Writes events to the outbox. A repeated event keeps its row and is sent once more. */
const SAY = `
  insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
  select id, bucket, key, aggregate, sequence, type, version, $2, data
  from jsonb_to_recordset($1::jsonb) as e(id uuid, bucket smallint, key text, aggregate text,
    sequence bigint, type text, version smallint, data json)
  on conflict (id) do update set sent_at = null`;

/** Revived credits (`release`) depend on the order of events. */
const GRANTS = `
  select line_id as line, concat_ws(' ', source_index, granted, reversal_target) as credits
  from credit_grants where account_id = $1 and source_type <> 'release'`;
