import type { Database } from '../database.js';
import type { Transaction } from '../transaction.js';

/** Work that was claimed: nobody else does it until the claim ends or is given up. */
export interface WorkItem<T = unknown> {
  id: string;
  /** What it is about, unique in its queue. */
  name: string;
  payload: T;
  /** Tries so far, this one included. */
  attempts: number;
  claim: string;
}

/** Work that no try could do, for the operator. */
export interface DeadWork {
  id: string;
  queue: string;
  name: string;
  payload: unknown;
  attempts: number;
  reason: string;
}

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

/** SQL of one queue. */
export class WorkQueueRepository {
  constructor(private readonly queue: string) {}

  /** @returns false when work of this name is known already, waiting or dead. */
  async insert(
    transaction: Transaction,
    item: { id: string; name: string; payload: object; now: Date; dueAt: Date },
  ): Promise<boolean> {
    const rows = await transaction.query(
      `insert into work_item (id, queue, name, payload, added_at, due_at)
       values ($1, $2, $3, $4, $5, $6) on conflict (queue, name) do nothing returning id`,
      [item.id, this.queue, item.name, JSON.stringify(item.payload), item.now, item.dueAt],
    );
    return rows.length === 1;
  }

  /** Takes what is due, oldest first, passing over what others hold. */
  async claim<T>(
    database: Runner,
    { claim, now, limit, claimMs }: { claim: string; now: Date; limit: number; claimMs: number },
  ): Promise<WorkItem<T>[]> {
    return database.query<WorkItem<T>>(CLAIM, [this.queue, claim, now, limit, claimMs]);
  }

  /** @returns false when the claim has ended and somebody else took the work. */
  async delete(runner: Runner, { id, claim }: WorkItem): Promise<boolean> {
    const rows = await runner.query(
      'delete from work_item where id = $1 and claim = $2 returning id',
      [id, claim],
    );
    return rows.length === 1;
  }

  /** Gives a claim back with the reason of the failure: to be tried at `dueAt`, or dead without one. */
  async putFailure(runner: Runner, item: WorkItem, reason: string, dueAt?: Date): Promise<void> {
    await runner.query(
      `update work_item set reason = $3, claim = null, claimed_until = '-infinity',
         due_at = coalesce($4, due_at), state = case when $4::timestamptz is null then 'dead' else state end
       where id = $1 and claim = $2`,
      [item.id, item.claim, reason, dueAt ?? null],
    );
  }

  async listDead(runner: Runner, limit: number): Promise<DeadWork[]> {
    return runner.query<DeadWork>(
      `select id, queue, name, payload, attempts, reason from work_item
       where queue = $1 and state = 'dead' order by id limit $2`,
      [this.queue, limit],
    );
  }

  /** Lets dead or waiting work be tried at once. @returns false when there is none of this name. */
  async redrive(runner: Runner, name: string, now: Date): Promise<boolean> {
    const rows = await runner.query(
      `update work_item set state = 'waiting', attempts = 0, due_at = $3
       where queue = $1 and name = $2 returning id`,
      [this.queue, name, now],
    );
    return rows.length === 1;
  }

  /** Gives up dead work. @returns false when there is no dead work of this name. */
  async discard(runner: Runner, name: string): Promise<boolean> {
    const rows = await runner.query(
      `delete from work_item where queue = $1 and name = $2 and state = 'dead' returning id`,
      [this.queue, name],
    );
    return rows.length === 1;
  }

  /** How many wait and how many are dead, and since when the oldest that is due has waited. */
  async count(
    runner: Runner,
    now: Date,
  ): Promise<{ waiting: number; dead: number; lateMs: number }> {
    const [counts] = await runner.query<{ waiting: number; dead: number; lateMs: number }>(
      `select count(*) filter (where state = 'waiting')::int as waiting,
         count(*) filter (where state = 'dead')::int as dead,
         coalesce(greatest(0, extract(epoch from $2 - min(due_at) filter (where state = 'waiting'))
           * 1000), 0)::float8 as "lateMs"
       from work_item where queue = $1`,
      [this.queue, now],
    );
    return counts;
  }
}

const CLAIM = `
  with due as (
    select id from work_item
    where queue = $1 and state = 'waiting' and due_at <= $3 and claimed_until < clock_timestamp()
    order by due_at limit $4 for update skip locked)
  update work_item w set claim = $2, attempts = w.attempts + 1,
    claimed_until = clock_timestamp() + $5 * interval '1 ms'
  from due where w.id = due.id
  returning w.id, w.name, w.payload, w.attempts, w.claim`;
