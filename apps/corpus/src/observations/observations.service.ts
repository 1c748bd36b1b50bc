import { Injectable } from '@nestjs/common';
import { skeletonOf } from '#libs/domain-names';
import { Database, type Transaction } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { DNS_TYPES } from '#libs/resolvers';
import { SpansService } from '../dns/spans.service.js';
import { RegistrationsService } from '../registrations/registrations.service.js';
import type { RankedSources } from '../sources/source.js';
import { SourcesService } from '../sources/sources.service.js';
import type { Change, ChangeKind } from './change.js';
import { ChangesRepository } from './changes.repository.js';
import { type CorrectedName, NamesRepository, type SeenName } from './names.repository.js';
import type {
  DnsObservation,
  GoneObservation,
  HostObservation,
  Observation,
  PassiveObservation,
} from '../records/observation.js';

export interface Recorded {
  newNames: number;
  changedNames: number;
}

interface NamedChange {
  key: string;
  name: string;
  at: Date;
  members?: readonly string[];
  isFirst?: boolean;
}

/** Stores observations. All data enters the corpus through this class, except lists of names and block lists. */
@Injectable()
export class ObservationsService {
  constructor(
    private readonly database: Database,
    private readonly names: NamesRepository,
    private readonly registrations: RegistrationsService,
    private readonly spans: SpansService,
    private readonly changes: ChangesRepository,
    private readonly sources: SourcesService,
  ) {}

  /** Records a batch of one source in its own transaction. */
  async record(observations: readonly Observation[], sourceId: number): Promise<Recorded> {
    return this.database.transaction(async (transaction) =>
      this.recordIn(transaction, observations, sourceId),
    );
  }

  /**
   * Stores a batch, except observations of suppressed names. Each observation is placed by the time at which it was
   * made. Observations that are already known only raise the count of their source, so a batch may arrive twice.
   */
  async recordIn(
    transaction: Transaction,
    seenAll: readonly Observation[],
    sourceId: number,
  ): Promise<Recorded> {
    const suppressed = await this.registrations.lockWriting(transaction);
    const observations = seenAll.filter(({ name }) => !suppressed.hasName(name.name));
    const of = <Kind extends Observation['kind']>(kind: Kind) =>
      observations.filter((one): one is Extract<Observation, { kind: Kind }> => one.kind === kind);
    const by = { sourceId, ...(await this.sources.listRanked(transaction, sourceId)) };
    const { fresh, again, repeated, shownFirst } = await this.recordNames(
      transaction,
      observations,
      by,
    );
    const registered = await this.registrations.record(transaction, of('whois'), {
      ...by,
      suppressed,
    });
    const records = await this.ofKnownNames(transaction, of('dns'));
    const resolved = await this.spans.record(transaction, records, by);
    await this.spans.recordPassive(transaction, of('passive'), by);
    const hosts = [...of('host'), ...hostsOf(records, of('passive'))];
    await this.spans.recordHosts(transaction, hosts, by);
    const dropped = await this.drop(transaction, of('gone'), observations);
    const changes = [
      ...changesOf('new', 'name', [...fresh, ...again]),
      ...changesOf('new', 'name', repeated).map((one) => ({ ...one, isRepeated: true })),
      ...changesOf('new', 'name', shownFirst).map((one) => ({ ...one, isShownFirst: true })),
      ...changesOf('changed', 'whois', registered),
      ...changesOf('changed', 'dns', resolved),
      ...changesOf('dropped', 'name', dropped),
    ];
    const freshNames = new Set(fresh.map(({ name }) => name));
    const changed = [...registered, ...resolved].filter(
      ({ name, isFirst }) => !isFirst && !freshNames.has(name),
    );
    if (changes.length > 0) await this.changes.add(transaction, changes, sourceId);
    const seen = observations.filter(({ kind }) => kind !== 'gone');
    await this.sources.count(
      transaction,
      sourceId,
      seen.map(({ at }) => at),
    );
    return { newNames: fresh.length, changedNames: new Set(changed.map((c) => c.name)).size };
  }

  /** Selects the observations to store: those that do not prove a registration are stored only for known names. */
  private async ofKnownNames(
    transaction: Transaction,
    observations: readonly DnsObservation[],
  ): Promise<DnsObservation[]> {
    const doubtful = observations.filter(({ isProof }) => !isProof);
    if (doubtful.length === 0) return [...observations];
    const known = await this.names.listKnown(
      transaction,
      doubtful.map(({ name }) => name),
    );
    return observations.filter(({ isProof, name }) => isProof || known.has(name.name));
  }

  /** Records names. @returns the names that were unknown, and those that `NamesRepository.correctNames` returns. */
  private async recordNames(
    transaction: Transaction,
    observations: readonly Observation[],
    by: RankedSources & { sourceId: number },
  ): Promise<Record<'fresh' | 'again' | 'repeated' | 'shownFirst', NamedChange[]>> {
    const names = seenNames(observations);
    if (names.length === 0) return { fresh: [], again: [], repeated: [], shownFirst: [] };
    const added = await this.names.addNames(transaction, names, by.sourceId);
    const fresh = names.filter(({ name }) => added.has(name));
    if (fresh.length > 0) await this.names.countNames(transaction, countsByTld(fresh));
    const known = names.filter(({ name }) => !added.has(name));
    await this.noteSource(transaction, observations, known, by);
    const { again, repeated, shownFirst } =
      known.length > 0
        ? await this.names.correctNames(transaction, known, by)
        : { again: [], repeated: [], shownFirst: [] };
    await this.registrations.mark(transaction, again, true);
    const told = await this.changes.selectNew(transaction, shownFirst, by.unshown);
    const lastAt = new Map(known.map((one) => [one.name, one.lastAt]));
    const seen = ({ key, name }: CorrectedName) => ({ key, name, at: lastAt.get(name)! });
    return {
      fresh: fresh.map(({ key, name, firstAt }) => ({ key, name, at: firstAt })),
      again: again.map(seen),
      repeated: repeated.map(seen),
      shownFirst: told.map(seen),
    };
  }

