import { Injectable } from '@nestjs/common';
import {
  type AskedPage,
  Pages,
  type QuestionOf,
  type ReverseQuery,
  type Total,
  WHOIS_REVERSE,
} from '#libs/contracts';
import { Clock } from '#libs/platform';
import { CoverageService, FIXTURE_SOURCE } from '../coverage/coverage.service.js';
import { NewestService } from '../newest/newest.service.js';
import { TERM_KINDS, type TermKind, contactTerm } from '../records/contact-terms.js';
import {
  type SeenRecord,
  type ToldRecord,
  historicRecord,
  historicRecordV1,
  miniRecord,
} from '../records/historic-record.js';
import { totalOf } from '../searches/counted.js';
import {
  type SearchAnswer,
  type SearchHead,
  pageOfAll,
  previewAnswer,
} from '../searches/search-answer.js';
import { searchPattern } from '../searches/search-pattern.js';
import { ReverseWhoisRepository, type TokensAsked } from './reverse-whois.repository.js';

type Question = QuestionOf<typeof WHOIS_REVERSE>;
type Selector = ReverseQuery['selector'] & ('keyword' | 'owner' | 'email' | 'company');

/** Kinds of values by what is asked for. */
const KINDS: Readonly<Record<Selector, readonly TermKind[]>> = {
  keyword: ['name', 'email', 'company'],
  owner: ['name'],
  email: ['email'],
  company: ['company'],
};
const FIXTURE_FOUND = 'registered.test';
const FIXTURES: readonly string[] = [FIXTURE_FOUND, 'redacted.test'];

/** A record of a page. */
interface FoundRecord extends SeenRecord {
  name: string;
  source: string;
}

/** Names by what their newest complete records publish. What these withhold is neither found nor counted. */
@Injectable()
export class ReverseWhoisService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: ReverseWhoisRepository,
    private readonly newest: NewestService,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidRequest, SearchTooHeavy */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(WHOIS_REVERSE, question);
    const { selector, value } = selected(question);
    const { exact, scope } = question;
    const isFixture = FIXTURES.includes(value.toLowerCase());
    const head: SearchHead = {
      isFixture,
      head: { status: true, query: { selector, value, exact, scope } },
      coverage: async () => this.coverage.beside(isFixture),
    };
    if (isFixture) return this.fixture(question, page, head);
    const asked = await this.asked(question, selector, value);
    const total = totalOf(await this.repository.count(asked));
    if (page.isPreview) return previewAnswer(page, total, head, 'domains');
    return this.found(question, page, { asked, total, head });
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
      sourceIds,
    };
  }

  private async found(
    question: Question,
    page: AskedPage,
    { asked, total, head }: { asked: TokensAsked; total: Total; head: SearchHead },
  ): Promise<SearchAnswer> {
    const names = await this.repository.list(asked, page);
    const { items, paging } = page.cut(names, ({ key, name }) => [key, name], total);
    const [records, { nameOf }] = await Promise.all([
      this.newest.records(items),
      this.coverage.shown(),
    ]);
    const found = items.flatMap(({ name }): FoundRecord[] => {
      const record = records.get(name);
      return record ? [{ ...record, isComplete: true, source: nameOf(record.sourceId) }] : [];
    });
    return answerOf(question, found, { paging, head });
  }

  private fixture(question: Question, page: AskedPage, head: SearchHead): SearchAnswer {
    const { value } = selected(question);
    const all = value.toLowerCase() === FIXTURE_FOUND ? [fixtureRecord(this.clock.now())] : [];
    if (page.isPreview) {
      return previewAnswer(page, { records: all.length, is: 'exact' }, head, 'domains');
    }
    const { items, paging } = pageOfAll(page, all);
    return answerOf(question, items, { paging, head });
  }
}

function selected(question: Question): { selector: Selector; value: string } {
  const selectors: readonly Selector[] = ['keyword', 'owner', 'email', 'company'];
  const selector = selectors.find((one) => question[one] !== undefined)!;
  return { selector, value: question[selector]! };
}

function answerOf(
  question: Question,
  found: readonly FoundRecord[],
  { paging, head }: { paging: SearchAnswer['paging']; head: SearchHead },
): SearchAnswer {
  const told = (place: number): ToldRecord => ({
    num: (paging.page - 1) * paging.page_size + place + 1,
    name: found[place].name,
    source: found[place].source,
  });
  const { isFixture, coverage } = head;
  if (question.version === 1) {
    const body = {
      status: true,
      whois: 'reverse',
      total_result: paging.total_records,
      total_pages: paging.total_pages,
      current_page: paging.page,
      whois_domains_historical: found.map((one, place) => historicRecordV1(one, told(place))),
    };
    return { paging, items: found, isFixture, body };
  }
  const record = question.mode === 'mini' ? miniRecord : historicRecord;
  const domains = found.map((one, place) => record(one, told(place)));
  const body = { ...head.head, paging, domains };
  return { paging, items: found, isFixture, coverage, body };
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
