import { Injectable } from '@nestjs/common';
import { skeletonOf } from '#libs/domain-names';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { SLICES } from '../names/domain-key.js';
import type { FiledName } from '../names/registrable-name.js';
import { RegistrationsService } from '../registrations/registrations.service.js';
import { SourcesService } from '../sources/sources.service.js';
import type { SuppressedValues } from '../suppression/suppressed-values.js';
import type { Change, ChangeKind } from './change.js';
import { ChangesRepository } from './changes.repository.js';
import { FullListsRepository, type NamedKey, type StagedSlice } from './full-lists.repository.js';
import { NamesRepository } from './names.repository.js';
import { StagedNamesRepository } from './staged-names.repository.js';

export interface ListFile extends Omit<
  StagedSlice,
  'slice' | 'isComplete' | 'outranked' | 'unsold' | 'unshown' | 'isSold'
> {
  /**
   * The zone that the list covers completely. Names that the list's source listed before but no longer lists are
   * dropped, unless another source has a newer list of the zone.
   */
  zone?: string;
  /** True for the source's first list of the zone, whose names do not count as new. */
  isFirst: boolean;
  /** The time of the source's previous list of the zone. */
  since?: Date;
}

export interface AppliedSlice {
  newNames: number;
  droppedNames: number;
}

/**
 * The write path for long lists of names. Names are staged by COPY and then applied part by part, each part in its own
 * transaction and in the order of the keys. The result is the same as if `ObservationsService` had recorded the names.
 */
@Injectable()
export class FullListsService {
  constructor(
    private readonly repository: FullListsRepository,
    private readonly staged: StagedNamesRepository,
    private readonly names: NamesRepository,
    private readonly registrations: RegistrationsService,
    private readonly changes: ChangesRepository,
    private readonly sources: SourcesService,
  ) {}

  /**
   * Stages the names that are not suppressed, without making them visible.
   * @param isGone whether these are the names that the list lacks.
   */
  async stage(
    transaction: Transaction,
    fileId: string,
    names: Iterable<FiledName>,
    isGone = false,
  ): Promise<void> {
    const suppressed = await this.registrations.suppressed(transaction);
    const kept = [...names].filter(({ name }) => !suppressed.hasName(name));
    const staged = kept.map((name) => ({
      ...name,
      isGone,
      skeleton: name.unicode === null ? null : skeletonOf(name.unicode),
      order: BigInt(name.key),
    }));
    staged.sort((a, b) => (a.order < b.order ? -1 : 1));
    if (staged.length === 0) return;
    const { version } = suppressed;
    await this.staged.stage(transaction, fileId, { names: staged, version });
  }

  async listDropped(
    transaction: Transaction,
    list: { sourceId: number; at: Date },
    beside: { zone: string; since: Date },
  ): Promise<string[]> {
    return this.repository.listDropped(transaction, list, beside);
  }

  /** Adds the unchanged names of a list to the count of its source. */
  async countShared(
    transaction: Transaction,
    { sourceId, at }: { sourceId: number; at: Date },
    names: number,
  ): Promise<void> {
    await this.sources.countAt(transaction, sourceId, names, at);
  }

  /**
   * If the list is for a zone, counts the names that the source confirms in the zone, and how many of them the list
   * lacks.
   */
  async countGone(
    transaction: Transaction,
    { fileId, sourceId, zone }: ListFile,
  ): Promise<{ listed: number; gone: number }> {
    if (zone === undefined) return { listed: 0, gone: 0 };
    return this.repository.countGone(transaction, fileId, sourceId, zone);
  }

