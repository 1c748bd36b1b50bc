import { Injectable } from '@nestjs/common';
import type { Dataset } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import type { FileEdition } from './file-edition.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

const COLUMNS = `id, dataset, day::text as day, edition, built_at as "builtAt", published_at as "publishedAt",
  rows::float8 as rows, gained::float8 as gained, lost::float8 as lost,
  suppression_version::float8 as "suppressionVersion", schema_version as "schemaVersion", folder, artifacts, sample`;

type NewestEdition = Pick<FileEdition, 'edition' | 'builtAt'>;

export interface ListedFiles {
  dataset?: Dataset;
  day?: string;
  after?: { day: string; dataset: string };
  limit: number;
}

/** Stores the editions of files. They belong to no account; plans decide who may download them. */
@Injectable()
export class FilesRepository {
  /** @returns false if this edition is already published. */
  async insert(transaction: Transaction, edition: FileEdition): Promise<boolean> {
    const { id, dataset, day, builtAt, publishedAt, rows, gained, lost } = edition;
    const { suppressionVersion, schemaVersion, folder, artifacts, sample } = edition;
    const inserted = await transaction.query(
      `insert into file_editions (id, dataset, day, edition, built_at, published_at, rows, gained, lost,
         suppression_version, schema_version, folder, artifacts, sample)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       on conflict (dataset, day, edition) do nothing returning id`,
      [
        id,
        dataset,
        day,
        edition.edition,
        builtAt,
        publishedAt,
        rows,
        gained,
        lost,
        suppressionVersion,
        schemaVersion,
        folder,
        JSON.stringify(artifacts),
        sample && JSON.stringify(sample),
      ],
    );
    return inserted.length === 1;
  }

  /** Closes the open edition. @returns the edition if there was one. */
  async close(
    transaction: Transaction,
    { dataset, day }: Pick<FileEdition, 'dataset' | 'day'>,
    removedAt: Date,
  ): Promise<Pick<FileEdition, 'folder' | 'suppressionVersion'> | undefined> {
    const [closed] = await transaction.query<Pick<FileEdition, 'folder' | 'suppressionVersion'>>(
      `update file_editions set removed_at = $3 where dataset = $1 and day = $2 and removed_at is null
       returning folder, suppression_version::float8 as "suppressionVersion"`,
      [dataset, day, removedAt],
    );
    return closed;
  }

  /** Records that the file contains nothing that was suppressed up to a version. */
  async raiseVersion(transaction: Transaction, id: string, version: number): Promise<void> {
    await transaction.query(
      `update file_editions set suppression_version = greatest(suppression_version, $2) where id = $1`,
      [id, version],
    );
  }

  /** Finds the edition that can be downloaded now; returns undefined if there is none. */
  async find(runner: Runner, dataset: Dataset, day: string): Promise<FileEdition | undefined> {
    const [found] = await runner.query<FileEdition>(
      `select ${COLUMNS} from file_editions where dataset = $1 and day = $2 and removed_at is null`,
      [dataset, day],
    );
    return found;
  }

  async findById(runner: Runner, id: string): Promise<FileEdition | undefined> {
    const [found] = await runner.query<FileEdition>(
      `select ${COLUMNS} from file_editions where id = $1`,
      [id],
    );
    return found;
  }

  async findBefore(
    runner: Runner,
    dataset: Dataset,
    day: string,
  ): Promise<FileEdition | undefined> {
    const [found] = await runner.query<FileEdition>(
      `select ${COLUMNS} from file_editions where dataset = $1 and day < $2 and removed_at is null
       order by day desc limit 1`,
      [dataset, day],
    );
    return found;
  }

  /** Returns the number of the newest edition, open or closed, and when it was built; undefined before the first. */
  async newestOf(
    runner: Runner,
    dataset: Dataset,
    day: string,
  ): Promise<NewestEdition | undefined> {
    const [found] = await this.listNewestOf(runner, [{ dataset, day }]);
    return found;
  }

  /** Returns the newest edition of each file, in the order of `files`; undefined for a file without one. */
  async listNewestOf(
    runner: Runner,
    files: readonly Pick<FileEdition, 'dataset' | 'day'>[],
  ): Promise<(NewestEdition | undefined)[]> {
    const rows = await runner.query<{ place: number } & NewestEdition>(
      `select distinct on (q.place) q.place::integer as place, edition, built_at as "builtAt"
       from unnest($1::text[], $2::date[]) with ordinality as q (dataset, day, place)
       join file_editions f on f.dataset = q.dataset and f.day = q.day
       order by q.place, edition desc`,
      [files.map(({ dataset }) => dataset), files.map(({ day }) => day)],
    );
    const newest = new Map(rows.map((row) => [row.place, row]));
    return files.map((_, index) => newest.get(index + 1));
  }

  async list(runner: Runner, { dataset, day, after, limit }: ListedFiles): Promise<FileEdition[]> {
    return runner.query<FileEdition>(
      `select ${COLUMNS} from file_editions
       where removed_at is null and ($1::text is null or dataset = $1) and ($2::date is null or day = $2)
         and ($3::date is null or day < $3 or (day = $3 and dataset > $4))
       order by day desc, dataset limit $5`,
      [dataset ?? null, day ?? null, after?.day ?? null, after?.dataset ?? null, limit],
    );
  }

  async listNewest(runner: Runner): Promise<(FileEdition & { availableFrom: string })[]> {
    return runner.query<FileEdition & { availableFrom: string }>(
      `select distinct on (dataset) ${COLUMNS},
         (select min(o.day)::text from file_editions o
          where o.dataset = f.dataset and o.removed_at is null) as "availableFrom"
       from file_editions f where removed_at is null order by dataset, day desc`,
    );
  }

  async listBefore(
    runner: Runner,
    day: string,
    limit: number,
  ): Promise<Pick<FileEdition, 'dataset' | 'day'>[]> {
    return runner.query<Pick<FileEdition, 'dataset' | 'day'>>(
      `select dataset, day::text as day from file_editions where removed_at is null and day < $1
       order by day limit $2`,
      [day, limit],
    );
  }
}