  private async noteSource(
    transaction: Transaction,
    observations: readonly Observation[],
    known: readonly SeenName[],
    by: { sourceId: number; outranked: readonly number[] },
  ): Promise<void> {
    const listed = new Set(
      observations.filter(({ kind }) => LISTING.includes(kind)).map(({ name }) => name.name),
    );
    const noted = known.map((one) => ({ ...one, isListing: listed.has(one.name) }));
    const hasNews = by.outranked.length > 0 || listed.size > 0;
    if (hasNews && noted.length > 0) await this.names.addSource(transaction, noted, by);
  }

  /** Drops names, except those that another observation of the batch shows to be registered later. */
  private async drop(
    transaction: Transaction,
    gone: readonly GoneObservation[],
    observations: readonly Observation[],
  ): Promise<NamedChange[]> {
    if (gone.length === 0) return [];
    const certainAt = new Map(seenNames(observations).map((one) => [one.name, one.certainAt]));
    const first = new Map<string, NamedChange>();
    for (const { name, at } of gone) {
      if (at < (certainAt.get(name.name) ?? at)) continue;
      const known = first.get(name.name);
      if (!known || at < known.at) first.set(name.name, { key: name.key, name: name.name, at });
    }
    const dropped = await this.names.dropNames(transaction, [...first.values()]);
    await this.registrations.mark(transaction, dropped, false);
    return dropped.map(({ name }) => first.get(name)!);
  }
}

/**
 * Returns the hosts that were queried for addresses or seen with one. Queries for other types do not show whether a
 * host has an address.
 */
function hostsOf(
  asked: readonly DnsObservation[],
  passive: readonly PassiveObservation[],
): HostObservation[] {
  const kind = 'host' as const;
  const isAddress = (rtype: number) => RESOLVING.includes(rtype);
  return [
    ...asked
      .filter(({ host, types }) => host !== '' && types.some(isAddress))
      .map(({ name, host, at, values }) => {
        const hasResolved = values.some(({ rtype }) => isAddress(rtype));
        return { kind, name, host, at, hasResolved };
      }),
    ...passive
      .filter(({ host, rtype }) => host !== '' && isAddress(rtype))
      .flatMap(({ name, host, at, until }) =>
        [at, until].map((one) => ({ kind, name, host, at: one, hasResolved: true })),
      ),
  ];
}

/**
 * The kinds of observations that may leave no other row with their source, so the source is
 * recorded with the name.
 */
const LISTING: readonly Observation['kind'][] = ['listed', 'passive', 'host'];

const RESOLVING: readonly number[] = [DNS_TYPES.A, DNS_TYPES.AAAA, DNS_TYPES.CNAME];

/**
 * How long resolvers and sensors may see the records of a name after it was dropped: the usual maximum lifetime of a
 * delegation in caches. Such records do not show that the name is registered again.
 */
const CACHED_MS = 2 * DAY_MS;
const FROM_CACHES: readonly Observation['kind'][] = ['dns', 'passive'];

/** Returns the names that the observations show to be registered, each once. */
function seenNames(observations: readonly Observation[]): SeenName[] {
  const names = new Map<string, SeenName>();
  for (const observation of observations) {
    const { kind, name, at } = observation;
    if (kind === 'gone' || (kind === 'dns' && !observation.isProof)) continue;
    const until = kind === 'passive' ? observation.until : at;
    const certainAt = new Date(until.getTime() - (FROM_CACHES.includes(kind) ? CACHED_MS : 0));
    const known = names.get(name.name);
    if (known) {
      if (at < known.firstAt) known.firstAt = at;
      if (until > known.lastAt) known.lastAt = until;
      if (certainAt > known.certainAt) known.certainAt = certainAt;
      continue;
    }
    const tld = name.name.slice(name.name.lastIndexOf('.') + 1);
    const skeleton = name.unicode === null ? null : skeletonOf(name.unicode);
    names.set(name.name, { ...name, skeleton, tld, firstAt: at, lastAt: until, certainAt });
  }
  return [...names.values()];
}

function countsByTld(names: readonly SeenName[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { tld } of names) counts.set(tld, (counts.get(tld) ?? 0) + 1);
  return counts;
}

function changesOf(
  kind: ChangeKind,
  subject: Change['subject'],
  names: readonly NamedChange[],
): Change[] {
  const first = new Map(names.map((one) => [one.name, one]));
  return [...first.values()].map(({ key, name, at, members = [], isFirst = false }) => ({
    id: newId(),
    key,
    name,
    kind,
    subject,
    members,
    isFirst,
    at,
  }));
}
