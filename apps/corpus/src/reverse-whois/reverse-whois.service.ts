import { Injectable } from '@nestjs/common';
import {
  type HistoricRecordV1,
  Pages,
  type Paging,
  type QuestionOf,
  type ReverseQuery,
  WHOIS_REVERSE,
} from '#libs/contracts';
import { Clock } from '#libs/platform';
import { CoverageService, FIXTURE_SOURCE } from '../coverage/coverage.service.js';
import { NewestService } from '../newest/newest.service.js';
import { TERM_KINDS, type TermKind, contactTerm } from '../records/contact-terms.js';
import {
  type SeenRecord,
  historicRecord,
  historicRecordV1,
  miniRecord,
  miniRecordV1,
} from '../records/historic-record.js';
import {
  type SearchAnswer,
  allRows,
  countedOrListed,
  firstNumber,
  searchAnswer,
} from '../searches/search-answer.js';
import { searchPattern } from '../searches/search-pattern.js';
import {
  type FoundName,
  ReverseWhoisRepository,
  type TokensAsked,
} from './reverse-whois.repository.js';

type Question = QuestionOf<typeof WHOIS_REVERSE>;
type Selector = ReverseQuery['selector'] & ('keyword' | 'owner' | 'email' | 'company');

const KINDS: Readonly<Record<Selector, readonly TermKind[]>> = {
  keyword: ['name', 'email', 'company'],
  owner: ['name'],
  email: ['email'],
  company: ['company'],
};
const FIXTURE_FOUND = 'registered.test';
const FIXTURES: readonly string[] = [FIXTURE_FOUND, 'redacted.test'];

interface FoundRecord extends SeenRecord {
  name: string;
  source: string;
}

/**
 * Finds names by the values that their newest complete records publish. Values that these records withhold are neither
 * found nor counted.
 */
@Injectable()
export class ReverseWhoisService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: ReverseWhoisRepository,
    private readonly newest: NewestService,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidRequest; the errors of `SearchDatabase.query`. */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(WHOIS_REVERSE, question);
    const { selector, value } = selected(question);
    const { exact, scope } = question;
    const isFixture = FIXTURES.includes(value.toLowerCase());
    const shown = {
      isFixture,
      head: { status: true, query: { selector, value, exact, scope } },
      coverage: async () => this.coverage.beside(isFixture),
      list: 'domains',
      ...(question.version === 1 && { bodyV1 }),
    };
    if (isFixture) {
      const rows = allRows(this.fixtures(value));
      return searchAnswer(page, { ...shown, rows, told: recordsTold(question) });
    }
    const asked = await this.asked(question, selector, value);
    const rows = countedOrListed(
      async (place) => this.repository.find(asked, place),
      async (place) => this.repository.list(asked, place),
      ({ key, name }) => [key, name],
    );
    const told = recordsTold(question);
    return searchAnswer(page, {
      ...shown,
      rows,
      told: async (names, paging) => told(await this.newestOf(names), paging),
    });
  }

  private async asked(question: Question, selector: Selector, value: string): Promise<TokensAsked> {
    const kinds = KINDS[selector];
    const { ids: sourceIds } = await this.coverage.shown();
    return {
      kinds: kinds.map((kind) => TERM_KINDS[kind]),
      sought: question.exact
        ? { termKeys: kinds.map((kind) => contactTerm(kind, value).termKey) }
        : searchPattern(selector, value),
      isHistoric: question.scope === 'historic',
      suffixes: question.tld ?? [],
      sourceIds,
    };
  }

  private async newestOf(names: readonly FoundName[]): Promise<FoundRecord[]> {
    const { ids, nameOf } = await this.coverage.shown();
    const records = await this.newest.records(names, ids);
    return names.flatMap(({ name }): FoundRecord[] => {
      const record = records.get(name);
      return record ? [{ ...record, isComplete: true, source: nameOf(record.sourceId) }] : [];
    });
  }

  private fixtures(value: string): FoundRecord[] {
    return value.toLowerCase() === FIXTURE_FOUND ? [fixtureRecord(this.clock.now())] : [];
  }
}

function selected(question: Question): { selector: Selector; value: string } {
  const selectors: readonly Selector[] = ['keyword', 'owner', 'email', 'company'];
  const selector = selectors.find((one) => question[one] !== undefined)!;
  return { selector, value: question[selector]! };
}

function recordsTold({ version, mode }: Question) {
  const [whole, mini] =
    version === 1 ? [historicRecordV1, miniRecordV1] : [historicRecord, miniRecord];
  const inWords = mode === 'mini' ? mini : whole;
  return (found: readonly FoundRecord[], paging: Paging): HistoricRecordV1[] =>
    found.map((one, place) =>
      inWords(one, { num: firstNumber(paging) + place, name: one.name, source: one.source }),
    );
}

function bodyV1(records: readonly HistoricRecordV1[], paging: Paging): object {
  return {
    status: true,
    whois: 'reverse',
    total_result: paging.total_records,
    total_pages: paging.total_pages,
    current_page: paging.page,
    whois_domains_historical: records,
  };
}

function fixtureRecord(now: Date): FoundRecord {
  return {
    name: 'registered.test',
    source: FIXTURE_SOURCE,
    observedAt: new Date('2025-05-10T11:00:00Z'),
    lastAt: now,
    isComplete: true,
    record: {
      create_date: '2001-05-09',
      expiry_date: '2031-05-09',
      registrant_contact: { name: 'Alex Sample', company: 'Example Holdings' },
      name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
    },
  };
}
