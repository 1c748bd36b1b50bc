import pg from 'pg';
import { ExtensionMissing } from './extensions.js';
import { withClient } from './provision.js';

const { escapeIdentifier, escapeLiteral } = pg;

/**
 * Which tables of a schema are distributed over the nodes of a Citus cluster. All other tables stay on the
 * coordinator.
 */
export interface Distribution {
  /** The distribution column of each table. The tables are co-located, so that they can be joined on each node. */
  distributed: Readonly<Record<string, string>>;
  /** Small tables that are copied to every node. */
  copied: readonly string[];
}

const STATE = `
  select c.relname as name, c.relkind = 'p' as "isPartitioned", d.logicalrelid is not null as "isDone"
  from pg_class c left join pg_dist_partition d on d.logicalrelid = c.oid and d.partmethod in ('h', 'n')
  where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)`;

/**
 * Distributes the tables of a schema over the nodes, with their rows. Safe to repeat; the schema's service must be
 * stopped in the meantime. @param ownerUrl the schema's owner on the coordinator. @returns the newly distributed or
 * copied tables. @throws ExtensionMissing if the database does not have the extension `citus`.
 */
export async function distribute(
  ownerUrl: string,
  { distributed, copied }: Distribution,
): Promise<string[]> {
  return withClient(ownerUrl, async (client) => {
    const { rows: found } = await client.query(`select from pg_extension where extname = 'citus'`);
    if (found.length === 0) {
      throw new ExtensionMissing(
        'The database does not have the PostgreSQL extension citus, so it has no nodes to spread tables over.',
      );
    }
    const names = [...copied, ...Object.keys(distributed)];
    const { rows } = await client.query<State>(STATE, [names]);
    const pending = new Map(rows.filter(({ isDone }) => !isDone).map((row) => [row.name, row]));
    for (const name of copied) {
      if (pending.has(name))
        await client.query(`select create_reference_table(${escapeLiteral(name)})`);
    }
    let lead: string | undefined;
    for (const [name, column] of Object.entries(distributed)) {
      const state = pending.get(name);
      if (state?.isPartitioned) await makePlain(client, name);
      if (state) {
        const beside = lead === undefined ? 'default' : lead;
        await client.query(
          `select create_distributed_table(${escapeLiteral(name)}, ${escapeLiteral(column)},
             colocate_with => ${escapeLiteral(beside)})`,
        );
      }
      lead ??= name;
    }
    return [...pending.keys()];
  });
}

interface State {
  name: string;
  isPartitioned: boolean;
  isDone: boolean;
}

/**
 * Moves the rows of a partitioned table to a plain table, because Citus does not distribute partitions by hash or list;
 * shards replace them.
 */
async function makePlain(client: pg.Client, name: string): Promise<void> {
  const [table, old] = [escapeIdentifier(name), escapeIdentifier(`${name}_partitioned`)];
  await client.query('begin');
  await client.query(`alter table ${table} rename to ${old}`);
  await client.query(`create table ${table} (like ${old} including all)`);
  await client.query(`insert into ${table} select * from ${old}`);
  await client.query(`drop table ${old}`);
  await client.query('commit');
}
