import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { Key } from '../names/domain-key.js';
import type { WhoisObservation } from '../records/observation.js';
import { contactTerms } from '../records/contact-terms.js';
import { packedText } from '../records/raw-text.js';
import type { SuppressedValues } from '../suppression/suppressed-values.js';
import { SuppressionsService } from '../suppression/suppressions.service.js';
import { type Registration, differingMembers, stateOf } from '../records/registration.js';
import { type GivenRecord, changesByRecord } from '../records/record-changes.js';
import { type KeptLink, type Link, sequenceEdits } from './revision-sequence.js';
import {
  type AskedSequence,
  type NewestRevision,
  type NewRevision,
  type PlacedLink,
  RevisionsRepository,
} from './revisions.repository.js';
import { type Token, TokensRepository } from './tokens.repository.js';

export interface ChangedName {
  key: Key;
  name: string;
  at: Date;
  /** Whether no complete record of the name was known before. */
  isFirst: boolean;
  /** The members of the record that differ; empty for a first record. */
  members: string[];
}

interface SeenState extends Link {
  registration: Registration;
  answeredBy: string;
  raw?: string;
}

interface Sequence extends AskedSequence {
  seen: SeenState[];
}

interface Edits {
  revisions: NewRevision[];
  confirmations: PlacedLink[];
  promoted: PlacedLink[];
  demoted: PlacedLink[];
  changed: NewestName[];
}

interface NewestName extends Omit<ChangedName, 'members'> {
  firstAt: Date;
  /** The record in the batch; undefined if an earlier revision is now the newest again. */
  given?: GivenRecord;
}

const COMPARED_MAX = 100;
/** The number of names whose revisions are in memory at once. */
const COMPARED_NAMES = 100;

@Injectable()
export class RegistrationsService {
  constructor(
    private readonly revisions: RevisionsRepository,
    private readonly tokens: TokensRepository,
    private readonly suppressions: SuppressionsService,
  ) {}

  async lockWriting(transaction: Transaction): Promise<SuppressedValues> {
    return this.suppressions.lockWriting(transaction);
  }

  /** Returns the known suppressed values. Without the lock, more values may be added in the meantime. */
  async suppressed(transaction: Transaction): Promise<SuppressedValues> {
    return this.suppressions.valuesNow(transaction);
  }

  /**
   * Records observations. @returns the names whose newest complete record has changed, compared with earlier records of
   * the same servers.
   */
  async record(
    transaction: Transaction,
    observations: readonly WhoisObservation[],
    {
      sourceId,
      outranked,
      suppressed,
    }: { sourceId: number; outranked: readonly number[]; suppressed: SuppressedValues },
  ): Promise<ChangedName[]> {
    if (observations.length === 0) return [];
    const sequences = sequencesOf(observations);
    const near = await this.revisions.listNear(transaction, sequences);
    const edits = editsOf(sequences, near, suppressed);
    const before = await this.newest(
      transaction,
      edits.changed.filter(({ isFirst }) => !isFirst),
    );
    await this.write(transaction, edits, sourceId);
    const fresh = edits.changed.flatMap(({ key, name, given }) =>
      given ? [{ key, name, ...given }] : [],
    );
    const others = edits.changed.filter(({ given }) => !given);
    const after = [...fresh, ...(await this.newest(transaction, others))];
    await this.replaceTokens(transaction, before, after, sourceId);
    if (outranked.length > 0) await this.claim(transaction, sequences, { sourceId, outranked });
    return this.changedNames(transaction, edits.changed, before, after);
  }

