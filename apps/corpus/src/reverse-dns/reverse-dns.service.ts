import { Injectable } from '@nestjs/common';
import {
  DNS_REVERSE,
  Pages,
  type Paging,
  type QuestionOf,
  type ReverseDnsRecord,
  reverseSubject,
} from '#libs/contracts';
import { lastAddress, parseCidr } from '#libs/domain-names';
import { Clock, DAY_MS, InvalidRequest } from '#libs/platform';
import { DNS_TYPES } from '#libs/resolvers';
import { CoverageService } from '../coverage/coverage.service.js';
import { targetKeyOf } from '../dns/dns-type.js';
import { PASSIVE_DAYS } from '../dns/shown-spans.js';
import {
  type SearchAnswer,
  allRows,
  countedOrListed,
  partOf,
  searchAnswer,
} from '../searches/search-answer.js';
import {
  type FoundRecord,
  type RecordsAsked,
  type RecordsSought,
  ReverseDnsRepository,
  isOfOneAddress,
} from './reverse-dns.repository.js';
import { textsSought } from './texts-sought.js';

type Question = QuestionOf<typeof DNS_REVERSE>;

/** If an address belongs to at most this many hosts, a search for the address finds the names of all of them. */
const HOSTS_MAX = 1_000;
const FIXTURE_FOUND = '192.0.2.1';
const FIXTURE = /^(192\.0\.2|198\.51\.100|203\.0\.113)\./;

@Injectable()
export class ReverseDnsService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: ReverseDnsRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidRequest; the errors of `SearchDatabase.query`. */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(DNS_REVERSE, question);
    const { value, type, current } = question;
    const isFixture = FIXTURE.test(value);
    const shown = {
      isFixture,
      head: { status: true, value, type, addresses: [] },
      coverage: async () => this.coverage.beside(isFixture),
      list: 'domains',
    };
    if (isFixture) {
      return searchAnswer(page, {
        ...shown,
        rows: allRows(this.fixtures(question)),
        told: (records) => records,
        beside: async (records) => ({
          addresses: records.map(() => ({ ip_address: value, names: 1 })),
        }),
      });
    }
    const { ids: sourceIds } = await this.coverage.shown();
    const which = {
      isCurrent: current,
      passiveSince: new Date(this.clock.now().getTime() - PASSIVE_DAYS * DAY_MS),
      sourceIds,
    };
    const sought = await this.sought(question, which);
    const asked: RecordsAsked = { ...which, rtype: DNS_TYPES[type], sought };
    const rows = countedOrListed(
      async (place) => this.repository.find(asked, place),
      async (place) => this.repository.list(asked, place),
      ({ place, key, name }) => [place, key, name],
    );
    const isPart = 'valueKeys' in sought && sought.valueKeys.length > HOSTS_MAX;
    return searchAnswer(page, {
      ...shown,
      rows: isPart ? partOf(rows) : rows,
      told: async (rows) => {
        const seen = rows.length === 0 ? [] : await this.repository.lastSightings(rows, asked);
        return rows.map((row, place) => this.told(question, row, seen[place]));
      },
      beside: async (rows, paging) => ({ addresses: await this.addresses(rows, asked, paging) }),
    });
  }

  private async sought(
    { value, type }: Question,
    which: Omit<RecordsAsked, 'rtype' | 'sought'>,
  ): Promise<RecordsSought> {
    const subject = reverseSubject(value);
    const rtype = DNS_TYPES[type];
    if (type === 'TXT') return textsSought(value);
    if (type === 'A' || type === 'AAAA') {
      if (subject.kind === 'address') return { first: subject.address, last: subject.address };
      if (subject.kind === 'block') return rangeOf(subject.cidr);
      throw refused('must be an IP address or an address block');
    }
    if (subject.kind === 'host') return { valueKeys: [targetKeyOf(rtype, subject.host)] };
    if (subject.kind === 'address' && type !== 'CNAME') {
      const hosts = await this.repository.listHosts(subject.address, which, HOSTS_MAX + 1);
      return { valueKeys: hosts.map((host) => targetKeyOf(rtype, host)) };
    }
    throw refused(
      type === 'CNAME' ? 'must be a host name' : 'must be a host name or an IP address',
    );
  }

  private async addresses(items: readonly FoundRecord[], asked: RecordsAsked, paging: Paging) {
    const places = [...new Set(items.map(({ place }) => place))].filter((place) => place !== '');
    if (places.length === 0) return [];
    // A search for one address finds each name only once.
    if (isOfOneAddress(asked.sought))
      return [{ ip_address: places[0], names: paging.total_records }];
    const counts = await this.repository.countNames(places, asked);
    return counts.map(({ address, names }) => ({ ip_address: address, names }));
  }

  private told({ type, value }: Question, row: FoundRecord, seenAt: Date | null): ReverseDnsRecord {
    const subject = reverseSubject(value);
    const isThroughHost = subject.kind === 'address' && row.place === '' && type !== 'TXT';
    return {
      domain_name: row.name,
      type,
      value: row.value,
      ...(isThroughHost && { ip_address: subject.address }),
      first_seen: row.firstAt.toISOString(),
      last_seen: latest(row.firstAt, seenAt).toISOString(),
    };
  }

  private fixtures({ type, value }: Question): ReverseDnsRecord[] {
    const [first_seen, last_seen] = [FIXTURE_SEEN, this.clock.now().toISOString()];
    const record = { domain_name: 'registered.test', type, value, first_seen, last_seen };
    return value === FIXTURE_FOUND ? [record] : [];
  }
}

const latest = (first: Date, last: Date | null) => (last && last > first ? last : first);

const FIXTURE_SEEN = '2025-05-10T11:00:00.000Z';

const refused = (message: string) => new InvalidRequest([{ field: 'value', message }]);

function rangeOf(block: string): { first: string; last: string } {
  const parsed = parseCidr(block);
  if (!parsed.ok) throw refused(parsed.message);
  return { first: parsed.cidr.address, last: lastAddress(parsed.cidr) };
}
