import { domainToUnicode } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type DatasetAsked, type DatasetEnd, type DatasetRow, versionFor } from '#libs/contracts';
import { Database } from '#libs/database';
import { DAY_MS, InvalidRequest } from '#libs/platform';
import { keptTypeName } from '../dns/dns-type.js';
import { FeedService } from '../feed/feed.service.js';
import { ALL_KEYS } from '../names/domain-key.js';
import type { KnownRecord } from '../records/known-record.js';
import type { Registration } from '../records/registration.js';
import { stillPublished } from '../records/still-published.js';
import type { SuppressedValues } from '../suppression/suppressed-values.js';
import { SuppressionsService } from '../suppression/suppressions.service.js';
import { DATASET_FORMS, type DatasetForm } from './dataset.js';
import { type DatasetName, type DatasetPart, DatasetsRepository } from './datasets.repository.js';
import { cleanedRecord } from './cleaned-record.js';

/** The number of names per part, which limits memory use. */
const PART_NAMES = 500;
/** A record that was stored more than this many days after its observation does not count as a change of the day. */
const NEWS_DAYS = 7;
/** A name that was registered more than this many days ago is not new, even if a source has just delivered it. */
const NEW_DAYS = 30;

interface Asked {
  form: DatasetForm;
  day?: Date;
  sourceIds: number[];
}

/** Reads the rows of datasets from the sources whose data may be sold. */
@Injectable()
export class DatasetsService {
  constructor(
    private readonly repository: DatasetsRepository,
    private readonly feed: FeedService,
    private readonly suppressions: SuppressionsService,
    private readonly database: Database,
  ) {}

  /**
   * Opens a dataset: its rows in parts, in the order of keys. The last part is an end marker.
   * @throws InvalidRequest before the first part.
   */
  async open(request: DatasetAsked): Promise<AsyncGenerator<readonly (DatasetRow | DatasetEnd)[]>> {
    const form = DATASET_FORMS[request.dataset];
    const day = dayOf(request, form);
    const sources = await this.feed.sources();
    const sourceIds = sources.filter(({ isSold }) => isSold).map(({ id }) => id);
    return this.parts({ form, day, sourceIds }, { ...ALL_KEYS, ...request });
  }

  private async *parts(
    asked: Asked,
    { dataset, fromKey, toKey }: Required<Omit<DatasetAsked, 'day'>>,
  ): AsyncGenerator<readonly (DatasetRow | DatasetEnd)[]> {
    const { sourceIds } = asked;
    // The version is read before the rows, so that a suppression added in the meantime has a newer version.
    const suppressionVersion = versionFor(dataset, await this.feed.suppressionVersion());
    // The suppressed values are read after the version, because another process may have suppressed a value that this
    // one does not know yet.
    const suppressed = await this.suppressions.valuesNow(this.database);
    let rows = 0;
    let after = { key: fromKey, name: '' };
    for (;;) {
      const names = await this.names(asked, { toKey, after, sourceIds, limit: PART_NAMES });
      if (names.length > 0) {
        const part = await this.rowsOf(asked, names, suppressed);
        rows += part.length;
        yield part;
      }
      if (names.length < PART_NAMES) break;
      const { key, name } = names.at(-1)!;
      after = { key, name };
    }
    yield [{ isLast: true, rows, suppressionVersion }];
  }

  private async names({ form, day }: Asked, part: DatasetPart): Promise<DatasetName[]> {
    if (!form.change || !day) return this.repository.listNames(part, form.subject === 'name');
    const to = new Date(day.getTime() + DAY_MS);
    const observedFrom = new Date(day.getTime() - NEWS_DAYS * DAY_MS);
    const days = { from: day, to, observedFrom };
    return form.change.kind === 'new' && form.subject !== 'name'
      ? this.repository.listFirstKnown(part, form.subject, days)
      : this.repository.listChanged(part, form.change, days);
  }

  private async rowsOf(
    asked: Asked,
    changed: readonly DatasetName[],
    suppressed: SuppressedValues,
  ): Promise<DatasetRow[]> {
    const { form, sourceIds } = asked;
    const names = form.change ? await this.standing(asked, changed) : changed;
    const isNew = form.change?.kind === 'new';
    const records =
      isNew || form.subject === 'whois' ? await this.repository.listRecords(names, sourceIds) : [];
    const known = new Map(records.map((record) => [record.name, record]));
    const observing = isNew ? await this.repository.listObserving() : undefined;
    const left = names.filter(
      ({ name, sourceId }) =>
        !isNew || (isRecent(known.get(name), asked) ?? !observing!.has(sourceId)),
    );
    if (form.subject === 'whois') {
      return left.flatMap((name) => whoisRow(name, known.get(name.name), form, suppressed));
    }
    const rows = form.subject === 'name' ? left.map(toldName) : await this.dnsRows(asked, left);
    return rows.map((row) => ({ ...row, hashes: suppressed.rowHashes(row.name) }));
  }

