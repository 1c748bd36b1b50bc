import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { parseHostName } from '#libs/domain-names';
import { Clock, InvalidRequest, SECOND_MS, ServiceUnavailable, monotonicMs } from '#libs/platform';
import { domainKeyOf } from '../names/domain-key.js';
import { NameRowsService } from '../names/name-rows.service.js';
import { contactTerm, contactTerms } from '../records/contact-terms.js';
import {
  SUPPRESSED_MAX,
  type SuppressedKind,
  SuppressedValues,
  comparedForm,
} from './suppressed-values.js';
import type { SuppressionList } from './suppression-list.js';
import {
  type NameOf,
  type Readable,
  type ScannedRevision,
  SuppressionsRepository,
} from './suppressions.repository.js';

const KEPT_MS = SECOND_MS;
/** Differs from the state of every list. */
const UNKNOWN_STATE = '';
/** One e-mail address. Registries also publish malformed ones, which can be suppressed, too. */
const ONE_ADDRESS = /^[^\s<>,;@]+@[^\s<>,;@]+$/;

interface Known {
  state: string;
  values: SuppressedValues;
  /** Whether rows of suppressed names may have returned with a restore and have not been erased yet. */
  isBehind: boolean;
}

@Injectable()
export class SuppressionsService {
  private known?: Known;
  private checkedAtMs = -Infinity;
  private checking?: Promise<Known>;

  constructor(
    private readonly database: Database,
    private readonly repository: SuppressionsRepository,
    private readonly rows: NameRowsService,
    private readonly clock: Clock,
    private readonly list?: SuppressionList,
  ) {}

  /**
   * Returns the values, at most a second old.
   * @param on the connections to read with; searches pass their own, because those do not wait for writers.
   * @throws ServiceUnavailable while the list is missing, or has not been applied to a restored database.
   */
  async values(on: Readable = this.database): Promise<SuppressedValues> {
    const { values, isBehind } = await this.current(on);
    if (isBehind)
      throw new ServiceUnavailable('list of suppressed values, not yet applied after a restore');
    return values;
  }

  /**
   * Returns the values at this moment; another process may add a value at any time. @throws ServiceUnavailable while
   * the list is missing.
   */
  async valuesNow(on: Readable): Promise<SuppressedValues> {
    return (await this.check(on)).values;
  }

  /**
   * Prevents other transactions from writing observations or suppressing values until this transaction ends. Because a
   * sequence is read before it is changed, two writers of one name would otherwise miss each other's changes.
   * @returns the values that must not be stored.
   */
  async lockWriting(transaction: Transaction): Promise<SuppressedValues> {
    await this.repository.lockWriting(transaction);
    return this.valuesNow(transaction);
  }

  /**
   * Suppresses a value. When this returns, the value's data is hidden, and later imports do not restore it. @returns
   * the number of the value in the list; `isNew` is false if the list already contains the value.
   * @throws InvalidRequest; ServiceUnavailable if the list is missing.
   */
  async suppress(
    kind: SuppressedKind,
    value: string,
  ): Promise<{ version: number; isNew: boolean }> {
    const form = comparedForm(kind, value);
    const isOther = kind === 'email' && !ONE_ADDRESS.test(form);
    if (form === '' || isOther) throw invalid('value', `is not a valid ${kind}`);
    if (kind === 'domain') refuseHost(value, form);
    if (!this.list)
      throw invalid(
        'kind',
        'needs CORPUS_SUPPRESSIONS, the file with the list of suppressed values',
      );
    const { list } = this;
    await this.current();
    const added = await this.database.transaction(async (transaction) => {
      await this.repository.lockWriting(transaction);
      const file = (await list.read()) ?? (await list.begin());
      const hash = new SuppressedValues(file.key, []).hashOf(kind, form);
      const known = await this.repository.find(transaction, kind, hash);
      if (known !== undefined) return { version: known, isNew: false };
      if (file.values.length >= SUPPRESSED_MAX) {
        throw invalid('value', `cannot be added: the list already has ${SUPPRESSED_MAX} values`);
      }
      const last = file.values.reduce(
        (newest, { version }) => Math.max(newest, version),
        await this.repository.lastVersion(transaction),
      );
      const now = this.clock.now();
      const entry = { version: last + 1, kind, hash, addedAt: now };
      await this.repository.add(transaction, [entry], now);
      await this.hide(transaction, { kind, form, values: new SuppressedValues(file.key, [entry]) });
      // The list is written before the transaction commits. A value that is in the list but not in the database is
      // applied later, as after a restore.
      await list.add(entry);
      return { version: entry.version, isNew: true };
    });
    this.checkedAtMs = -Infinity;
    await this.current();
    return added;
  }

