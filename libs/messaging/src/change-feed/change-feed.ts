import type { ChangeCursor, ChangePage } from '#libs/contracts';
import type { Database } from '#libs/database';
import { ServiceUnavailable } from '#libs/platform';

/**
 * Reports which keys have changed since a poller's last poll: the keys of rows that the previous snapshot could not
 * see. Paging by id or time would miss rows that commit late.
 */
export class ChangeFeed {
  constructor(private readonly database: Database) {}

  /**
   * Reads the keys that have changed since the cursor, each once. Without a cursor, it returns the position to start
   * from, and no keys. A cursor is valid at one server until its restart, because the token then changes. Changes whose
   * events were sent more than 10 minutes before the poll may be missing.
   * @throws ServiceUnavailable on a standby: it may lag, and an empty answer must not be interpreted as "no change".
   */
  async read(cursor?: ChangeCursor): Promise<ChangePage> {
    const rows = await this.database.query<FeedRow>(CHANGES, [
      cursor?.snapshot ?? EMPTY_SNAPSHOT,
      cursor?.highestXid ?? '0',
      // Without a cursor only the highest transaction id of the outbox is needed.
      cursor !== undefined,
    ]);
    const { token, standby, snapshot } = rows[0];
    if (standby) throw new ServiceUnavailable('primary database');
    const changes = rows.filter((row) => row.xid !== null);
    const highestXid = changes.reduce(
      (highest, { xid }) => (BigInt(xid as string) > highest ? BigInt(xid as string) : highest),
      BigInt(cursor?.highestXid ?? 0),
    );
    return {
      token,
      cursor: { snapshot, highestXid: String(highestXid) },
      keys: cursor ? [...new Set(changes.map(({ key }) => key as string))] : [],
    };
  }
}

interface FeedRow {
  token: string;
  standby: boolean;
  snapshot: string;
  key: string | null;
  xid: string | null;
}

/** A snapshot that sees no transaction at all. */
const EMPTY_SNAPSHOT = '1:1:';

// One statement, so that snapshot and rows belong to the same moment. The token identifies the server by its start
// time, which every role may read: no two servers start in the same microsecond.
const CHANGES = `
  with now as materialized (
    select pg_current_snapshot() as snapshot, pg_is_in_recovery() as standby,
           concat_ws('/', extract(epoch from pg_postmaster_start_time()),
                     (select oid from pg_database where datname = current_database()),
                     'outbox'::regclass::oid) as token)
  select now.token, now.standby, now.snapshot::text as snapshot, f.key, f.xid::text as xid
  from now left join lateral (
    (select key, xid from outbox
     where $3::boolean and xid >= least(pg_snapshot_xmin($1::pg_snapshot), $2::xid8)
       and (xid > $2::xid8 or not pg_visible_in_snapshot(xid, $1::pg_snapshot)))
    union all
    (select key, xid from outbox where not $3::boolean order by xid desc limit 1)) f on true`;
