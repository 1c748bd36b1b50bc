import { Injectable } from '@nestjs/common';
import { DNS_HISTORICAL, HISTORIC_TYPES, Pages, type QuestionOf } from '#libs/contracts';
import { Clock } from '#libs/platform';
import { DNS_TYPES } from '#libs/resolvers';
import { CoverageService, FIXTURE_SOURCE } from '../coverage/coverage.service.js';
import { totalOf } from '../searches/counted-pages.js';
import {
  type SearchAnswer,
  type SearchRows,
  allRows,
  readRows,
  searchAnswer,
} from '../searches/search-answer.js';
import { dayBounds } from '../searches/search-days.js';
import { type SearchedName, searchedName } from '../searches/searched-name.js';
import {
  type ChangeRow,
  DnsHistoryRepository,
  type ListedStretch,
  type StretchRow,
  type StretchesAsked,
} from './dns-history.repository.js';
import { dnsSnapshots, dnsStretch } from './historic-dns-record.js';

type Question = QuestionOf<typeof DNS_HISTORICAL>;

@Injectable()
export class DnsHistoryService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: DnsHistoryRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, InvalidRequest; the errors of `SearchDatabase.query`. */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(DNS_HISTORICAL, question);
    const name = searchedName(question.domainName);
    const days = dayBounds(question);
    const isFixture = name.fixture !== undefined;
    const { view } = question;
    const shown = {
      isFixture,
      head: { status: true, domain_name: name.name, domain_unicode: name.readable, view },
      coverage: async () => this.coverage.beside(isFixture, name.name),
      list: view,
    };
    if (isFixture) {
      const rows = allRows(this.fixtures(name, question));
      return searchAnswer(page, { ...shown, rows, told: (items) => items });
    }
    const { ids: sourceIds, nameOf } = await this.coverage.shown();
    const [from, to] = days;
    const asked = { name, rtypes: typesOf(question), from, to, sourceIds };
    if (view === 'snapshots') {
      const told = async (rows: readonly ChangeRow[]) => this.snapshots(asked, rows);
      return searchAnswer(page, { ...shown, rows: this.changes(asked), told });
    }
    return searchAnswer(page, {
      ...shown,
      rows: this.stretches(asked),
      told: (rows) => rows.map((row) => dnsStretch(name.name, row, nameOf(row.sourceId))),
    });
  }

  private changes(asked: StretchesAsked): SearchRows<ChangeRow> {
    return readRows(
      async () => totalOf(await this.repository.countChanges(asked)),
      async (place) => this.repository.listChanges(asked, place),
      ({ at }) => [at.toISOString()],
    );
  }

  private async snapshots(asked: StretchesAsked, rows: readonly ChangeRow[]) {
    const times = rows.map(({ at }) => at);
    const there = times.length === 0 ? [] : await this.repository.listAt(asked, times);
    return dnsSnapshots(asked.name.name, times, there);
  }

  private stretches(asked: StretchesAsked): SearchRows<ListedStretch> {
    return readRows(
      async () => totalOf(await this.repository.count(asked)),
      async (place) => this.repository.list(asked, place),
      ({ firstAt, rtype, place, isPassive }) => [
        firstAt.toISOString(),
        String(rtype),
        place,
        String(isPassive),
      ],
    );
  }

  private fixtures(name: SearchedName, question: Question): object[] {
    const rtypes = typesOf(question);
    const rows = name.fixture === 'registered' ? FIXTURE_ROWS : [];
    const wanted = rows.filter(({ rtype }) => rtypes.includes(rtype));
    if (question.view === 'snapshots') {
      const times = [MOVED_AT, FIRST_AT].filter((at) =>
        wanted.some(({ firstAt, untilAt }) => firstAt === at || untilAt === at),
      );
      return dnsSnapshots(name.name, times, wanted);
    }
    const seenAt = this.clock.now();
    return wanted.map((row) =>
      dnsStretch(name.name, { ...row, seenAt: row.untilAt ?? seenAt }, FIXTURE_SOURCE),
    );
  }
}

function typesOf({ type }: Question): number[] {
  const types = HISTORIC_TYPES.filter((one) => type.includes('all') || type.includes(one));
  return types.map((one) => DNS_TYPES[one]);
}

const MOVED_AT = new Date('2025-05-10T11:00:00Z');
const FIRST_AT = new Date('2016-05-10T11:00:00Z');
const FIXTURE_ROWS: readonly Omit<StretchRow, 'seenAt'>[] = [
  { rtype: DNS_TYPES.A, value: '192.0.2.1', firstAt: MOVED_AT, untilAt: null },
  { rtype: DNS_TYPES.A, value: '192.0.2.7', firstAt: FIRST_AT, untilAt: MOVED_AT },
  { rtype: DNS_TYPES.NS, value: 'ns1.dns-one.example', firstAt: FIRST_AT, untilAt: null },
  { rtype: DNS_TYPES.MX, value: '10 mail.registered.test', firstAt: FIRST_AT, untilAt: null },
].map((row) => ({ ...row, isPassive: false, sourceId: 0 }));
