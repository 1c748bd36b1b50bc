import { Injectable } from '@nestjs/common';
import { Database, type Transaction, columnsOf } from '#libs/database';
import type { Key } from '../names/domain-key.js';
import type { Registration } from '../records/registration.js';
import type { SuppressedKind, SuppressedValue } from './suppressed-values.js';

export interface KeptValue extends SuppressedValue {
  isHidden: boolean;
  isErased: boolean;
}

export interface ScannedRevision {
  key: Key;
  name: string;
  isComplete: boolean;
  at: string;
  state: string;
  record: Registration;
}

export interface NameOf {
  key: Key;
  name: string;
}

/** The last name that a pass has checked, and the newest value that it erases everywhere. */
export interface ErasurePosition extends NameOf {
  version: number;
}

const VALUES_AT_A_TIME = 10_000;

/** Runs statements: a transaction, or the database. */
export type Readable = Pick<Transaction, 'query'>;

@Injectable()
export class SuppressionsRepository {
  constructor(private readonly database: Database) {}

  /** @returns a string that changes whenever a value is added or removed, or gets its `hidden_at`. */
  async state(on: Readable): Promise<string> {
    const [{ state }] = await on.query<{ state: string }>(
      `select concat_ws(' ', max(version), count(*), count(hidden_at)) as state from suppression`,
    );
    return state;
  }

  /** Lists all suppressed values in the order of versions; there are at most `SUPPRESSED_MAX`. */
  async list(on: Readable): Promise<KeptValue[]> {
    const all: KeptValue[] = [];
    for (;;) {
      const part = await on.query<KeptValue>(
        `select version::float8 as version, kind, encode(hash, 'hex') as hash, added_at as "addedAt",
           hidden_at is not null as "isHidden", erased_at is not null as "isErased"
         from suppression where version > $1 order by version limit $2`,
        [all.at(-1)?.version ?? 0, VALUES_AT_A_TIME],
      );
      for (const one of part) all.push(one);
      if (part.length < VALUES_AT_A_TIME) return all;
    }
  }

  /** Takes the lock of the write path: other writers wait until the transaction ends. */
  async lockWriting(transaction: Transaction): Promise<void> {
    await transaction.query(`select pg_advisory_xact_lock(hashtext('corpus.observations'))`);
  }

  /**
   * Adds values under their numbers. @param hiddenAt when their data was hidden; null for values that the database
   * lacks after a restore, which may have brought their data back.
   */
  async add(
    on: Readable,
    values: readonly SuppressedValue[],
    hiddenAt: Date | null,
  ): Promise<void> {
    const rows = values.map(({ hash, ...value }) => ({ ...value, hash: Buffer.from(hash, 'hex') }));
    for (let from = 0; from < rows.length; from += VALUES_AT_A_TIME) {
      const part = rows.slice(from, from + VALUES_AT_A_TIME);
      await on.query(
        `insert into suppression (version, kind, hash, added_at, hidden_at)
         select *, $5::timestamptz from unnest($1::bigint[], $2::text[], $3::bytea[], $4::timestamptz[])
         on conflict do nothing`,
        [...columnsOf(part, 'version', 'kind', 'hash', 'addedAt'), hiddenAt],
      );
    }
  }

  async find(
    transaction: Transaction,
    kind: SuppressedKind,
    hash: string,
  ): Promise<number | undefined> {
    const [row] = await transaction.query<{ version: number }>(
      `select version::float8 as version from suppression where kind = $1 and hash = $2`,
      [kind, Buffer.from(hash, 'hex')],
    );
    return row?.version;
  }

  async lastVersion(transaction: Transaction): Promise<number> {
    const [{ version }] = await transaction.query<{ version: number }>(
      'select coalesce(max(version), 0)::float8 as version from suppression',
    );
    return version;
  }

  /** Returns how far an interrupted pass came. */
  async position(): Promise<ErasurePosition | undefined> {
    const [row] = await this.database.query<ErasurePosition>(
      'select version::float8 as version, domain_key as key, name from erasure_position',
    );
    return row;
  }

  async setPosition(transaction: Transaction, position: ErasurePosition): Promise<void> {
    await transaction.query(
      `insert into erasure_position (version, domain_key, name) values ($1, $2, $3)
       on conflict (singleton) do update
       set version = excluded.version, domain_key = excluded.domain_key, name = excluded.name`,
      [position.version, position.key, position.name],
    );
  }

  /** Records that everything in the list up to a version has been applied, which ends the pass. */
  async finish(version: number, now: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `update suppression set erased_at = $2, hidden_at = coalesce(hidden_at, $2)
         where version <= $1 and erased_at is null`,
        [version, now],
      );
      await transaction.query('delete from erasure_position');
    });
  }

  /** Removes values that searches use to find names. @returns the names that had these values. */
  async eraseTokens(transaction: Transaction, termKeys: readonly Key[]): Promise<NameOf[]> {
    return transaction.query(
      `delete from contact_token where term_key = any($1::bigint[])
       returning domain_key as key, name`,
      [termKeys],
    );
  }

  async removeTokens(
    transaction: Transaction,
    tokens: readonly (NameOf & { termKey: Key })[],
  ): Promise<void> {
    await transaction.query(
      `delete from contact_token t
       using unnest($1::bigint[], $2::bigint[], $3::text[]) as q (term_key, domain_key, name)
       where t.term_key = q.term_key and t.domain_key = q.domain_key and t.name = q.name`,
      columnsOf(tokens, 'termKey', 'key', 'name'),
    );
  }

  async listRevisions(
    transaction: Transaction,
    names: readonly NameOf[],
  ): Promise<ScannedRevision[]> {
    return transaction.query(
      `select r.domain_key as key, r.name, r.is_complete as "isComplete", r.observed_at::text as at,
         r.state, r.record
       from unnest($1::bigint[], $2::text[]) q (domain_key, name)
       join whois_revision r on r.domain_key = q.domain_key and r.name = q.name
       order by r.domain_key, r.name, r.observed_at, r.state`,
      columnsOf(names, 'key', 'name'),
    );
  }

  /** Replaces records, and deletes the raw texts from which they were read. */
  async replaceRecords(
    transaction: Transaction,
    revisions: readonly ScannedRevision[],
  ): Promise<void> {
    const rows = revisions.map((one) => ({ ...one, record: JSON.stringify(one.record) }));
    await transaction.query(
      `update whois_revision r set record = q.record::jsonb, raw = null
       from unnest($1::bigint[], $2::text[], $3::boolean[], $4::timestamptz[], $5::uuid[], $6::text[])
         as q (domain_key, name, is_complete, at, state, record)
       where r.domain_key = q.domain_key and r.name = q.name and r.is_complete = q.is_complete
         and r.observed_at = q.at and r.state = q.state`,
      columnsOf(rows, 'key', 'name', 'isComplete', 'at', 'state', 'record'),
    );
  }

  /** Lists the names after a given one, in the order of their keys. */
  async listNames({ key, name }: NameOf, limit: number): Promise<NameOf[]> {
    return this.database.query(
      `select domain_key as key, name from domain where (domain_key, name) > ($1, $2)
       order by domain_key, name limit $3`,
      [key, name, limit],
    );
  }
}
