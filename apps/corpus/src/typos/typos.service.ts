import { domainToUnicode } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type LookAlike, Pages, type QuestionOf, TYPOS, type TypoKind } from '#libs/contracts';
import { parseDomainName, skeletonOf } from '#libs/domain-names';
import { Clock, DAY_MS, InvalidRequest } from '#libs/platform';
import { CoverageService, FIXTURE_SOURCE } from '../coverage/coverage.service.js';
import { domainKeyOf } from '../names/domain-key.js';
import { labelForm } from '../names/folded.js';
import { NewestService } from '../newest/newest.service.js';
import { COUNTED_MAX, totalOf } from '../searches/counted-pages.js';
import {
  type SearchAnswer,
  type SearchRows,
  allRows,
  countedOrListed,
  readRows,
  searchAnswer,
} from '../searches/search-answer.js';
import { searchPattern } from '../searches/search-pattern.js';
import { InvalidDomainName } from '../searches/searches.errors.js';
import { type ReadName, likenessOf } from './likeness.js';
import { asciiOf, dottedForms, labelPermutations, namePermutations } from './permutations.js';
import { readName } from './typo-scores.js';
import {
  type SoughtNames,
  type TypoRow,
  type TyposAsked,
  TyposRepository,
} from './typos.repository.js';

type Question = QuestionOf<typeof TYPOS>;

/** A registration that is younger than this raises the score. */
const NEW_DAYS = 30;
/** The suffixes under which generated labels are searched for by default, in addition to the name's own suffix. */
const USUAL_SUFFIXES = ['com', 'net', 'org', 'info', 'co', 'io', 'app', 'shop', 'online', 'xyz'];
const FIXTURE_FOUND = 'registered.test';
/** Matches no pattern with wildcards, from which the conversion of a label would drop a `?` and what follows it. */
const A_LABEL = /^xn--[a-z0-9-]+$/;

interface Search {
  sought: TyposAsked['sought'];
  own: ReadName;
  kindOf: (row: TypoRow) => TypoKind;
  permutations?: number;
}

