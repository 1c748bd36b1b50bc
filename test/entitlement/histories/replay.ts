import { isDeepStrictEqual } from 'node:util';
import type { Database } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { bucketOf } from '#libs/messaging';
import { waitFor } from '#test/environment';
import { Random } from '../../random.js';
import { EntitlementUnderTest } from '../entitlement-under-test.js';
import { type Delivery, type Mode, SLOT_DAYS, deliveriesOf } from './deliveries.js';
import { BEGIN, HORIZON_DAYS, REST_DAYS, type Said, type ToldHistory } from './told-history.js';

const CALLS_AT_ONCE = 16;
const DELIVERY_LIMIT_MS = 120_000;
const SPENDS_MAX = 3;

interface Spend {
  accountId: string;
  amount: number;
}

/**
 * Replays histories of money as entitlement would receive their events: in order, and in each of the other modes. In
 * the end, every announced line is known, every invariant holds (I17 and I19 calculate the credits of the lines and of
 * their reversals), and the credits are the same in each mode.
 * @returns the numbers of customers and events, added up over all modes, and what did not hold.
 */
export async function replay(
  histories: readonly ToldHistory[],
  modes: readonly ((place: number) => Mode)[] = [() => 'shuffle', () => 'delay', () => 'skip'],
) {
  const tally = { customers: 0, events: 0, faults: [] as string[] };
  let inOrder: string[][] | undefined;
  for (const modeOf of [(): Mode => 'order', ...modes]) {
    const entitlement = await EntitlementUnderTest.start(BEGIN.toISOString());
    try {
      const replayed = new Replay(entitlement, histories, modeOf);
      const grants = await replayed.run();
      inOrder ??= grants;
      for (const [place, { name }] of histories.entries()) {
        if (isDeepStrictEqual(grants[place], inOrder[place])) continue;
        replayed.faults.push(`${name}, ${modeOf(place)}: the grants differ from those in order`);
      }
      tally.customers += histories.length;
      tally.events += replayed.events;
      tally.faults.push(...replayed.faults);
    } finally {
      await entitlement.stop();
    }
  }
  return tally;
}

/** Replays histories in parallel under one clock. Billing's events pass through outbox, relay, transport and inbox. */
class Replay {
  events = 0;
  readonly faults: string[] = [];
  private readonly deliveries: Map<number, Delivery[]>;
  private readonly spends: Map<number, Spend[]>;
  private outbox: Database;

  constructor(
    private readonly entitlement: EntitlementUnderTest,
    private readonly histories: readonly ToldHistory[],
    modeOf: (place: number) => Mode,
  ) {
    const all = histories.flatMap((history, place) => {
      const mode = modeOf(place);
      return deliveriesOf(history, mode, new Random(place + 1).for(mode));
    });
    this.deliveries = Map.groupBy(all, ({ slot }) => slot);
    this.spends = Map.groupBy(histories.flatMap(spendsOf), ({ slot }) => slot);
  }

  async run(): Promise<string[][]> {
    const { clock, test, transport } = this.entitlement;
    this.outbox = await test.maintenance('billing');
    await transport.startRelay('billing', this.outbox);
    const slots = new Set([...this.deliveries.keys(), ...this.spends.keys()]);
    for (const slot of [...slots].sort((a, b) => a - b)) {
      clock.set(new Date(BEGIN.getTime() + slot * SLOT_DAYS * DAY_MS));
      await this.deliver(this.deliveries.get(slot) ?? []);
      const spends = this.spends.get(slot) ?? [];
      for (let start = 0; start < spends.length; start += CALLS_AT_ONCE) {
        const some = spends.slice(start, start + CALLS_AT_ONCE);
        await Promise.all(some.map((spend) => this.use(spend)));
      }
    }
    clock.set(new Date(BEGIN.getTime() + (HORIZON_DAYS + REST_DAYS) * DAY_MS));
    await this.advanceAll();
    await this.judge();
    return Promise.all(this.histories.map((history) => this.grantsOf(history)));
  }

