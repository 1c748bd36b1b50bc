import { FIRST_ID, InvalidRequest, isId } from '#libs/platform';

/** The position of a reader of changes. */
export interface ChangesCursor {
  /** Identifies the server and the history to which the snapshots belong. */
  token: string;
  /** The transactions that the reader has seen, as pg_snapshot: everything visible in it. */
  seen: string;
  /** The transactions being read: visible in this snapshot and not in `seen`. Absent between two reads. */
  until?: string;
  /** Position of the last change of the previous page, in `until`. */
  xid: string;
  id: string;
  /** The id of the first change that is read: a UUIDv7, which represents a time. */
  from: string;
  /** The time at which `until` was taken. Without `until`, the time of `seen`. */
  at: string;
}

/** A snapshot that sees no transaction at all. */
export const EMPTY_SNAPSHOT = '1:1:';
export const START = { xid: '0', id: FIRST_ID, from: FIRST_ID } as const;

const SNAPSHOT = /^[0-9]{1,20}:[0-9]{1,20}:[0-9,]{0,8000}$/;
const XID = /^[0-9]{1,20}$/;
const TOKEN = /^[0-9./-]{1,80}$/;

/** The text that a reader keeps. */
export function cursorText(cursor: ChangesCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws InvalidRequest for a string that is not a cursor. */
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
  } catch {
    // The error is thrown below.
  }
  throw new InvalidRequest([
    { field: 'cursor', message: 'must be a cursor that this feed has issued' },
  ]);
}