  /**
   * Filters changes: a name counts only while it is registered or, in a dataset of dropped names, only if it is dropped
   * and was seen before the day. Names that `young` removes do not count either.
   */
  private async standing(
    { form, day }: Asked,
    names: readonly DatasetName[],
  ): Promise<DatasetName[]> {
    const isRegistered = form.change?.kind !== 'dropped';
    const standing = await this.repository.listStanding(names, { isRegistered, seenBefore: day! });
    return this.young(
      names.filter(({ name }) => standing.has(name)),
      day!,
    );
  }

  /**
   * Removes names that were first seen long before the day, even if their first record is new. The other names that
   * were seen before get the source that saw them first.
   */
  private async young(names: readonly DatasetName[], day: Date): Promise<DatasetName[]> {
    const older = names.filter(({ isSeenBefore }) => isSeenBefore);
    if (older.length === 0) return [...names];
    const since = day.getTime() - NEW_DAYS * DAY_MS;
    const first = new Map(
      (await this.repository.listFirstSightings(older)).map((one) => [one.name, one]),
    );
    return names.flatMap((one) => {
      if (!one.isSeenBefore) return [one];
      const { firstAt, sourceId } = first.get(one.name)!;
      return firstAt.getTime() >= since ? [{ ...one, sourceId }] : [];
    });
  }

  private async dnsRows(
    { form: { change }, sourceIds }: Asked,
    names: readonly DatasetName[],
  ): Promise<DatasetRow[]> {
    const current = await this.repository.listCurrent(names, sourceIds);
    const byName = Map.groupBy(current, ({ name }) => name);
    return names.flatMap((name) => {
      const own = byName.get(name.name) ?? [];
      // Only a dataset of changes has rows without records: all records of such a name are gone.
      if (own.length === 0 && change?.kind !== 'changed') return [];
      const records = own.map(({ rtype, value, firstAt }) => ({
        type: keptTypeName(rtype) ?? `TYPE${rtype}`,
        value,
        firstSeen: firstAt.toISOString(),
      }));
      const [{ sourceId, queriedAt } = { ...name, queriedAt: null }] = own;
      const observedAt = queriedAt ?? name.observedAt;
      return [{ ...toldName({ ...name, sourceId, observedAt }), records }];
    });
  }
}

/**
 * Parses the day of a request; returns undefined for a dataset without days.
 * @throws InvalidRequest if the day is invalid, missing or not allowed.
 */
function dayOf({ day, dataset }: DatasetAsked, { change }: DatasetForm): Date | undefined {
  if ((day === undefined) !== (change === undefined)) {
    const message = change ? `is needed for ${dataset}` : `${dataset} has no days`;
    throw new InvalidRequest([{ field: 'day', message }]);
  }
  if (day === undefined) return undefined;
  const start = new Date(`${day}T00:00:00.000Z`);
  if (!Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)) return start;
  throw new InvalidRequest([{ field: 'day', message: 'is not in the calendar' }]);
}

/**
 * Returns whether a record says that the name was registered recently; undefined if no record states a registration
 * date. In a list of names, a record that expired before the day does not count: it is about an earlier registration.
 */
function isRecent(known: KnownRecord | undefined, { form, day }: Asked): boolean | undefined {
  const newest: Registration = known?.newest ?? {};
  const dates = [newest.create_date, newest.expiry_date];
  const [created, expires] = dates.map((date) => Date.parse(String(date)));
  if (Number.isNaN(created)) return undefined;
  if (created >= day!.getTime() - NEW_DAYS * DAY_MS) return true;
  return form.subject === 'name' && expires < day!.getTime() ? undefined : false;
}

function whoisRow(
  name: DatasetName,
  known: KnownRecord | undefined,
  { isCleaned }: DatasetForm,
  suppressed: SuppressedValues,
): DatasetRow[] {
  if (!known?.record || known.sourceId === null || known.lastAt === null) return [];
  const sold: Registration = stillPublished(known.record, known.newest);
  const record = isCleaned ? cleanedRecord(sold) : sold;
  const { sourceId, lastAt: observedAt } = known;
  if (!record) return [];
  // Values are hashed as published, because cleaned values have a different form.
  const hashes = suppressed.rowHashes(name.name, sold);
  return [{ ...toldName({ ...name, sourceId, observedAt }), record, hashes }];
}

function toldName({ key, name, sourceId, observedAt }: DatasetName): DatasetRow {
  const unicode = domainToUnicode(name);
  return { key, name, unicode, sourceId, observedAt: observedAt.toISOString() };
}
