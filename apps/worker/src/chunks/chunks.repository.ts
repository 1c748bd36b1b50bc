import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

/** A chunk of a job: at most 1,000 names; in WHOIS jobs, all with the same upstream. */
export interface Chunk {
  jobId: string;
  number: number;
  names: string[];
  lines: number[];
  pass: number;
  state: 'open' | 'done' | 'settled' | 'abandoned';
  charged: number;
}

export interface NewChunk {
  number: number;
  names: string[];
  lines: number[];
  pass: number;
}

export interface ChunkResult {
  part: string;
  delivered: number;
  failed: number;
  charged: number;
}

const COLUMNS = 'job_id as "jobId", number, names, lines, pass, state, charged';

@Injectable()
export class ChunksRepository {
  /**
   * Stores the valid names of a list in chunks of at most `namesMax` names; with `isByUpstream`, each chunk has only
   * one upstream. Every name occurs once, with the line in which it first appeared.
   */
  async cut(
    transaction: Transaction,
    {
      jobId,
      listId,
      isByUpstream,
      namesMax,
    }: {
      jobId: string;
      listId: string;
      isByUpstream: boolean;
      namesMax: number;
    },
  ): Promise<{ number: number; names: number }[]> {
    return transaction.query(
      `insert into job_chunks (job_id, number, names, lines)
       select $1, row_number() over (order by min(line)), array_agg(name order by line), array_agg(line order by line)
       from (select name, line, upstream, (row_number() over (partition by upstream order by line) - 1) / $4 as part
         from (select name, min(line) as line, case when $3 then upstream else '' end as upstream
           from name_lines where list_id = $2 and fault is null group by 1, 3) as unique_names) as placed
       group by upstream, part
       returning number, cardinality(names) as names`,
      [jobId, listId, isByUpstream, namesMax],
    );
  }

  async insertAll(
    transaction: Transaction,
    jobId: string,
    chunks: readonly NewChunk[],
  ): Promise<void> {
    for (const { number, names, lines, pass } of chunks) {
      await transaction.query(
        'insert into job_chunks (job_id, number, names, lines, pass) values ($1, $2, $3, $4, $5)',
        [jobId, number, names, lines, pass],
      );
    }
  }

  async find(runner: Runner, jobId: string, number: number): Promise<Chunk | undefined> {
    const [chunk] = await runner.query<Chunk>(
      `select ${COLUMNS} from job_chunks where job_id = $1 and number = $2`,
      [jobId, number],
    );
    return chunk;
  }

  /** Marks an open chunk as done. @returns false if it was not open; it then stays unchanged. */
  async setDone(
    transaction: Transaction,
    { jobId, number }: Pick<Chunk, 'jobId' | 'number'>,
    { part, delivered, failed, charged }: ChunkResult,
  ): Promise<boolean> {
    const rows = await transaction.query(
      `update job_chunks set state = 'done', part = $3, delivered = $4, failed = $5, charged = $6,
         names = '{}', lines = '{}', arrived = 0
       where job_id = $1 and number = $2 and state = 'open' returning number`,
      [jobId, number, part, delivered, failed, charged],
    );
    return rows.length === 1;
  }

  async setArrived(
    runner: Runner,
    { jobId, number }: Pick<Chunk, 'jobId' | 'number'>,
    arrived: number,
  ): Promise<void> {
    await runner.query(
      `update job_chunks set arrived = $3 where job_id = $1 and number = $2 and state = 'open'`,
      [jobId, number, arrived],
    );
  }

  async setSettled(runner: Runner, jobId: string, number: number): Promise<void> {
    await runner.query(
      `update job_chunks set state = 'settled' where job_id = $1 and number = $2 and state = 'done'`,
      [jobId, number],
    );
  }

  async abandonOpen(transaction: Transaction, jobId: string): Promise<void> {
    await transaction.query(
      `update job_chunks set state = 'abandoned', names = '{}', lines = '{}', arrived = 0
       where job_id = $1 and state = 'open'`,
      [jobId],
    );
  }

  async listUnsettled(
    runner: Runner,
    jobId: string,
  ): Promise<{ number: number; charged: number }[]> {
    return runner.query(
      `select number, charged from job_chunks where job_id = $1 and state = 'done' order by number`,
      [jobId],
    );
  }

  async listParts(runner: Runner, jobId: string): Promise<{ part: string; rows: number }[]> {
    return runner.query(
      `select part, delivered + failed as rows from job_chunks
       where job_id = $1 and part is not null order by number`,
      [jobId],
    );
  }
}
