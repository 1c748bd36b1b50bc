import { Injectable } from '@nestjs/common';
import {
  type HistoricChange,
  type HistoricRecordV1,
  Pages,
  type Paging,
  type QuestionOf,
  WHOIS_HISTORY,
} from '#libs/contracts';
import { Clock } from '#libs/platform';
import { CoverageService, FIXTURE_SOURCE } from '../coverage/coverage.service.js';
import {
  type Search,
  type SearchAnswer,
  type SearchRows,
  allRows,
  firstNumber,
  partOf,
  readRows,
  searchAnswer,
} from '../searches/search-answer.js';
import { type SearchDays, dayBounds } from '../searches/search-days.js';
import { type SearchedName, searchedName } from '../searches/searched-name.js';
import { historicRecord, historicRecordV1 } from '../records/historic-record.js';
import { changesByRecord } from '../records/record-changes.js';
import { fixtureRevisions } from './history-fixtures.js';
import {
  HistoryRepository,
  type RevisionRow,
  type RevisionsAsked,
  type Sort,
} from './history.repository.js';
import { listedRevisions } from './listed-revisions.js';
import { shownChanges } from './shown-changes.js';

type Question = QuestionOf<typeof WHOIS_HISTORY>;
type SourceOf = (row: RevisionRow) => string;

/**
 * Maximum number of revisions that are compared: the newest, whatever the order of the list. All of them are in
 * memory, and many requests may compare at the same time.
 */
const COMPARED_MAX = 1_000;
/**
 * All of time. Changes need it, because the first change within a period is a difference from the last record before
 * that period.
 */
const EVER = { from: '-infinity', to: 'infinity' };

type Asked = RevisionsAsked & { name: SearchedName };

interface PlacedChange {
  change: HistoricChange;
  /** The state of the record that shows the change. */
  state: string;
}

@Injectable()
export class HistoryService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: HistoryRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, InvalidRequest; the errors of `SearchDatabase.query`. */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(WHOIS_HISTORY, question);
    const name = searchedName(question.domainName);
    const { ids, nameOf } = await this.coverage.shown();
    const [from, to] = dayBounds(question);
    const isFixture = name.fixture !== undefined;
    const { view, version } = question;
    // Version 1 has no `sort`.
    const sort: Sort = question.sort === 'oldest' ? 'oldest' : 'newest';
    const asked = { name, from, to, sourceIds: ids };
    const sourceOf: SourceOf = ({ sourceId }) => (isFixture ? FIXTURE_SOURCE : nameOf(sourceId));
    const shown = {
      isFixture,
      coverage: async () => this.coverage.beside(isFixture, name.name),
      head: { status: true, domain_name: name.name, domain_unicode: name.readable, view },
      list: view,
    };
    if (view === 'changes') {
      const compared = await this.compared({ ...asked, from: EVER.from });
      const all = await changesOf(compared, sourceOf);
      const changes = all.filter(({ change }) => isAfter(change.changed_at, question));
      const placed = placedRows(changes, placeOfChange, { order: orderOfChanges, sort });
      const rows = isCut(compared, question) ? partOf(placed) : placed;
      const told = (found: readonly PlacedChange[]) => found.map(({ change }) => change);
      return searchAnswer(page, { ...shown, rows, told });
    }
    const rows = await this.revisions(asked, question, sort);
    return searchAnswer(page, { ...shown, rows, ...recordsTold(name.name, sourceOf, version) });
  }

  private async revisions(
    asked: Asked,
    days: SearchDays,
    sort: Sort,
  ): Promise<SearchRows<RevisionRow>> {
    if (asked.name.fixture !== undefined) return allRows(sorted(this.fixtures(asked), sort));
    if (await this.repository.isOfSeveral(asked)) {
      const newest = await this.compared({ ...asked, ...EVER });
      // The newest revisions may all be later than the period, so those up to its end are compared.
      const isBefore = newest.length === COMPARED_MAX && days.before !== undefined;
      const compared = isBefore ? await this.compared({ ...asked, from: EVER.from }) : newest;
      const all = await listedRevisions(compared);
      const within = all.filter(({ observedAt, lastAt }) => {
        const [first, last] = [observedAt, lastAt].map((at) => at.toISOString());
        return isAfter(last, days) && (!days.before || first < days.before);
      });
      // The cursors have the same form as in the case below, because a server of another kind may answer for the first
      // time between two pages.
      const rows = placedRows(within, placeOf, { order: newestFirst, sort });
      return isCut(compared, days) ? partOf(rows) : rows;
    }
    return readRows(
      async () => ({ records: await this.repository.count(asked), is: 'exact' }),
      async (page) => this.repository.list(asked, page, sort),
      placeOf,
    );
  }

  /** Returns the newest revisions, newest first. */
  private async compared(asked: Asked): Promise<RevisionRow[]> {
    if (asked.name.fixture !== undefined) return this.fixtures(asked);
    return this.repository.list(asked, { limit: COMPARED_MAX, offset: 0 }, 'newest');
  }

  private fixtures({ name }: Asked): RevisionRow[] {
    return name.fixture === 'registered' ? fixtureRevisions(this.clock.now()) : [];
  }
}