@Injectable()
export class TyposService {
  constructor(
    private readonly pages: Pages,
    private readonly repository: TyposRepository,
    private readonly newest: NewestService,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidDomainName, InvalidRequest; the errors of `SearchDatabase.query`. */
  async answer(question: Question): Promise<SearchAnswer> {
    const page = this.pages.asked(TYPOS, question);
    const { selector, value } = selected(question);
    const isFixture = isFixtureValue(selector, value);
    const search = isFixture ? undefined : await searchOf(question);
    const { permutations } = search ?? {};
    const query = { selector, value, ...(permutations !== undefined && { permutations }) };
    const shown = {
      isFixture,
      head: { status: true, query },
      coverage: async () => this.coverage.beside(isFixture),
      list: 'domains',
    };
    if (!search) {
      const rows = allRows(fixturesOf(value));
      return searchAnswer(page, { ...shown, rows, told: (domains) => domains });
    }
    const { ids: sourceIds } = await this.coverage.shown();
    const asked: TyposAsked = {
      sought: search.sought,
      length: question.label_length,
      suffixes: question.tld ?? [],
      firstSeenSince: question.first_seen_since ?? null,
      excluded: excludedNames(question),
      sourceIds,
    };
    return searchAnswer(page, {
      ...shown,
      rows: this.rows(asked),
      told: async (rows) => this.told(rows, search, sourceIds),
    });
  }

  private rows(asked: TyposAsked): SearchRows<TypoRow> {
    const { sought } = asked;
    const placeOf = ({ key, name }: TypoRow) => [key, name];
    if (!('names' in sought)) {
      return countedOrListed(
        async (place) => this.repository.find(asked, sought, place),
        async (place) => this.repository.list(asked, sought, place),
        placeOf,
      );
    }
    // Only a few of very many generated names exist, so one search yields both their number and the page.
    let finding: Promise<TypoRow[]> | undefined;
    const all = async () =>
      (finding ??= this.repository.listSought(asked, sought, COUNTED_MAX + 1));
    return readRows(
      async () => totalOf((await all()).length),
      async ({ after, offset, limit }) =>
        (await all()).filter((row) => isBehind(row, after)).slice(offset, offset + limit),
      placeOf,
    );
  }

  private async told(
    rows: readonly TypoRow[],
    { own, kindOf }: Search,
    sourceIds: readonly number[],
  ): Promise<LookAlike[]> {
    const [records, dns, { nameOf }] = await Promise.all([
      this.newest.records(rows, sourceIds),
      this.newest.dns(rows, sourceIds),
      this.coverage.shown(),
    ]);
    const newSince = this.clock.now().getTime() - NEW_DAYS * DAY_MS;
    const createdOf = (row: TypoRow) => textOf(records.get(row.name)?.record.create_date);
    const added = await this.newest.added(
      rows.filter((row) => createdOf(row) === null && row.firstAt.getTime() >= newSince),
    );
    return rows.map((row): LookAlike => {
      const record = records.get(row.name)?.record ?? {};
      const known = dns.get(row.name);
      const registrar = record.domain_registrar as { registrar_name?: string } | undefined;
      const created = createdOf(row);
      const mx = known?.isMailKnown ? (known.mailServers ?? []) : null;
      const other = { label: row.unicode ?? row.label, suffix: suffixOf(row.name) };
      // The names may differ only in the dot: `pay.pal.com` is one character away from `paypal.com`.
      const hosted = {
        label: `${domainToUnicode(row.host ?? '')}.${other.label}`,
        suffix: other.suffix,
      };
      const isNew = created === null ? added.has(row.name) : Date.parse(created) >= newSince;
      const takesMail = mx !== null && mx.some((one) => one !== '' && one !== '.');
      return {
        domain_name: row.name,
        domain_unicode: domainToUnicode(row.name),
        ...(row.host !== null && { host: `${row.host}.${row.name}` }),
        kind: kindOf(row),
        ...likenessOf(own, row.host === null ? other : hosted, { isNew, takesMail }),
        first_seen: row.firstAt.toISOString(),
        registrar: registrar?.registrar_name ?? null,
        create_date: created,
        expiry_date: textOf(record.expiry_date),
        name_servers: known?.nameServers ?? (record.name_servers as string[] | undefined) ?? null,
        mx,
        source: nameOf(row.sourceId),
      };
    });
  }
}

function selected(question: Question): { selector: string; value: string } {
  const selectors = ['domainName', 'keyword', 'pattern'] as const;
  const selector = selectors.find((one) => question[one] !== undefined)!;
  return { selector, value: question[selector]! };
}

const FIXTURES: readonly string[] = [FIXTURE_FOUND, 'redacted.test'];

/** True if a text is reserved for test keys: any name under `.test`, and the samples of text searches. */
function isFixtureValue(selector: string, value: string): boolean {
  if (selector !== 'domainName') return FIXTURES.includes(value.toLowerCase());
  const parsed = parseDomainName(value);
  return parsed.ok && parsed.domain.tld === 'test';
}

async function searchOf(question: Question): Promise<Search> {
  if (question.domainName !== undefined) return lookAlikesOf(question.domainName, question.tld);
  const { selector, value } = selected(question);
  const lower = value.toLowerCase();
  const text = A_LABEL.test(lower) ? domainToUnicode(lower) || lower : lower;
  const refuse = (message: string) => new InvalidRequest([{ field: selector, message }]);
  if (text.includes('.')) throw refuse('applies to the label; pass the suffix as "tld"');
  const isKeyword = selector === 'keyword';
  if (isKeyword && /[*?]/.test(text))
    throw refuse('must not contain wildcards; use "pattern" for them');
  const pattern = searchPattern(selector, text, labelForm);
  // A pattern must match the whole label, with or without wildcards.
  const whole = isKeyword || /[*?]/.test(text) ? pattern : withoutEnds(pattern);
  const look = skeletonOf(text);
  // The index finds appearances by Latin letters in a row. A text without them is found by its own letters only.
  const isIndexed = isKeyword && /[a-z0-9]{3}/.test(look);
  const skeleton = isIndexed ? searchPattern(selector, look, labelForm).exact : null;
  return {
    sought: { pattern: whole, skeleton },
    own: { label: text.replace(/[*?]/g, ''), suffix: '' },
    kindOf: () => (isKeyword ? 'keyword' : 'pattern'),
  };
}

const withoutEnds = ({ loose, exact }: { loose: string; exact: string }) => ({
  loose: loose.slice(1, -1),
  exact: exact.slice(1, -1),
});

/** Returns a search for look-alikes of a name. @throws InvalidDomainName */
async function lookAlikesOf(
  text: string,
  tlds: readonly string[] = USUAL_SUFFIXES,
): Promise<Search> {
  const parsed = parseDomainName(text);
  if (!parsed.ok) throw new InvalidDomainName(parsed.message);
  const own = readName(parsed.domain);
  const labels = await labelPermutations(own.label);
  const names = await namePermutations(own, labels, tlds);
  const kinds = new Map(names.map(({ name, kind }) => [name, kind]));
  const hosts = dottedForms(own.label).flatMap(({ host: below, label: above }) => {
    const [host, label] = [asciiOf(below), asciiOf(above)];
    const name = `${label}.${own.suffix}`;
    return host === '' || label === '' ? [] : [{ key: domainKeyOf(name), name, host }];
  });
  const skeletons = [own.label, ...labels.keys()].filter((one) => skeletonOf(one) === one);
  const sought: SoughtNames = { names, hosts, skeletons };
  return {
    sought,
    own,
    kindOf: ({ name, host }) => (host === null ? (kinds.get(name) ?? 'homoglyph') : 'subdomain'),
    permutations: names.length,
  };
}

function isBehind({ key, name }: TypoRow, after: readonly string[] | undefined): boolean {
  if (!after) return true;
  const [own, last] = [BigInt(key), BigInt(after[0])];
  return own > last || (own === last && name > after[1]);
}

function excludedNames({ exclude = [], domainName }: Question): string[] {
  return [...exclude, ...(domainName === undefined ? [] : [domainName])].flatMap((text) => {
    const parsed = parseDomainName(text);
    return parsed.ok ? [parsed.domain.name] : [];
  });
}

const suffixOf = (name: string) => name.slice(name.indexOf('.') + 1);
const textOf = (value: unknown) => (typeof value === 'string' ? value : null);

function fixturesOf(value: string): LookAlike[] {
  const parsed = parseDomainName(value);
  return parsed.ok && parsed.domain.name === FIXTURE_FOUND ? [FIXTURE] : [];
}

const FIXTURE: LookAlike = {
  domain_name: 'reg1stered.test',
  domain_unicode: 'reg1stered.test',
  kind: 'homoglyph',
  score: 95,
  reasons: ['looks_the_same'],
  first_seen: '2025-05-10T11:00:00.000Z',
  registrar: 'Example Registrar One, Inc.',
  create_date: '2025-05-09',
  expiry_date: '2027-05-09',
  name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
  mx: [],
  source: FIXTURE_SOURCE,
};
