import { Injectable } from '@nestjs/common';
import {
  type AskedPage,
  type HistoricChange,
  type Page,
  Pages,
  type QuestionOf,
  WHOIS_HISTORY,
} from '#libs/contracts';
import { Clock } from '#libs/platform';
import { CoverageService, FIXTURE_SOURCE } from '../coverage/coverage.service.js';
import {
  type SearchAnswer,
  type SearchHead,
  pageOfAll,
  previewAnswer,
} from '../searches/search-answer.js';
import { dayBounds } from '../searches/search-days.js';
import { type SearchedName, searchedName } from '../searches/searched-name.js';
import { historicRecord, historicRecordV1 } from '../records/historic-record.js';
import { fixtureRevisions } from './history-fixtures.js';
import { HistoryRepository, type RevisionRow, type RevisionsAsked } from './history.repository.js';
import { recordChanges } from './record-changes.js';

type Question = QuestionOf<typeof WHOIS_HISTORY>;
type SourceOf = (row: RevisionRow) => string;

/** Revisions of one name between which changes are sought. */
const COMPARED_MAX = 2_000;

interface Asking extends SearchHead {
  page: AskedPage;
  asked: RevisionsAsked & { name: SearchedName };
  sourceOf: SourceOf;
}

/** What was published of one name over time. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: HistoryRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, SearchTooHeavy */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(WHOIS_HISTORY, question);
    const name = searchedName(question.domainName);
    const { ids, nameOf } = await this.coverage.shown();
    const [from, to] = dayBounds(question);
    const isFixture = name.fixture !== undefined;
    const { view } = question;
    const asking: Asking = {
      page,
      asked: { name, from, to, sourceIds: ids },
      sourceOf: ({ sourceId }) => (isFixture ? FIXTURE_SOURCE : nameOf(sourceId)),
      isFixture,
      coverage: async () => this.coverage.beside(isFixture, name.name),
      head: { status: true, domain_name: name.name, domain_unicode: name.readable, view },
    };
    return view === 'changes' ? this.changes(asking) : this.records(asking, question.version);
  }

  private async changes(asking: Asking): Promise<SearchAnswer> {
    const { page, asked, head, coverage, isFixture, sourceOf } = asking;
    const all = changesOf(await this.compared(asked), sourceOf);
    const total = { records: all.length, is: 'exact' as const };
    if (page.isPreview) return previewAnswer(page, total, asking);
    const { items, paging } = pageOfAll(page, all);
    return { paging, items, isFixture, coverage, body: { ...head, paging, changes: items } };
  }

  private async records(asking: Asking, version: number): Promise<SearchAnswer> {
    const { page, asked, head, coverage, isFixture, sourceOf } = asking;
    if (page.isPreview) {
      return previewAnswer(page, { records: await this.count(asked), is: 'exact' }, asking);
    }
    const { items, paging } = await this.revisions(asked, page);
    const told = (row: RevisionRow, place: number) => ({
      num: (paging.page - 1) * paging.page_size + place + 1,
      name: asked.name.name,
      source: sourceOf(row),
    });
    if (version === 2) {
      const records = items.map((row, place) => historicRecord(row, told(row, place)));
      return { paging, items, isFixture, coverage, body: { ...head, paging, records } };
    }
    const body = {
      status: true,
      whois: 'historical',
      total_records: String(paging.total_records),
      total_pages: paging.total_pages,
      current_page: paging.page,
      whois_domains_historical: items.map((row, place) => historicRecordV1(row, told(row, place))),
    };
    return { paging, items, isFixture, body };
  }

  private async revisions(asked: Asking['asked'], page: AskedPage): Promise<Page<RevisionRow>> {
    if (isFixtureName(asked)) return pageOfAll(page, this.fixtures(asked));
    const rows = await this.repository.list(asked, page);
    const total = { records: await this.repository.count(asked), is: 'exact' as const };
    return page.cut(rows, sortValuesOf, total);
  }

  private async compared(asked: Asking['asked']): Promise<RevisionRow[]> {
    if (isFixtureName(asked)) return this.fixtures(asked);
    return this.repository.list(asked, { limit: COMPARED_MAX, offset: 0 });
  }

  private async count(asked: Asking['asked']): Promise<number> {
    return isFixtureName(asked) ? this.fixtures(asked).length : this.repository.count(asked);
  }

  private fixtures({ name }: Asking['asked']): RevisionRow[] {
    return name.fixture === 'registered' ? fixtureRevisions(this.clock.now()) : [];
  }
}

const isFixtureName = ({ name }: Asking['asked']) => name.fixture !== undefined;

/** Between complete records; the rows come with the newest first. */
function changesOf(rows: readonly RevisionRow[], sourceOf: SourceOf): HistoricChange[] {
  const records = rows
    .filter(({ isComplete }) => isComplete)
    .map((row) => ({ at: row.observedAt, record: row.record, source: sourceOf(row) }));
  return recordChanges(records.toReversed());
}

function sortValuesOf({ observedAt, isComplete, state }: RevisionRow): string[] {
  return [observedAt.toISOString(), String(isComplete), state];
}
