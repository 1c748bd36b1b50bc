import { Injectable } from '@nestjs/common';
import {
  type AskedPage,
  Pages,
  type Paging,
  type QuestionOf,
  SUBDOMAINS,
  type Subdomain,
  type WildcardZone,
} from '#libs/contracts';
import { Clock, DAY_MS } from '#libs/platform';
import { CoverageService } from '../coverage/coverage.service.js';
import { totalOf } from '../searches/counted.js';
import {
  type SearchAnswer,
  type SearchHead,
  pageOfAll,
  previewAnswer,
} from '../searches/search-answer.js';
import { dayBounds } from '../searches/search-days.js';
import { type SearchedName, searchedName } from '../searches/searched-name.js';
import { type HostRow, type HostsAsked, SubdomainsRepository } from './subdomains.repository.js';
import { wildcardsOf, zoneOf } from './wildcards.js';

type Question = QuestionOf<typeof SUBDOMAINS>;

/** A host is active that had an address within so many days. */
const ACTIVE_DAYS = 7;

/** Host names below a name, and whether they are active. */
@Injectable()
export class SubdomainsService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: SubdomainsRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, SearchTooHeavy */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(SUBDOMAINS, question);
    const name = searchedName(question.domainName);
    const isFixture = name.fixture !== undefined;
    const wildcards = isFixture
      ? []
      : wildcardsOf(name.name, await this.repository.listAddresses(name, 'wildcards'));
    const head: SearchHead = {
      isFixture,
      head: {
        status: true,
        domain_name: name.name,
        domain_unicode: name.readable,
        wildcards,
      },
      coverage: async () => this.coverage.beside(isFixture, name.name),
    };
    if (isFixture) return this.fixture(question, name, { page, head });
    const asked = await this.asked(name, question);
    const total = totalOf(await this.repository.count(asked));
    if (page.isPreview) return previewAnswer(page, total, head, 'subdomains');
    const rows = await this.repository.list(asked, page);
    const { items, paging } = page.cut(rows, ({ host }) => [host], total);
    const subdomains = await this.told(name, items, wildcards);
    return pageOf(head, { paging, subdomains });
  }

  private async asked(name: SearchedName, question: Question): Promise<HostsAsked> {
    const [from, to] = dayBounds(question);
    const { ids: sourceIds } = await this.coverage.shown();
    const status = question.status ?? null;
    return { name, from, to, activeSince: this.activeSince(), status, sourceIds };
  }

  private async told(
    name: SearchedName,
    rows: readonly HostRow[],
    wildcards: readonly WildcardZone[],
  ): Promise<Subdomain[]> {
    const addresses =
      wildcards.length === 0
        ? []
        : await this.repository.listAddresses(
            name,
            rows.map(({ host }) => host),
          );
    const byHost = Map.groupBy(addresses, ({ host }) => host);
    return rows.map((row) => {
      const own = (byHost.get(row.host) ?? []).map(({ address }) => address);
      const zone = zoneOf(`${row.host}.${name.name}`, wildcards);
      const isWildcard =
        own.length > 0 && own.every((address) => zone?.addresses.includes(address));
      return this.toldHost(name, row, isWildcard);
    });
  }

  private toldHost(name: SearchedName, row: HostRow, isWildcard: boolean): Subdomain {
    const { host, firstAt, lastAt, resolvedAt, absentAt } = row;
    const isActive = resolvedAt !== null && resolvedAt >= this.activeSince();
    return {
      subdomain: `${host}.${name.name}`,
      status: isActive ? 'active' : 'inactive',
      first_seen: firstAt.toISOString(),
      last_seen: lastAt.toISOString(),
      last_resolved: resolvedAt?.toISOString() ?? null,
      inactive_from: isActive ? null : (absentAt?.toISOString() ?? null),
      is_wildcard: isWildcard,
    };
  }

  private activeSince(): Date {
    return new Date(this.clock.now().getTime() - ACTIVE_DAYS * DAY_MS);
  }

  private fixture(
    { status }: Question,
    name: SearchedName,
    { page, head }: { page: AskedPage; head: SearchHead },
  ): SearchAnswer {
    const now = this.clock.now();
    const rows = name.fixture === 'registered' ? fixtureHosts(now) : [];
    const all = rows
      .map((row) => this.toldHost(name, row, false))
      .filter((one) => status === undefined || one.status === status);
    if (page.isPreview) {
      return previewAnswer(page, { records: all.length, is: 'exact' }, head, 'subdomains');
    }
    const { items, paging } = pageOfAll(page, all);
    return pageOf(head, { paging, subdomains: items });
  }
}

function pageOf(
  { head, isFixture, coverage }: SearchHead,
  { paging, subdomains }: { paging: Paging; subdomains: Subdomain[] },
): SearchAnswer {
  const body = { ...head, paging, subdomains };
  return { paging, items: subdomains, isFixture, coverage, body };
}

const FIRST_AT = new Date('2025-05-10T11:00:00Z');
const GONE_AT = new Date('2025-09-01T08:00:00Z');

function fixtureHosts(now: Date): HostRow[] {
  return [
    { host: 'old', firstAt: FIRST_AT, lastAt: GONE_AT, resolvedAt: FIRST_AT, absentAt: GONE_AT },
    { host: 'www', firstAt: FIRST_AT, lastAt: now, resolvedAt: now, absentAt: null },
  ];
}
