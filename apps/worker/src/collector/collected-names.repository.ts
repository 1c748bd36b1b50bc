import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

export type CollectedKind = 'whois' | 'dns';

/** The priorities: new names come before names that have not been looked up for a long time. */
export const RANKS = { new: 1, old: 2 } as const;

export interface CollectedName {
  name: string;
  /** Failed attempts. */
  tries: number;
}

export interface LaterName extends CollectedName {
  dueAt: Date;
}

@Injectable()
export class CollectedNamesRepository {
  async count(runner: Runner, kind: CollectedKind): Promise<number> {
    const [{ names }] = await runner.query<{ names: number }>(
      'select count(*)::integer as names from collected_names where kind = $1',
      [kind],
    );
    return names;
  }

  /** Adds names. A name that is already waiting keeps its due time. */
  async add(
    runner: Runner,
    kind: CollectedKind,
    names: readonly string[],
    { rank, dueAt }: { rank: number; dueAt: Date },
  ): Promise<void> {
    await runner.query(
      `insert into collected_names (kind, name, rank, due_at)
       select $1, name, $3, $4 from unnest($2::text[]) as name
       on conflict (kind, name) do nothing`,
      [kind, names, rank, dueAt],
    );
  }

  async listDue(
    runner: Runner,
    kind: CollectedKind,
    { now, limit }: { now: Date; limit: number },
  ): Promise<CollectedName[]> {
    return runner.query<CollectedName>(
      `select name, tries from collected_names where kind = $1 and due_at <= $2
       order by rank, due_at, name limit $3`,
      [kind, now, limit],
    );
  }

  async remove(runner: Runner, kind: CollectedKind, names: readonly string[]): Promise<void> {
    await runner.query('delete from collected_names where kind = $1 and name = any($2::text[])', [
      kind,
      names,
    ]);
  }

  async putLater(runner: Runner, kind: CollectedKind, later: readonly LaterName[]): Promise<void> {
    await runner.query(
      `update collected_names c set tries = q.tries, due_at = q.due_at
       from unnest($2::text[], $3::integer[], $4::timestamptz[]) as q (name, tries, due_at)
       where c.kind = $1 and c.name = q.name`,
      [
        kind,
        later.map(({ name }) => name),
        later.map(({ tries }) => tries),
        later.map(({ dueAt }) => dueAt),
      ],
    );
  }
}
