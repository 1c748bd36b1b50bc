import { FIRST_ID, InvalidRequest, isId } from '#libs/platform';

export interface ChangesCursor {
  /** Identifies the server and its history, to which the snapshots belong. */
  token: string;
  /** The transactions that the reader has seen, as a `pg_snapshot`: everything that is visible in the snapshot. */
  seen: string;
  /**
   * The snapshot that is being read: the reader gets what is visible in it but not in `seen`. Absent between two reads.
   */
  until?: string;
  /** The position of the last change of the previous page, within `until`. */
  xid: string;
  id: string;
  /** The lowest id of a change to read: a UUIDv7, which contains a time. */
  from: string;
  /** When `until` was taken; without `until`, when `seen` was taken. */
  at: string;
}

/** A snapshot in which no transaction is visible. */
export const EMPTY_SNAPSHOT = '1:1:';
export const START = { xid: '0', id: FIRST_ID, from: FIRST_ID } as const;

const SNAPSHOT = /^[0-9]{1,20}:[0-9]{1,20}:[0-9,]{0,8000}$/;
const XID = /^[0-9]{1,20}$/;
const TOKEN = /^[0-9./-]{1,80}$/;

export function cursorText(cursor: ChangesCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Decodes a cursor. @throws InvalidRequest for a string that is not a cursor. */
export function cursorOf(text: string): ChangesCursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ChangesCursor;
    const { token, seen, until, xid, id, from, at } = cursor;
    const isOne =
      TOKEN.test(token) &&
      [seen, until ?? seen].every((snapshot) => SNAPSHOT.test(snapshot)) &&
      XID.test(xid) &&
      isId(id) &&
      isId(from) &&
      !Number.isNaN(Date.parse(at));
    if (isOne) return { token, seen, until, xid, id, from, at };
  } catch {}
  throw new InvalidRequest([
    { field: 'cursor', message: 'must be a cursor that this feed has issued' },
  ]);
}
