import { type GivenRecord, changesByRecord } from '../records/record-changes.js';

export interface SeenRevision extends GivenRecord {
  observedAt: Date;
  lastAt: Date;
  isComplete: boolean;
  state: string;
}

interface Listed<Row> {
  row: Row;
  servers: number;
  lastAt: Date;
  isNews: boolean;
}

/**
 * Returns the revisions of a name that are listed; both lists are newest first. If a server gives the same record as
 * before, and other servers have shown no change in the meantime, the record counts as unchanged, and the records that
 * the other servers gave are left out.
 */
export async function listedRevisions<Row extends SeenRevision>(
  newestFirst: readonly Row[],
): Promise<Row[]> {
  const rows = newestFirst.toReversed();
  const changes = await changesByRecord(rows);
  const periods: Listed<Row>[] = [];
  const places = new Map<string, number>();
  let newsAt = -1;
  for (const [place, row] of rows.entries()) {
    const kind = kindOf(row);
    const at = places.get(kind) ?? -1;
    const isAgain = periods[at]?.row.state === row.state;
    if (isAgain && newsAt <= at) {
      periods[at].lastAt = row.lastAt;
    } else {
      const isNews = changes[place].length > 0 || (at >= 0 && !isAgain);
      const servers = row.answeredBy.split(',').length;
      places.set(kind, periods.push({ row, servers, lastAt: row.lastAt, isNews }) - 1);
      if (isNews) newsAt = periods.length - 1;
    }
  }
  return periods
    .filter((one) => one.isNews || !periods.some((usual) => isInPlaceOf(one, usual)))
    .toReversed()
    .map(({ row, lastAt }) => ({ ...row, lastAt }));
}

const kindOf = ({ answeredBy, isComplete }: SeenRevision) => `${answeredBy} ${isComplete}`;

/**
 * True if a record was given only in place of another one, while the servers of the other record did not answer. This
 * never applies to records of files.
 */
function isInPlaceOf(one: Listed<SeenRevision>, usual: Listed<SeenRevision>): boolean {
  const isDuring =
    usual.row.observedAt.getTime() < one.row.observedAt.getTime() &&
    one.lastAt.getTime() < usual.lastAt.getTime();
  if (!isDuring || one.row.answeredBy === '' || usual.row.answeredBy === '') return false;
  return one.servers <= usual.servers && (usual.row.isComplete || !one.row.isComplete);
}