  /** Writes the rows as billing's transactions would, and waits until entitlement has handled them. */
  private async deliver(deliveries: Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const { clock, transport, database } = this.entitlement;
    const byId = new Map(deliveries.toReversed().map((delivery) => [delivery.id, delivery]));
    const rows = [...byId.values()]
      .toReversed()
      .map((delivery) => ({ ...delivery, bucket: bucketOf(delivery.key) }));
    await this.outbox.query(SAY, [JSON.stringify(rows), clock.now()]);
    transport.wake('billing');
    const ids = [...byId.keys()];
    await waitFor(
      `${ids.length} events to be handled`,
      async () => {
        const [{ handled }] = await database.query<{ handled: number }>(
          `select (select count(*) from inbox where event_id = any($1::uuid[]))::int
             + (select count(*) from failed_event where event_id = any($1::text[]))::int as handled`,
          [ids],
        );
        return handled === ids.length;
      },
      DELIVERY_LIMIT_MS,
    );
    this.events += deliveries.length;
  }

  /** Uses up to this many credits, as a job does. */
  private async use({ accountId, amount: wanted }: Spend): Promise<void> {
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
    const { database } = this.entitlement;
    for (const violated of await this.entitlement.violations()) {
      this.faults.push(JSON.stringify(violated));
    }
    const [{ failed, known }] = await database.query<{ failed: number; known: string[] }>(
      `select (select count(*) from failed_event)::int as failed,
         (select array_agg(id) from (select line_id::text as id from payment_lines
           union all select phase || ' ' || reversal_id from reversals
           union all select 'undone ' || reversal_id from undone_reversals) k) as known`,
    );
    if (failed > 0) this.faults.push(`${failed} events have failed`);
    const ids = new Set(known);
    for (const { name, said } of this.histories) {
      const unknown = said.flatMap(toldIds).filter((id) => !ids.has(id));
      if (unknown.length > 0) this.faults.push(`${name}: unknown ${unknown.join(', ')}`);
    }
  }

  private async grantsOf({ accountId }: ToldHistory): Promise<string[]> {
    const rows = await this.entitlement.database.query<{ grant: string }>(GRANTS, [accountId]);
    return rows.map(({ grant }) => grant);
  }
}

/** Returns the ids of the paid lines, or the phase and id of the reversal, that an event announces. */
function toldIds({ type, data: { lines = [], reversalId, phase = 'undone' } }: Said): string[] {
  if (reversalId !== undefined) return [`${phase} ${reversalId}`];
  return type === 'billing.payment-confirmed' ? lines.map(({ lineId }) => lineId) : [];
}

/** Plans a customer's usage, which is the same in every mode, so that the results can be compared. */
function spendsOf({ accountId }: ToldHistory, place: number): (Spend & { slot: number })[] {
  const random = new Random(place + 1).for('spends');
  return Array.from({ length: random.between(0, SPENDS_MAX) }, () => ({
    accountId,
    slot: random.between(1, HORIZON_DAYS / SLOT_DAYS),
    amount: random.pick([200, 2_000, 5_000, 20_000, 60_000]),
  }));
}

/** Writes events to the outbox. A repeated event keeps its row and is sent once more. */
const SAY = `
  insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
  select id, bucket, key, aggregate, sequence, type, version, $2, data
  from jsonb_to_recordset($1::jsonb) as e(id uuid, bucket smallint, key text, aggregate text,
    sequence bigint, type text, version smallint, data json)
  on conflict (id) do update set sent_at = null`;

/** The credits of each slice of a line, without revived credits (`release`), which depend on the order of events. */
const GRANTS = `
  select concat_ws(' ', line_id, source_index, granted, reversal_target) as grant
  from credit_grants where account_id = $1 and source_type <> 'release' order by 1`;
