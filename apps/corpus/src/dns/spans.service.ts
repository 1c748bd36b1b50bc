import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { parseHostName } from '#libs/domain-names';
import { DNS_TYPES } from '#libs/resolvers';
import { filedName } from '../names/registrable-name.js';
import type {
  DnsObservation,
  HostObservation,
  PassiveObservation,
} from '../records/observation.js';
import { LOOKUPS_SOURCE } from '../sources/source.js';
import { addressOf, bitOf, keptTypeName, targetOf, valueKeyOf } from './dns-type.js';
import { HostsRepository, type NamedHost } from './hosts.repository.js';
import { type SightedAt, type Span, spanEdits } from './span-sequence.js';
import {
  type AskedOwner,
  type NearSighting,
  type Sighting,
  type SpanRow,
  type SpanSource,
  SpansRepository,
} from './spans.repository.js';

interface Observed extends AskedOwner {
  observations: DnsObservation[];
}

export interface ChangedRecords {
  key: string;
  name: string;
  at: Date;
  members: string[];
  /** Whether nothing was known about the name's records of the batch's types before the batch. */
  isFirst: boolean;
}

type NearSpan = Pick<SpanRow, 'rtype' | 'value' | 'firstAt' | 'untilAt'>;

@Injectable()
export class SpansService {
  constructor(
    private readonly spans: SpansRepository,
    private readonly hosts: HostsRepository,
  ) {}

  /**
   * Stores records. @returns the names whose newest records have changed, or of which these are the first observations;
   * hosts below a name are left out.
   */
  async record(
    transaction: Transaction,
    observations: readonly DnsObservation[],
    by: SpanSource,
  ): Promise<ChangedRecords[]> {
    const owners = ownersOf(observations);
    if (owners.length === 0) return [];
    const rtypes = [...new Set(observations.flatMap(({ types }) => types))];
    const near = await this.spans.listNear(transaction, owners, rtypes.map(bitOf));
    const spans = await this.spans.listSpans(transaction, owners.map(widened(near)));
    const added: SpanRow[] = [];
    const removed: SpanRow[] = [];
    const changed: ChangedRecords[] = [];
    for (const [place, owner] of owners.entries()) {
      const members: string[] = [];
      for (const rtype of new Set(owner.observations.flatMap(({ types }) => types))) {
        const edits = editsOf(owner, { ...by, rtype }, near[place], spans[place]);
        const row = rowOf(owner, rtype);
        added.push(...edits.added.map((span) => row(span, span.sourceId)));
        removed.push(...edits.removed.map((span) => row(span, by.sourceId)));
        const isKnown = near[place].some(({ types }) => (types & bitOf(rtype)) !== 0);
        if (edits.isNews && isKnown) members.push(keptTypeName(rtype)!);
      }
      if (owner.host !== '') continue;
      const { key, name, lastAt: at } = owner;
      const isFirst = near[place].length === 0;
      if (members.length > 0 || isFirst) changed.push({ key, name, at, members, isFirst });
    }
    // Rows are removed first, because a removed row may be added again with another end under the same key.
    if (removed.length > 0) await this.spans.remove(transaction, removed);
    if (added.length > 0) await this.spans.add(transaction, added);
    // Only our own lookups add hosts: names from other sources are looked up too, if that is permitted.
    const named = by.sourceId === LOOKUPS_SOURCE ? namedHosts(observations) : [];
    if (named.length > 0) await this.hosts.addNamed(transaction, named, by.sourceId);
    await this.spans.addSightings(transaction, sightingsOf(owners), by);
    return changed;
  }

  /** Stores records that sensors saw. */
  async recordPassive(
    transaction: Transaction,
    observations: readonly PassiveObservation[],
    by: SpanSource,
  ): Promise<void> {
    const rows = new Map<string, SpanRow>();
    for (const { name, host, rtype, value, at, until } of observations) {
      const owner = { key: name.key, name: name.name, host };
      const span = { value, firstMs: at.getTime(), untilMs: until.getTime() };
      const row = { ...rowOf(owner, rtype)(span, by.sourceId), isPassive: true };
      const id = [row.name, host, rtype, row.valueKey, span.firstMs].join(' ');
      const known = rows.get(id)?.untilAt;
      if (!known || known < until) rows.set(id, row);
    }
    if (rows.size === 0) return;
    const own = await this.spans.claimPassive(transaction, [...rows.values()], by);
    if (own.length > 0) await this.spans.add(transaction, own);
  }

  async recordHosts(
    transaction: Transaction,
    observations: readonly HostObservation[],
    by: SpanSource,
  ): Promise<void> {
    if (observations.length === 0) return;
    const hosts = observations.map(({ name, host, at, hasResolved }) => ({
      key: name.key,
      name: name.name,
      host,
      at,
      hasResolved,
    }));
    await this.hosts.add(transaction, hosts, by);
  }
}