  private async changedNames(
    transaction: Transaction,
    changed: readonly NewestName[],
    before: readonly NamedRecord[],
    after: readonly NamedRecord[],
  ): Promise<ChangedName[]> {
    const old = new Map(before.map((one) => [one.name, one]));
    const next = new Map(after.map((one) => [one.name, one]));
    const told: ChangedName[] = [];
    const others: NewestName[] = [];
    for (const one of changed) {
      const { key, name, at, isFirst } = one;
      const [was, is] = [old.get(name), next.get(name)];
      if (was && is && was.answeredBy !== is.answeredBy) others.push(one);
      else {
        const members = was && is ? differingMembers(was.record, is.record) : [];
        const isSame = was && is && members.length === 0;
        if (!isSame) told.push({ key, name, at, isFirst, members });
      }
    }
    for (let from = 0; from < others.length; from += COMPARED_NAMES) {
      told.push(
        ...(await this.changedByOthers(transaction, others.slice(from, from + COMPARED_NAMES))),
      );
    }
    return told;
  }

  /** Selects the names whose newest record shows a change, even though other servers gave the previous record. */
  private async changedByOthers(
    transaction: Transaction,
    names: readonly NewestName[],
  ): Promise<ChangedName[]> {
    const revisions = await this.revisions.listNewest(transaction, names, COMPARED_MAX);
    const byName = Map.groupBy(revisions, ({ name }) => name);
    const changed: ChangedName[] = [];
    for (const { key, name, at, firstAt, isFirst } of names) {
      const members = await membersSince(firstAt, byName.get(name) ?? []);
      if (members.length > 0) changed.push({ key, name, at, isFirst, members });
    }
    return changed;
  }

  private async newest(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
  ): Promise<NamedRecord[]> {
    return names.length === 0 ? [] : this.revisions.listNewest(transaction, names);
  }

  /** Updates the flag, stored with the values of names, that says whether the names are registered. */
  async mark(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
    isRegistered: boolean,
  ): Promise<void> {
    const newest = await this.newest(transaction, names);
    const tokens = newest.flatMap(tokensOf);
    if (tokens.length > 0) await this.tokens.mark(transaction, tokens, isRegistered);
  }

  private async write(transaction: Transaction, edits: Edits, sourceId: number): Promise<void> {
    const { revisions, confirmations, promoted, demoted } = edits;
    if (revisions.length > 0) {
      await this.revisions.addRevisions(transaction, revisions, sourceId);
    }
    if (confirmations.length > 0) {
      await this.revisions.addConfirmations(transaction, confirmations, sourceId);
    }
    if (promoted.length > 0) await this.revisions.promote(transaction, promoted);
    if (demoted.length > 0) await this.revisions.demote(transaction, demoted);
  }

  /**
   * Takes over data of sources with fewer rights: revisions and confirmations of the same moment, and values that both
   * the newest record of the name and a record of the batch publish.
   */
  private async claim(
    transaction: Transaction,
    sequences: readonly Sequence[],
    by: { sourceId: number; outranked: readonly number[] },
  ): Promise<void> {
    const links = sequences.flatMap(({ key, name, isComplete, seen }) =>
      seen.map(({ atMs, state }) => ({ key, name, isComplete, at: new Date(atMs), state })),
    );
    await this.revisions.claim(transaction, links, by);
    const complete = sequences.filter(({ isComplete }) => isComplete);
    const own = new Set(
      complete.flatMap(({ key, name, seen }) =>
        seen.flatMap(({ registration: record }) => tokensOf({ key, name, record })).map(idOf),
      ),
    );
    if (own.size === 0) return;
    const newest = await this.revisions.listNewest(transaction, complete);
    const tokens = newest.flatMap(tokensOf).filter((token) => own.has(idOf(token)));
    if (tokens.length > 0) await this.tokens.claim(transaction, tokens, by);
  }

  private async replaceTokens(
    transaction: Transaction,
    before: readonly Named[],
    after: readonly Named[],
    sourceId: number,
  ): Promise<void> {
    const old = new Map(before.flatMap(tokensOf).map((token) => [idOf(token), token]));
    const next = new Map(after.flatMap(tokensOf).map((token) => [idOf(token), token]));
    const gone = [...old].filter(([id]) => !next.has(id)).map(([, token]) => token);
    const fresh = [...next].filter(([id]) => !old.has(id)).map(([, token]) => token);
    if (gone.length > 0) await this.tokens.remove(transaction, gone);
    if (fresh.length === 0) return;
    await this.tokens.add(transaction, fresh, sourceId);
    // A record from before the drop may arrive after it.
    const dropped = await this.revisions.listDropped(transaction, fresh);
    const outdated = fresh.filter(({ name }) => dropped.has(name));
    if (outdated.length > 0) await this.tokens.mark(transaction, outdated, false);
  }
}

