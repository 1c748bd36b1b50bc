import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import type { KeptTree } from '../certificate-logs/log-tree.js';
import type { SourceRights } from '../sources/source.js';
import type { BadLine, ImportFile, ImportedSource } from '../locations/import-file.js';
import type { NewSource } from './imports.dto.js';

export interface Advance {
  from: number;
  to: number;
  badLines: number;
  samples: readonly BadLine[];
}

export interface ImportCounts {
  newNames?: number;
  changedNames?: number;
  droppedNames?: number;
}

export interface ListedSource extends SourceRights {
  name: string;
  kind: string;
  location: string | null;
  everyMs: number | null;
  observations: number;
  updatedAt: Date | null;
  dueAt: Date | null;
  runStartedAt: Date | null;
  runEndedAt: Date | null;
  runProblem: string | null;
  fileProblem: string | null;
  turnoverMax: number;
  isOpenEnded: boolean;
  logKey: string | null;
}

export type ListSettings = Partial<Pick<NewSource, 'turnoverMax' | 'isOpenEnded' | 'logKey'>>;

export interface ListedFile extends Omit<ImportFile, 'id' | 'sourceId' | 'version'> {
  badLines: number;
  badSamples: BadLine[];
  newNames: number;
  changedNames: number;
  droppedNames: number;
  problem: string | null;
}

const SAMPLES_MAX = 20;
const FILE = `f.id, f.source_id as "sourceId", f.file, f.version, f.digest, f.observed_at as "observedAt", f.state,
  f.lines::float8 as lines, f.position::float8 as position, f.slices, f.is_difference as "isDifference"`;
const SETTINGS = `turnover_max as "turnoverMax", is_open_ended as "isOpenEnded", log_key as "logKey"`;
const SOURCE = `id, name, kind, location, category, every_ms::float8 as "everyMs", ${SETTINGS}`;
/**
 * SQL: why the newest file of `s` was rejected; null if it was not. A rejected file is tried again at each run, so the
 * newest file need not be the one that was tried last.
 */
const FILE_PROBLEM = `(select f.file || ': ' || f.problem from (
    select distinct on (file) id, file, problem, observed_at, started_at from import_file
    where source_id = s.id order by file, started_at desc, id desc) f
  order by f.observed_at desc, f.started_at desc, f.id desc limit 1)`;
/** SQL: whether another list of the source replaced `f` before the time in the third parameter. */
const IS_REPLACED = `exists (select from import_file n where n.source_id = f.source_id and n.state = 'loaded'
  and n.zone is not distinct from f.zone and n.observed_at > f.observed_at and n.observed_at < $3)`;

