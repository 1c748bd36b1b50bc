import { Injectable } from '@nestjs/common';
import { DNS_HISTORICAL, HISTORIC_TYPES, Pages, type QuestionOf } from '#libs/contracts';
import { Clock } from '#libs/platform';
import { DNS_TYPES } from '#libs/resolvers';
import { CoverageService, FIXTURE_SOURCE } from '../coverage/coverage.service.js';
import { bitOf } from '../dns/dns-type.js';
import { type SearchAnswer, allRows, searchAnswer } from '../searches/search-answer.js';
import { dayBounds } from '../searches/search-days.js';
import { type SearchedName, searchedName } from '../searches/searched-name.js';
import { DnsHistoryRepository, type StretchRow } from './dns-history.repository.js';
import { dnsSnapshots, dnsStretch } from './historic-dns-record.js';

type Question = QuestionOf<typeof DNS_HISTORICAL>;

/** Creates an item of the list, once it is on the page. */
type Told = () => object;

/** The most records of one name that are read. */
const RECORDS_MAX = 5_000;

/** The DNS records of one name over time. */
@Injectable()
export class DnsHistoryService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: DnsHistoryRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, InvalidRequest, SearchTooHeavy */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(DNS_HISTORICAL, question);
    const name = searchedName(question.domainName);
    const days = dayBounds(question);
    const isFixture = name.fixture !== undefined;
    const { view } = question;
    const all = isFixture ? this.fixtures(name, question) : await this.found(name, question, days);
    return searchAnswer(page, {
      isFixture,
      head: { status: true, domain_name: name.name, domain_unicode: name.readable, view },
      coverage: async () => this.coverage.beside(isFixture, name.name),
      rows: allRows(all),
      list: view,
      told: (rows) => rows.map((told) => told()),
    });
  }

  private async found(
    name: SearchedName,
    question: Question,
    [from, to]: ReturnType<typeof dayBounds>,
  ): Promise<Told[]> {
    const rtypes = typesOf(question);
    const { ids: sourceIds, nameOf } = await this.coverage.shown();
    const asked = { name, rtypes, from, to, sourceIds, limit: RECORDS_MAX };
    const rows = await this.repository.list(asked);
    if (question.view === 'snapshots') return dnsSnapshots(name.name, rows);
    const seen = await this.repository.lastSightings(name, rtypes.map(bitOf), sourceIds);
    return rows.map(
      (row) => () =>
        dnsStretch(name.name, row, {
          seenAt: seen.get(bitOf(row.rtype)),
          source: nameOf(row.sourceId),
        }),
    );
  }

  private fixtures(name: SearchedName, question: Question): Told[] {
    const rtypes = typesOf(question);
    const rows = name.fixture === 'registered' ? FIXTURE_ROWS : [];
    const wanted = rows.filter(({ rtype }) => rtypes.includes(rtype));
    if (question.view === 'snapshots') return dnsSnapshots(name.name, wanted);
    const told = { seenAt: this.clock.now(), source: FIXTURE_SOURCE };
    return wanted.map((row) => () => dnsStretch(name.name, row, told));
  }
}

function typesOf({ type }: Question): number[] {
  const types = HISTORIC_TYPES.filter((one) => type.includes('all') || type.includes(one));
  return types.map((one) => DNS_TYPES[one]);
}

const MOVED_AT = new Date('2025-05-10T11:00:00Z');
const FIRST_AT = new Date('2016-05-10T11:00:00Z');
const FIXTURE_ROWS: readonly StretchRow[] = [
  { rtype: DNS_TYPES.A, value: '192.0.2.1', firstAt: MOVED_AT, untilAt: null },
  { rtype: DNS_TYPES.A, value: '192.0.2.7', firstAt: FIRST_AT, untilAt: MOVED_AT },
  { rtype: DNS_TYPES.NS, value: 'ns1.dns-one.example', firstAt: FIRST_AT, untilAt: null },
  { rtype: DNS_TYPES.MX, value: '10 mail.registered.test', firstAt: FIRST_AT, untilAt: null },
].map((row) => ({ ...row, isPassive: false, sourceId: 0 }));