interface Named {
  key: Key;
  name: string;
  record: Registration;
}

type NamedRecord = Named & GivenRecord;

/**
 * Returns the members that have changed since a given time, and the contacts that became known for the first time.
 * @param revisions newest first.
 */
async function membersSince(time: Date, revisions: readonly NewestRevision[]): Promise<string[]> {
  const records = revisions.toReversed();
  const all = await changesByRecord(records);
  const changes = all.filter((_, place) => records[place].at >= time);
  const members = changes.flat().map(({ path }) => path.split('.')[0]);
  return [...new Set([...members, ...firstContacts(records)])].toSorted();
}

/**
 * Returns the contacts that became known for the first time. A registrar may not know a new name yet, and its registry
 * publishes no contacts that could be compared.
 */
function firstContacts(records: readonly NewestRevision[]): string[] {
  const [newest = {}, ...earlier] = records.map(({ record }) => record).toReversed();
  if (earlier.some((record) => record.contacts_not_kept === true)) return [];
  const now = Object.keys(newest).filter((member) => PERSON.test(member));
  return now.filter((member) => earlier.every((record) => record[member] === undefined));
}

const PERSON = /^(registrant|administrative|technical|billing)_contact$/;

function tokensOf({ key, name, record }: Named): Token[] {
  return contactTerms(record).map((term) => ({ ...term, key, name }));
}

const idOf = ({ termKey, name }: Token) => `${termKey} ${name}`;

function sequencesOf(observations: readonly WhoisObservation[]): Sequence[] {
  const sequences = new Map<string, Sequence>();
  for (const { name, at, isComplete, ...seen } of observations) {
    const id = `${name.name} ${isComplete}`;
    let sequence = sequences.get(id);
    if (!sequence) {
      const { key } = name;
      sequence = { key, name: name.name, isComplete, firstAt: at, lastAt: at, seen: [] };
      sequences.set(id, sequence);
    }
    if (at < sequence.firstAt) sequence.firstAt = at;
    if (at > sequence.lastAt) sequence.lastAt = at;
    const { registration, answeredBy, raw } = seen;
    const state = stateOf(registration);
    sequence.seen.push({ atMs: at.getTime(), state, registration, answeredBy, raw });
  }
  return [...sequences.values()];
}

function editsOf(
  sequences: readonly Sequence[],
  near: readonly KeptLink[][],
  suppressed: SuppressedValues,
): Edits {
  const all: Edits = { revisions: [], confirmations: [], promoted: [], demoted: [], changed: [] };
  for (const [place, { key, name, isComplete, firstAt, seen }] of sequences.entries()) {
    const edits = sequenceEdits(near[place], seen);
    const placed = ({ atMs, state }: Link): PlacedLink => ({
      key,
      name,
      isComplete,
      at: new Date(atMs),
      state,
    });
    let given: GivenRecord | undefined;
    for (const link of edits.revisions) {
      const { registration, answeredBy, raw } = link;
      // `state` is the hash of the published record, because hiding a part of the record is not a change.
      const record = suppressed.masked(registration);
      given = link.state === edits.after ? { record, answeredBy } : undefined;
      all.revisions.push({
        ...placed(link),
        record: JSON.stringify(record),
        answeredBy,
        raw: packedText(record === registration ? raw : undefined),
      });
    }
    all.confirmations.push(...edits.confirmations.map(placed));
    all.promoted.push(...edits.promoted.map(placed));
    all.demoted.push(...edits.demoted.map(placed));
    if (!isComplete || edits.before === edits.after) continue;
    const at = new Date(Math.max(...seen.map(({ atMs }) => atMs)));
    all.changed.push({ key, name, at, firstAt, isFirst: edits.before === undefined, given });
  }
  return all;
}
