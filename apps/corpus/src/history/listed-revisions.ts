import { type GivenRecord, changesByRecord } from '../records/record-changes.js';

/** A revision with the period in which it was observed. */
export interface SeenRevision extends GivenRecord {
  observedAt: Date;
  lastAt: Date;
  isComplete: boolean;
  state: string;
}

/**
 * The revisions of a name that are listed, both newest first. While other servers answered, they may have written the
 * same registration differently: if those of before then give the same record again, it was unchanged all the time.
 */
export function listedRevisions<Row extends SeenRevision>(rows: readonly Row[]): Row[] {
  return [true, false]
    .flatMap((isComplete) => listed(rows.filter((row) => row.isComplete === isComplete)))
    .toSorted((a, b) => rows.indexOf(a.row) - rows.indexOf(b.row))
    .map(({ row, lastAt }) => ({ ...row, lastAt }));
}

interface Listed<Row> {
  row: Row;
  lastAt: Date;
  isNews: boolean;
}

function listed<Row extends SeenRevision>(newestFirst: readonly Row[]): Listed<Row>[] {
  const rows = newestFirst.toReversed();
  const changes = changesByRecord(rows);
  const all: Listed<Row>[] = [];
  for (const [place, row] of rows.entries()) {
    const at = all.findLastIndex((one) => one.row.answeredBy === row.answeredBy);
    const isAgain = all[at]?.row.state === row.state;
    if (isAgain && all.slice(at + 1).every(({ isNews }) => !isNews)) {
      all.length = at + 1;
      all[at].lastAt = row.lastAt;
    } else {
      const isNews = changes[place].length > 0 || (at >= 0 && !isAgain);
      all.push({ row, lastAt: row.lastAt, isNews });
    }
  }
  return all;
}