const sorted = <Row>(newestFirst: readonly Row[], sort: Sort) =>
  sort === 'newest' ? newestFirst : newestFirst.toReversed();

const isAfter = (at: string, { after }: SearchDays) => after === undefined || at >= after;

/** Whether the period may contain revisions older than those that were compared. */
function isCut(compared: readonly RevisionRow[], days: SearchDays): boolean {
  return compared.length === COMPARED_MAX && isAfter(compared.at(-1)!.lastAt.toISOString(), days);
}

const placeOf = ({ observedAt, isComplete, state }: RevisionRow) => [
  observedAt.toISOString(),
  String(isComplete),
  state,
];

const placeOfChange = ({ change, state }: PlacedChange) => [change.changed_at, state, change.path];

/** Compares the places of two rows, like a function for `sort`. */
type Order = (one: Place, other: Place) => number;
type Place = readonly string[];

function newestFirst(one: Place, other: Place): number {
  const at = one.findIndex((value, part) => value !== other[part]);
  return at < 0 ? 0 : one[at] > other[at] ? -1 : 1;
}

/** Compares changes: newest first, those of one record by path. */
function orderOfChanges([at, state, path]: Place, [otherAt, otherState, otherPath]: Place): number {
  return newestFirst([at, state, otherPath], [otherAt, otherState, path]);
}

/**
 * Returns rows that are in memory. A cursor contains the place of the last row, because new rows move the others.
 * @param all in the order of `newest`.
 */
function placedRows<Row>(
  all: readonly Row[],
  placeOfRow: (row: Row) => string[],
  { order, sort }: { order: Order; sort: Sort },
): SearchRows<Row> {
  const isBehind = (row: Row, after: Place) => {
    const compared = order(placeOfRow(row), after);
    return sort === 'newest' ? compared > 0 : compared < 0;
  };
  return readRows(
    async () => ({ records: all.length, is: 'exact' }),
    async ({ after, offset, limit }) =>
      sorted(all, sort)
        .filter((row) => !after || isBehind(row, after))
        .slice(offset, offset + limit),
    placeOfRow,
  );
}

/**
 * Returns the functions that convert revisions and, for version 1, the whole answer to the format of a version of the
 * API.
 */
function recordsTold(name: string, sourceOf: SourceOf, version: number) {
  const inWords = version === 2 ? historicRecord : historicRecordV1;
  const told: Search<RevisionRow, HistoricRecordV1>['told'] = (rows, paging) =>
    rows.map((row, place) =>
      inWords(row, { num: firstNumber(paging) + place, name, source: sourceOf(row) }),
    );
  return version === 2 ? { told } : { told, bodyV1 };
}

function bodyV1(records: readonly HistoricRecordV1[], paging: Paging): object {
  return {
    status: true,
    whois: 'historical',
    total_records: String(paging.total_records),
    total_pages: paging.total_pages,
    current_page: paging.page,
    whois_domains_historical: records,
  };
}

/** Returns the changes between complete records, newest first. @param rows newest first. */
async function changesOf(
  rows: readonly RevisionRow[],
  sourceOf: SourceOf,
): Promise<PlacedChange[]> {
  const records = rows.filter(({ isComplete }) => isComplete).toReversed();
  return (await changesByRecord(records))
    .map((changes, place) => {
      const { observedAt, state } = records[place];
      const source = sourceOf(records[place]);
      const changed_at = observedAt.toISOString();
      return shownChanges(changes).map((one) => ({
        change: { changed_at, ...one, source },
        state,
      }));
    })
    .toReversed()
    .flat();
}