  /**
   * Applies a part of the list, drops names as `ListFile.zone` says, and removes the staged names of the part.
   * @returns the numbers of new and of dropped names.
   */
  async apply(transaction: Transaction, file: ListFile, slice: number): Promise<AppliedSlice> {
    const suppressed = await this.registrations.lockWriting(transaction);
    const { sourceId, at, zone, isFirst } = file;
    const ranked = await this.sources.listRanked(transaction, sourceId);
    const part: StagedSlice = { ...file, ...ranked, slice, isComplete: zone !== undefined };
    await this.refuse(transaction, part, suppressed);
    const fresh = isFirst ? [] : await this.repository.add(transaction, part);
    // A first list is the list of one zone, so all its names have the same suffix.
    const counted = isFirst
      ? [{ tld: topOf(zone!), names: await this.repository.addCounted(transaction, part) }]
      : countsByTld(fresh.map(({ name }) => name));
    if (counted.length > 0) {
      const counts = new Map(counted.map(({ tld, names }) => [tld, names]));
      await this.names.countNames(transaction, counts);
    }
    const newNames = counted.reduce((sum, { names }) => sum + names, 0);
    const isAllNew = isFirst && newNames === (await this.staged.countStaged(transaction, part));
    if (!isAllNew) await this.repository.addSource(transaction, part);
    const { again, repeated, shownFirst } = isAllNew
      ? { again: [], repeated: [], shownFirst: [] }
      : await this.repository.correct(transaction, part);
    await this.registrations.mark(transaction, again, true);
    const told = isFirst
      ? []
      : await this.changes.selectNew(transaction, shownFirst, ranked.unshown);
    const dropsNone =
      zone === undefined || isFirst || (await this.sources.isListedSince(transaction, file, zone));
    const gone = dropsNone ? [] : await this.repository.listGone(transaction, part, zone);
    const droppedBefore =
      dropsNone || ranked.unsold.length === 0 || !file.since
        ? []
        : await this.repository.listDroppedBefore(transaction, part, { zone, since: file.since });
    const dropped = await this.names.dropNames(
      transaction,
      gone.map((name) => ({ ...name, at })),
    );
    await this.registrations.mark(transaction, dropped, false);
    const changesOf = (
      kind: ChangeKind,
      names: readonly { key: string; name: string }[],
      more: Pick<Change, 'isRepeated' | 'isShownFirst'> = {},
    ) =>
      names.map(({ key, name }): Change => ({
        id: newId(),
        key,
        name,
        kind,
        subject: 'name',
        members: [],
        isFirst: false,
        at,
        ...more,
      }));
    const changes = [
      ...changesOf('new', [...fresh, ...again]),
      ...changesOf('new', isFirst ? [] : repeated, { isRepeated: true }),
      ...changesOf('new', told, { isShownFirst: true }),
      ...changesOf('dropped', dropped),
      ...changesOf('dropped', droppedBefore, { isRepeated: true }),
    ];
    if (changes.length > 0) await this.changes.add(transaction, changes, sourceId);
    const taken = await this.staged.clearSlice(transaction, file.fileId, slice);
    if (slice === SLICES - 1) await this.staged.clear(transaction, file.fileId);
    await this.sources.countAt(transaction, sourceId, taken, at);
    return { newNames, droppedNames: dropped.length };
  }

  /** Removes names from a part that were suppressed after the part was staged. */
  private async refuse(
    transaction: Transaction,
    part: StagedSlice,
    suppressed: SuppressedValues,
  ): Promise<void> {
    const compared = await this.staged.suppressionVersion(transaction, part.fileId);
    if (suppressed.version === compared) return;
    const gone: NamedKey[] = [];
    for await (const names of this.staged.listStaged(transaction, part)) {
      gone.push(...names.filter(({ name }) => suppressed.hasName(name)));
    }
    if (gone.length > 0) await this.staged.unstage(transaction, part, gone);
  }

  async clear(transaction: Transaction, fileId: string): Promise<void> {
    await this.staged.clear(transaction, fileId);
  }
}

const topOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);

function countsByTld(names: readonly string[]): { tld: string; names: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const tld = topOf(name);
    counts.set(tld, (counts.get(tld) ?? 0) + 1);
  }
  return [...counts].map(([tld, count]) => ({ tld, names: count }));
}
