import { FIRST_ID, InvalidRequest, isId } from '#libs/platform';

/** How far a reader of changes has come. */
export interface ChangesCursor {
  /** Names the server and the history that the snapshots are of. */
  token: string;
  /** What the reader has seen, as pg_snapshot: everything that is visible in it. */
  seen: string;
  /** What it is reading: everything that is visible in this one and not in `seen`. None between two readings. */
  until?: string;
  /** Position of the last change of the page before, in `until`. */
  xid: string;
  id: string;
  /** Only changes from this id on; UUIDv7, so that it stands for a time. */
  from: string;
  /** When `seen`, or `until` while there is one, was taken. */
  at: string;
}

/** Sees no transaction at all. */
export const EMPTY_SNAPSHOT = '1:1:';
export const START = { xid: '0', id: FIRST_ID, from: FIRST_ID } as const;

const SNAPSHOT = /^[0-9]{1,20}:[0-9]{1,20}:[0-9,]{0,8000}$/;
const XID = /^[0-9]{1,20}$/;
const TOKEN = /^[0-9./-]{1,80}$/;

/** The text that a reader keeps. */
export function cursorText(cursor: ChangesCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws InvalidRequest for a text that is not a cursor. */
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
    // Said below.
  }
  throw new InvalidRequest([{ field: 'cursor', message: 'must be one that this feed has given' }]);
}