@Injectable()
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  async setPlan(
    transaction: Transaction,
    id: number,
    { location, everyMs, category }: Pick<ImportedSource, 'location' | 'everyMs' | 'category'>,
    dueAt: Date | null,
  ): Promise<void> {
    await transaction.query(
      'update source set location = $2, every_ms = $3, due_at = $4, category = $5 where id = $1',
      [id, location, everyMs, dueAt, category],
    );
  }

  /** @returns whether the source exists. */
  async set(
    transaction: Transaction,
    name: string,
    { turnoverMax, isOpenEnded, logKey }: ListSettings,
  ): Promise<boolean> {
    const changed = await transaction.execute(
      `update source set turnover_max = coalesce($2, turnover_max),
         is_open_ended = coalesce($3, is_open_ended), log_key = coalesce($4, log_key)
       where name = $1 and location is not null and removed_at is null`,
      [name, turnoverMax ?? null, isOpenEnded ?? null, logKey ?? null],
    );
    return changed > 0;
  }

  async setSold(transaction: Transaction, id: number, isSold: boolean): Promise<boolean> {
    const sql = 'update source set is_sold = $2 where id = $1';
    return (await transaction.execute(sql, [id, isSold])) > 0;
  }

  async list(name?: string): Promise<ListedSource[]> {
    return this.database.query(
      `select s.name, s.kind, s.location, s.every_ms::float8 as "everyMs", s.is_shown as "isShown",
         s.is_sold as "isSold", s.is_looked_up as "isLookedUp", s.due_at as "dueAt",
         s.run_started_at as "runStartedAt", s.run_ended_at as "runEndedAt",
         s.run_problem as "runProblem", ${FILE_PROBLEM} as "fileProblem", ${SETTINGS}, coalesce(t.observations, 0)::float8 as observations,
         t.updated_at as "updatedAt"
       from source s left join source_total t on t.source_id = s.id
       where s.removed_at is null and ($1::text is null or s.name = $1) order by s.id`,
      [name ?? null],
    );
  }

  /** Lists the files of a source, newest first. */
  async listFiles(name: string, limit: number): Promise<ListedFile[]> {
    return this.database.query(
      `select ${FILE}, f.bad_lines::float8 as "badLines", f.bad_samples as "badSamples",
         f.new_names::float8 as "newNames", f.changed_names::float8 as "changedNames",
         f.dropped_names::float8 as "droppedNames", f.problem
       from import_file f join source s on s.id = f.source_id
       where s.name = $1 order by f.started_at desc, f.id desc limit $2`,
      [name, limit],
    );
  }

  /** Requests a run. @returns whether the source exists and can be run. */
  async request(name: string, now: Date): Promise<boolean> {
    const rows = await this.database.query(
      `update source set due_at = $2 where name = $1 and location is not null and removed_at is null
       returning id`,
      [name, now],
    );
    return rows.length > 0;
  }

  /**
   * Disables a source, and removes the permitted uses of its data. The row and its id are kept,
   * because data refers to them.
   * @returns false if there is no such source.
   */
  async remove(transaction: Transaction, name: string, now: Date): Promise<boolean> {
    const rows = await transaction.query(
      `update source set removed_at = $2, location = null, due_at = null, is_shown = false,
         is_sold = false, is_looked_up = false, name = name || ' (removed ' || id || ')'
       where name = $1 and location is not null and removed_at is null returning id`,
      [name, now],
    );
    return rows.length > 0;
  }

  async listDue(now: Date): Promise<ImportedSource[]> {
    return this.database.query(
      `select ${SOURCE} from source where due_at <= $1 and location is not null
       order by due_at, id`,
      [now],
    );
  }

  async begin(id: number, now: Date): Promise<void> {
    await this.database.query('update source set run_started_at = $2 where id = $1', [id, now]);
  }

  /** Records the end of a run. If another run was requested in the meantime, the source stays due. */
  async end(
    id: number,
    now: Date,
    { problem, dueAt }: { problem: string | null; dueAt: Date | null },
  ): Promise<void> {
    await this.database.query(
      `update source set run_ended_at = $2, run_problem = $3,
         due_at = case when due_at > run_started_at and due_at <= $2 then due_at else $4 end
       where id = $1`,
      [id, now, problem, dueAt],
    );
  }

  async findFile(sourceId: number, file: string, version: string): Promise<ImportFile | undefined> {
    const [row] = await this.database.query<ImportFile>(
      `select ${FILE} from import_file f where f.source_id = $1 and f.file = $2 and f.version = $3`,
      [sourceId, file, version],
    );
    return row;
  }

  /**
   * Whether a version of a file has been imported. @param listedAt the time of a list that replaces the previous one:
   * the version counts only if no other list has replaced it since; null for other files.
   */
  async isTaken(
    sourceId: number,
    { file, version }: Pick<ImportFile, 'file' | 'version'>,
    listedAt: Date | null,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `select from import_file f where f.source_id = $1 and f.file = $2 and f.version = $4
         and f.state in ('loaded', 'repeated') and not ${IS_REPLACED}`,
      [sourceId, file, listedAt, version],
    );
    return rows.length > 0;
  }

  /** Whether content has been imported under any name. @param listedAt as for `isTaken`. */
  async isLoaded(sourceId: number, digest: string, listedAt: Date | null): Promise<boolean> {
    const rows = await this.database.query(
      `select from import_file f where f.source_id = $1 and f.digest = $2 and f.state = 'loaded'
         and not ${IS_REPLACED} limit 1`,
      [sourceId, digest, listedAt],
    );
    return rows.length > 0;
  }

  /** Adds a file, or restarts a known file from its first line. */
  async addFile(transaction: Transaction, file: ImportFile, now: Date): Promise<ImportFile> {
    const { id, sourceId, file: name, version, digest, observedAt, state, lines } = file;
    const [row] = await transaction.query<ImportFile>(
      `insert into import_file as f (id, source_id, file, version, digest, observed_at, state, lines, started_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (source_id, file, version) do update set digest = excluded.digest,
         observed_at = excluded.observed_at, state = excluded.state, lines = excluded.lines,
         started_at = excluded.started_at, finished_at = null, problem = null, position = 0,
         slices = 0, is_difference = false, bad_lines = 0, bad_samples = '[]', new_names = 0, changed_names = 0,
         dropped_names = 0
       returning ${FILE}`,
      [id, sourceId, name, version, digest, observedAt, state, lines, now],
    );
    return row;
  }

  /** Opens the row of a followed log. Its version is the log's address; its lines are the log's entries. */
  async openLog(log: ImportFile, head: KeptTree, now: Date): Promise<ImportFile> {
    const { id, sourceId, file, version, observedAt, lines, position } = log;
    const [row] = await this.database.query<ImportFile>(
      // Another process may have seen a newer checkpoint in the meantime.
      `insert into import_file as f (id, source_id, file, version, observed_at, state, lines, position, started_at, log_head)
       values ($1, $2, $3, $4, $5, 'loading', $6, $7, $8, $9)
       on conflict (source_id, file, version) do update set
         log_head = case when f.log_head is null or excluded.lines > f.lines then excluded.log_head else f.log_head end,
         lines = case when f.log_head is null then excluded.lines else greatest(f.lines, excluded.lines) end
       returning ${FILE}`,
      [id, sourceId, file, version, observedAt, lines, position, now, JSON.stringify(head)],
    );
    return row;
  }

  async findLogHead(
    sourceId: number,
    file: string,
    version: string,
  ): Promise<KeptTree | undefined> {
    const [row] = await this.database.query<{ head: KeptTree | null }>(
      `select log_head as head from import_file where source_id = $1 and file = $2 and version = $3`,
      [sourceId, file, version],
    );
    return row?.head ?? undefined;
  }

  async reachedEnd(id: string, now: Date): Promise<void> {
    await this.database.query('update import_file set finished_at = $2 where id = $1', [id, now]);
  }

  /** Lists the lag of followed logs: in certificates, and in seconds since their end was last reached. */
  async listLags(): Promise<{ source: string; entries: number; seconds: number }[]> {
    return this.database.query(
      `select s.name as source, greatest(0, f.lines - f.position)::float8 as entries,
         extract(epoch from clock_timestamp() - coalesce(f.finished_at, f.started_at))::float8 as seconds
       from import_file f join source s on s.id = f.source_id
       where s.kind = 'ct' and s.removed_at is null`,
    );
  }

  /** Lists whether the last run or the newest file of each source failed. */
  async listNewest(): Promise<{ source: string; isFailed: boolean }[]> {
    return this.database.query(
      `select s.name as source, s.run_problem is not null or ${FILE_PROBLEM} is not null as "isFailed"
       from source s where s.location is not null and s.removed_at is null order by s.id`,
    );
  }

  /** Lists the files of a source whose imports have begun but not ended. */
  async listLoading(sourceId: number): Promise<ImportFile[]> {
    return this.database.query(
      `select ${FILE} from import_file f where f.source_id = $1 and f.state = 'loading'`,
      [sourceId],
    );
  }

  /**
   * Moves a file's position past a batch. @returns false if another process has moved the position or ended the import.
   */
  async advance(transaction: Transaction, id: string, advance: Advance): Promise<boolean> {
    const { from, to, badLines, samples } = advance;
    const rows = await transaction.query(
      `update import_file set position = $3, bad_lines = bad_lines + $4,
         bad_samples = case when jsonb_array_length(bad_samples) < ${SAMPLES_MAX}
           then bad_samples || $5::jsonb else bad_samples end
       where id = $1 and position = $2 and state = 'loading' returning id`,
      [id, from, to, badLines, JSON.stringify(samples.slice(0, SAMPLES_MAX))],
    );
    return rows.length > 0;
  }

  /**
   * Returns the newest imported file of a zone from a source, and the time of the newest complete one; undefined if
   * there is none, or if a part of a newer file was imported before that file was removed or replaced.
   * @returns `wholeAt` is null if all complete files are older than such a part.
   */
  async findZone(
    sourceId: number,
    zone: string,
  ): Promise<
    { file: string; version: string; observedAt: Date; wholeAt: Date | null } | undefined
  > {
    const [row] = await this.database.query<{
      file: string;
      version: string;
      observedAt: Date;
      wholeAt: Date | null;
    }>(
      `select file, version, observed_at as "observedAt",
         max(observed_at) filter (where not is_difference) over () as "wholeAt"
       from import_file f where source_id = $1 and zone = $2 and state = 'loaded'
         and not exists (select from import_file n where n.source_id = $1 and n.zone = $2
           and n.state in ('loading', 'failed') and n.slices > 0 and n.observed_at > f.observed_at)
       order by observed_at desc limit 1`,
      [sourceId, zone],
    );
    return row;
  }

  async setZone(
    transaction: Transaction,
    id: string,
    { zone, isDifference }: { zone: string; isDifference: boolean },
  ): Promise<void> {
    await transaction.query('update import_file set zone = $2, is_difference = $3 where id = $1', [
      id,
      zone,
      isDifference,
    ]);
  }

  async advanceSlice(transaction: Transaction, id: string, slice: number): Promise<boolean> {
    const rows = await transaction.query(
      `update import_file set slices = $2 + 1 where id = $1 and slices = $2 and state = 'loading'
       returning id`,
      [id, slice],
    );
    return rows.length > 0;
  }

  async count(transaction: Transaction, id: string, counts: ImportCounts): Promise<void> {
    const { newNames = 0, changedNames = 0, droppedNames = 0 } = counts;
    await transaction.query(
      `update import_file set new_names = new_names + $2, changed_names = changed_names + $3,
         dropped_names = dropped_names + $4 where id = $1`,
      [id, newNames, changedNames, droppedNames],
    );
  }

  /** Marks a file as finished. @returns the counts of the file; undefined if its import has already ended. */
  async finish(
    transaction: Transaction,
    id: string,
    now: Date,
  ): Promise<{ badRows: number; newNames: number; changedNames: number } | undefined> {
    const [row] = await transaction.query<{
      badRows: number;
      newNames: number;
      changedNames: number;
    }>(
      `update import_file set state = 'loaded', finished_at = $2 where id = $1 and state = 'loading'
       returning bad_lines::float8 as "badRows", new_names::float8 as "newNames",
         changed_names::float8 as "changedNames"`,
      [id, now],
    );
    return row;
  }

  async fail(transaction: Transaction, id: string, now: Date, problem: string): Promise<void> {
    await transaction.query(
      `update import_file set state = 'failed', finished_at = $2, problem = $3 where id = $1`,
      [id, now, problem],
    );
  }

  /** Returns the time of a source's newest complete list under a scope; undefined if there is none. */
  async newestComplete(sourceId: number, scope: string): Promise<Date | undefined> {
    const [row] = await this.database.query<{ at: Date | null }>(
      `select max(observed_at) as at from source_batch
       where source_id = $1 and scope = $2 and is_complete`,
      [sourceId, scope],
    );
    return row?.at ?? undefined;
  }
}
