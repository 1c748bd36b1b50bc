/**
 * Keyset paging: a page begins after the sort values of the last row before it, so that rows inserted meanwhile shift
 * nothing. The cursor is opaque to clients and checked like any input.
 */
export interface Page<T> {
  items: T[];
  /** The cursor of the next page; absent on the last page. */
  nextCursor?: string;
}

/** Decodes a cursor. @returns the cursor's values, or undefined if the cursor is not valid. */
export function readCursor(cursor: string, valueCount: number): string[] | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isOurs =
      Array.isArray(values) &&
      values.length === valueCount &&
      values.every((value) => typeof value === 'string' && value.length <= 200);
    return isOurs ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Turns rows that were read with `limit pageSize + 1` into a page. `valuesOf` returns a row's sort values as text. */
export function toPage<T>(rows: T[], pageSize: number, valuesOf: (row: T) => string[]): Page<T> {
  if (rows.length <= pageSize) return { items: rows };
  const items = rows.slice(0, pageSize);
  const last = valuesOf(items[items.length - 1]);
  return { items, nextCursor: Buffer.from(JSON.stringify(last)).toString('base64url') };
}