function ownersOf(observations: readonly DnsObservation[]): Observed[] {
  const owners = new Map<string, Observed>();
  for (const observation of observations) {
    const { name, host, at } = observation;
    const id = `${host} ${name.name}`;
    let owner = owners.get(id);
    if (!owner) {
      const { key } = name;
      owner = { key, name: name.name, host, firstAt: at, lastAt: at, observations: [] };
      owners.set(id, owner);
    }
    if (at < owner.firstAt) owner.firstAt = at;
    if (at > owner.lastAt) owner.lastAt = at;
    owner.observations.push(observation);
  }
  return [...owners.values()];
}

function widened(near: readonly NearSighting[][]) {
  return (owner: Observed, place: number): AskedOwner => {
    const times = near[place].map(({ atMs }) => atMs);
    return {
      ...owner,
      firstAt: new Date(Math.min(owner.firstAt.getTime(), ...times)),
      lastAt: new Date(Math.max(owner.lastAt.getTime(), ...times)),
    };
  };
}

function editsOf(
  { observations }: Observed,
  { rtype, sourceId, outranked }: SpanSource & { rtype: number },
  near: readonly NearSighting[],
  spans: readonly NearSpan[],
) {
  const seen = observations
    .filter(({ types }) => types.includes(rtype))
    .map(({ at, values }) => ({
      atMs: at.getTime(),
      sourceId,
      values: values.filter((one) => one.rtype === rtype).map(({ value }) => value),
    }));
  const old = spans
    .filter((span) => span.rtype === rtype)
    .map(({ value, firstAt, untilAt }) => ({
      value,
      firstMs: firstAt.getTime(),
      untilMs: untilAt?.getTime(),
    }));
  // If two sources saw the record at the same time, the source with more rights wins or, if their rights are equal, the
  // source that was known earlier.
  const times = new Set(seen.map(({ atMs }) => atMs));
  const sightings = near.filter(
    ({ types, ...one }) =>
      (types & bitOf(rtype)) !== 0 && !(times.has(one.atMs) && outranked.includes(one.sourceId)),
  );
  return spanEdits(old, nearestOf(sightings, seen), seen);
}

/**
 * Returns the sightings of one type near the observations: the last one before them, those between them and the first
 * one after them.
 */
function nearestOf(near: readonly SightedAt[], seen: readonly SightedAt[]): SightedAt[] {
  const [fromMs, toMs] = [
    Math.min(...seen.map((s) => s.atMs)),
    Math.max(...seen.map((s) => s.atMs)),
  ];
  const sorted = near.toSorted((a, b) => a.atMs - b.atMs);
  const before = sorted.filter(({ atMs }) => atMs < fromMs);
  const between = sorted.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const after = sorted.filter(({ atMs }) => atMs > toMs);
  return [...before.slice(-1), ...between, ...after.slice(0, 1)];
}

function rowOf({ key, name, host }: Pick<AskedOwner, 'key' | 'name' | 'host'>, rtype: number) {
  return ({ value, firstMs, untilMs }: Span, sourceId: number): SpanRow => ({
    key,
    name,
    host,
    rtype,
    value,
    valueKey: valueKeyOf(rtype, value),
    ip: addressOf(rtype, value),
    firstAt: new Date(firstMs),
    untilAt: untilMs === undefined ? null : new Date(untilMs),
    isPassive: false,
    sourceId,
  });
}

const NAMING: readonly number[] = [DNS_TYPES.NS, DNS_TYPES.MX, DNS_TYPES.SOA];
/** How many hosts the records of a name may add. Its owner can name any number of hosts below other people's names. */
const NAMED_MAX = 50;

/**
 * Returns the mail and name servers below names to which records lead, each once. Records that are known count too: the
 * name of a server may have become known later than they.
 */
function namedHosts(observations: readonly DnsObservation[]): NamedHost[] {
  const named = new Map<string, NamedHost>();
  for (const { at, values } of observations) {
    const leading = values.filter(({ rtype }) => NAMING.includes(rtype)).slice(0, NAMED_MAX);
    for (const { rtype, value } of leading) {
      const parsed = parseHostName(targetOf(rtype, value));
      if (!parsed.ok) continue;
      const { key, name } = filedName(parsed.hostName.domain);
      const host = parsed.hostName.host.slice(0, -name.length - 1);
      const known = named.get(`${host} ${name}`);
      if (host !== '' && (!known || at < known.at)) {
        named.set(`${host} ${name}`, { key, name, host, at });
      }
    }
  }
  return [...named.values()];
}

function sightingsOf(owners: readonly Observed[]): Sighting[] {
  return owners.flatMap(({ key, name, host, observations }) =>
    observations.map(({ at, types }) => ({
      key,
      name,
      host,
      at,
      types: types.reduce((mask, rtype) => mask | bitOf(rtype), 0),
    })),
  );
}