  /**
   * Removes suppressed data from revisions, together with the values that searches use to find their names.
   * @param revisions all revisions of some names, in chronological order.
   */
  async erase(
    transaction: Transaction,
    revisions: readonly ScannedRevision[],
    values: SuppressedValues,
  ): Promise<void> {
    const masked = revisions.flatMap((revision) => {
      const record = values.masked(revision.record);
      return record === revision.record ? [] : [{ ...revision, record }];
    });
    if (masked.length === 0) return;
    await this.repository.replaceRecords(transaction, masked);
    const newest = new Map(revisions.filter(isComplete).map((one) => [one.name, one]));
    const gone = [...newest.values()].flatMap((one) => {
      const kept = termsOf({ ...one, record: values.masked(one.record) }).map(idOf);
      return termsOf(one).filter((token) => !kept.includes(idOf(token)));
    });
    if (gone.length > 0) await this.repository.removeTokens(transaction, gone);
  }

  private async hide(
    transaction: Transaction,
    { kind, form, values }: { kind: SuppressedKind; form: string; values: SuppressedValues },
  ): Promise<void> {
    if (kind === 'domain') {
      await this.rows.erase(transaction, [{ key: domainKeyOf(form), name: form }]);
      return;
    }
    // There is no search by telephone number: such records are hidden when they are read, until the job has erased
    // them.
    if (kind === 'phone') return;
    const kinds = kind === 'email' ? (['email'] as const) : (['name', 'company'] as const);
    const termKeys = kinds.map((one) => contactTerm(one, form).termKey);
    const names: NameOf[] = await this.repository.eraseTokens(transaction, termKeys);
    if (names.length === 0) return;
    const revisions = await this.repository.listRevisions(transaction, names);
    await this.erase(transaction, revisions, values);
  }

  private async current(on: Readable = this.database): Promise<Known> {
    if (this.known && monotonicMs() - this.checkedAtMs < KEPT_MS) return this.known;
    this.checking ??= this.check(on).finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async check(on: Readable): Promise<Known> {
    const state = await this.state(on);
    const known = this.known?.state === state ? this.known : await this.load(on, state);
    this.known = known;
    this.checkedAtMs = monotonicMs();
    return known;
  }

  private async state(on: Readable): Promise<string> {
    return `${await this.list?.state()} / ${await this.repository.state(on)}`;
  }

  /**
   * Loads the copy in the database, after adding the entries of the list that it lacks.
   * @param state the state that was read before, so that a value added in the meantime is noticed at the next check.
   */
  private async load(on: Readable, state: string): Promise<Known> {
    const file = await this.list?.read();
    const copy = await this.repository.list(on);
    if (!file && copy.length > 0) {
      throw new ServiceUnavailable('list of suppressed values (CORPUS_SUPPRESSIONS)');
    }
    const known = new Set(copy.map(({ kind, hash }) => `${kind} ${hash}`));
    const missing = (file?.values ?? []).filter(({ kind, hash }) => !known.has(`${kind} ${hash}`));
    if (missing.length > 0) await this.repository.add(on, missing, null);
    const all = missing.length > 0 ? await this.repository.list(on) : copy;
    return {
      // Entries that were just added are looked for again, because the caller's transaction may be rolled back.
      state: missing.length > 0 ? UNKNOWN_STATE : state,
      values: new SuppressedValues(file?.key ?? Buffer.alloc(0), all),
      isBehind: all.some(({ isHidden }) => !isHidden),
    };
  }
}

/** Refuses a host below a domain, because a suppression of the whole domain cannot be undone. */
function refuseHost(value: string, domain: string): void {
  const parsed = parseHostName(value);
  if (!parsed.ok || parsed.hostName.host === domain) return;
  throw invalid('value', `is a host below ${domain}; only the whole domain can be suppressed`);
}

const termsOf = ({ key, name, record }: ScannedRevision) =>
  contactTerms(record).map(({ termKey }) => ({ key, name, termKey }));

const isComplete = (revision: ScannedRevision) => revision.isComplete;

const idOf = ({ name, termKey }: { name: string; termKey: string }) => `${termKey} ${name}`;

const invalid = (field: string, message: string) => new InvalidRequest([{ field, message }]);
