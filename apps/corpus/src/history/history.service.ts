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
  readRows,
  searchAnswer,
} from '../searches/search-answer.js';
import { dayBounds } from '../searches/search-days.js';
import { type SearchedName, searchedName } from '../searches/searched-name.js';
import { historicRecord, historicRecordV1 } from '../records/historic-record.js';
import { fixtureRevisions } from './history-fixtures.js';
import { HistoryRepository, type RevisionRow, type RevisionsAsked } from './history.repository.js';
import { recordChanges } from './record-changes.js';

type Question = QuestionOf<typeof WHOIS_HISTORY>;
type SourceOf = (row: RevisionRow) => string;

/** The maximum number of revisions of one name that are compared for changes. */
const COMPARED_MAX = 2_000;

type Asked = RevisionsAsked & { name: SearchedName };

/** The published registrations of one name over time. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: HistoryRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, InvalidRequest, SearchTooHeavy */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(WHOIS_HISTORY, question);
    const name = searchedName(question.domainName);
    const { ids, nameOf } = await this.coverage.shown();
    const [from, to] = dayBounds(question);
    const isFixture = name.fixture !== undefined;
    const { view, version } = question;
    const asked = { name, from, to, sourceIds: ids };
    const sourceOf: SourceOf = ({ sourceId }) => (isFixture ? FIXTURE_SOURCE : nameOf(sourceId));
    const shown = {
      isFixture,
      coverage: async () => this.coverage.beside(isFixture, name.name),
      head: { status: true, domain_name: name.name, domain_unicode: name.readable, view },
      list: view,
    };
    if (view === 'changes') {
      const compared = await this.compared(asked);
      const isAsked = (at: string) => question.after === undefined || at >= question.after;
      const changes = changesOf(compared, sourceOf).filter((one) => isAsked(one.changed_at));
      const isCut =
        compared.length === COMPARED_MAX && isAsked(compared.at(-1)!.observedAt.toISOString());
      const rows = allRows(changes, isCut);
      return searchAnswer(page, { ...shown, rows, told: (items) => items });
    }
    const rows = this.revisions(asked);
    return searchAnswer(page, { ...shown, rows, ...recordsTold(name.name, sourceOf, version) });
  }

  private revisions(asked: Asked): SearchRows<RevisionRow> {
    if (asked.name.fixture !== undefined) return allRows(this.fixtures(asked));
    return readRows(
      async () => ({ records: await this.repository.count(asked), is: 'exact' }),
      async (page) => this.repository.list(asked, page),
      ({ observedAt, isComplete, state }) => [observedAt.toISOString(), String(isComplete), state],
    );
  }

  /** Those before the period, too: the first change within it is from the last record before it. */
  private async compared(asked: Asked): Promise<RevisionRow[]> {
    if (asked.name.fixture !== undefined) return this.fixtures(asked);
    const all = { ...asked, from: '-infinity' };
    return this.repository.list(all, { limit: COMPARED_MAX, offset: 0 });
  }

  private fixtures({ name }: Asked): RevisionRow[] {
    return name.fixture === 'registered' ? fixtureRevisions(this.clock.now()) : [];
  }
}

/** Records in the format of a version. */
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

/** The changes between complete records; the newest rows come first. */
function changesOf(rows: readonly RevisionRow[], sourceOf: SourceOf): HistoricChange[] {
  const records = rows
    .filter(({ isComplete }) => isComplete)
    .map((row) => ({ at: row.observedAt, record: row.record, source: sourceOf(row) }));
  return recordChanges(records.toReversed());
}
