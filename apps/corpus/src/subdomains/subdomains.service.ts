import { Injectable } from '@nestjs/common';
import {
  Pages,
  type QuestionOf,
  SUBDOMAINS,
  type Subdomain,
  type WildcardZone,
} from '#libs/contracts';
import { Clock, DAY_MS } from '#libs/platform';
import { CoverageService } from '../coverage/coverage.service.js';
import type { FiledName } from '../names/registrable-name.js';
import { totalOf } from '../searches/counted-pages.js';
import { type SearchAnswer, allRows, readRows, searchAnswer } from '../searches/search-answer.js';
import { dayBounds } from '../searches/search-days.js';
import { type SearchedName, searchedName } from '../searches/searched-name.js';
import { type HostRow, type HostsAsked, SubdomainsRepository } from './subdomains.repository.js';
import { wildcardsOf, zoneOf } from './wildcards.js';

type Question = QuestionOf<typeof SUBDOMAINS>;

/** A host is active if it has had an address within this many days. */
const ACTIVE_DAYS = 7;
/** The maximum number of addresses to read: those of a name's wildcards, and those of the hosts of a page. */
const ADDRESSES_MAX = 5_000;

@Injectable()
export class SubdomainsService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: SubdomainsRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, InvalidRequest; the errors of `SearchDatabase.query`. */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(SUBDOMAINS, question);
    const name = searchedName(question.domainName);
    const [from, to] = dayBounds(question);
    const isFixture = name.fixture !== undefined;
    const { ids: sourceIds } = await this.coverage.shown();
    // A preview is free, so it contains nothing that was found.
    const isNone = isFixture || page.isPreview;
    const wildcards = isNone ? [] : await this.wildcards(name, sourceIds);
    const shown = {
      isFixture,
      head: {
        status: true,
        domain_name: name.name,
        domain_unicode: name.readable,
        wildcards,
      },
      coverage: async () => this.coverage.beside(isFixture, name.name),
      list: 'subdomains',
    };
    if (isFixture) {
      const rows = allRows(this.fixtures(name, question));
      return searchAnswer(page, { ...shown, rows, told: (hosts) => hosts });
    }
    const status = question.status ?? null;
    const activeSince = this.activeSince();
    const asked: HostsAsked = { name, from, to, activeSince, status, sourceIds };
    return searchAnswer(page, {
      ...shown,
      rows: readRows(
        async () => totalOf(await this.repository.count(asked)),
        async (place) => this.repository.list(asked, place),
        ({ host }) => [host],
      ),
      told: async (rows) => this.told(asked, rows, wildcards),
    });
  }

  private async wildcards(
    name: SearchedName,
    sourceIds: readonly number[],
  ): Promise<WildcardZone[]> {
    const records = await this.repository.listWildcards(name, sourceIds, ADDRESSES_MAX);
    return wildcardsOf(name.name, records);
  }

  private async told(
    { name, sourceIds }: HostsAsked,
    rows: readonly HostRow[],
    wildcards: readonly WildcardZone[],
  ): Promise<Subdomain[]> {
    const addresses =
      wildcards.length === 0
        ? []
        : await this.repository.listAddresses(
            { name, sourceIds, hosts: rows.map(({ host }) => host) },
            ADDRESSES_MAX,
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

  private toldHost(name: FiledName, row: HostRow, isWildcard: boolean): Subdomain {
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

  private fixtures(name: SearchedName, { status }: Question): Subdomain[] {
    const rows = name.fixture === 'registered' ? fixtureHosts(this.clock.now()) : [];
    return rows
      .map((row) => this.toldHost(name, row, false))
      .filter((one) => status === undefined || one.status === status);
  }
}

const FIRST_AT = new Date('2025-05-10T11:00:00Z');
const GONE_AT = new Date('2025-09-01T08:00:00Z');

function fixtureHosts(now: Date): HostRow[] {
  return [
    { host: 'old', firstAt: FIRST_AT, lastAt: FIRST_AT, resolvedAt: FIRST_AT, absentAt: GONE_AT },
    { host: 'www', firstAt: FIRST_AT, lastAt: now, resolvedAt: now, absentAt: null },
  ];
}
