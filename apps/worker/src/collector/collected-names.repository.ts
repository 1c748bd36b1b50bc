import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

export type CollectedKind = 'whois' | 'dns';

/**
 * The priorities: new names come before names that have not been looked up for a long time. A name that was given up is
 * not looked up; its row only stops the pass over all names from adding it again before it is due.
 */
export const RANKS = { new: 1, old: 2, givenUp: 3 } as const;
type Rank = (typeof RANKS)[keyof typeof RANKS];
/** How many names are forgotten at a time: millions may be due at once, too many for one statement. */
export const FORGOTTEN_MAX = 20_000;

export interface CollectedName {
  name: string;
  /** Failed attempts. */
  tries: number;
}

export interface LaterName extends CollectedName {
  dueAt: Date;
  isGivenUp: boolean;
}

@Injectable()
export class CollectedNamesRepository {
  /** Counts the names that wait for a lookup. */
  async count(runner: Runner, kind: CollectedKind): Promise<number> {
    const [{ names }] = await runner.query<{ names: number }>(
      `select count(*)::integer as names from collected_names where kind = $1 and rank < ${RANKS.givenUp}`,
      [kind],
    );
    return names;
  }

  /** Adds names. A name that is already waiting keeps its due time; one that was given up waits again if it is new. */
  async add(
    runner: Runner,
    kind: CollectedKind,
    names: readonly string[],
    { rank, dueAt }: { rank: Rank; dueAt: Date },
  ): Promise<void> {
    await runner.query(
      `insert into collected_names as c (kind, name, rank, due_at)
       select $1, name, $3, $4 from unnest($2::text[]) as name
       on conflict (kind, name) do update set rank = excluded.rank, tries = 0, due_at = excluded.due_at
         where excluded.rank = ${RANKS.new} and c.rank = ${RANKS.givenUp}`,
      [kind, names, rank, dueAt],
    );
  }

  /** Removes names that were given up and are due again, so that the pass over all names may add them. */
  async forgetGivenUp(runner: Runner, kind: CollectedKind, now: Date): Promise<void> {
    await runner.query(
      `delete from collected_names where kind = $1 and name in (
         select name from collected_names where kind = $1 and rank = ${RANKS.givenUp} and due_at <= $2
         order by due_at limit $3)`,
      [kind, now, FORGOTTEN_MAX],
    );
  }

  async listDue(
    runner: Runner,
    kind: CollectedKind,
    { now, limit }: { now: Date; limit: number },
  ): Promise<CollectedName[]> {
    return runner.query<CollectedName>(
      `select name, tries from collected_names
       where kind = $1 and rank < ${RANKS.givenUp} and due_at <= $2
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
      `update collected_names c set tries = q.tries, due_at = q.due_at,
         rank = case when q.is_given_up then ${RANKS.givenUp} else c.rank end
       from unnest($2::text[], $3::integer[], $4::timestamptz[], $5::boolean[])
         as q (name, tries, due_at, is_given_up)
       where c.kind = $1 and c.name = q.name`,
      [
        kind,
        later.map(({ name }) => name),
        later.map(({ tries }) => tries),
        later.map(({ dueAt }) => dueAt),
        later.map(({ isGivenUp }) => isGivenUp),
      ],
    );
  }
}
