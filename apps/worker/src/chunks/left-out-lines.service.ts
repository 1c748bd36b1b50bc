import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { FileStore } from '#libs/files';
import { MINUTE_MS, newId } from '#libs/platform';
import { type Job, type Part, leftOutLines, partsFolder } from '../jobs/job.js';
import { NameLinesService } from '../names/name-lines.service.js';
import type { LeftOutLine } from '../names/read-name.js';
import { type ResultRow, writeRow } from './result-row.js';

const compress = promisify(gzip);

/** Maximum time for finding the lines. Three million lines take 25 s on a busy machine. */
const LIST_LIMIT_MS = 2 * MINUTE_MS;
/** The number of rows written at a time, small enough that other work does not wait long for this thread. */
const MEMBER_LINES = 5_000;
const BYTES_MAX = 2 * 1024 ** 3;

/**
 * Writes rows for the lines of a job that get no answer of their own. The rows say why a line was rejected, or which
 * line has the same name. They are free.
 */
@Injectable()
export class LeftOutLinesService {
  constructor(
    private readonly database: Database,
    private readonly lines: NameLinesService,
    private readonly files: FileStore,
  ) {}

  /**
   * Writes the rows; call this before the lines are deleted. Each attempt writes its own file, and the job's row says
   * which file counts. The transaction remains open until the file is complete, because finding the lines again for
   * each part would take minutes.
   * @returns undefined if there are no such lines.
   * @throws the reason of the signal, and the store's errors.
   */
  async write(job: Job, signal: AbortSignal): Promise<Part | undefined> {
    if (leftOutLines(job) === 0) return undefined;
    const part = `${partsFolder(job.id)}left-out-${newId()}.gz`;
    const page = { hasRepeats: leftOutLines(job) > job.invalid, pageSize: MEMBER_LINES };
    let rows = 0;
    const members = async function* (pages: AsyncIterable<LeftOutLine[]>) {
      for await (const lines of pages) {
        signal.throwIfAborted();
        rows += lines.length;
        yield await member(job, lines);
      }
    };
    await this.database.transaction(async (transaction) => {
      await transaction.limitStatements(LIST_LIMIT_MS);
      const content = members(this.lines.listLeftOut(transaction, job.listId, page));
      await this.files.write(part, content, { maxBytes: BYTES_MAX, ifAbsent: true });
    });
    if (rows > 0) return { part, rows };
    // The rejected lines of an upload that an earlier version read are unknown, so there may be no
    // rows.
    await this.remove({ part });
    return undefined;
  }

  /** Removes the file of an attempt that does not count. */
  async remove({ part }: Pick<Part, 'part'>): Promise<void> {
    await this.files.remove(part);
  }
}

async function member({ kind, format }: Job, lines: readonly LeftOutLine[]): Promise<Buffer> {
  return compress(lines.map((line) => writeRow(kind, format, rowOf(line))).join(''));
}

function rowOf({ line, name, fault, firstLine }: LeftOutLine): ResultRow {
  const row = { line, name, isCharged: false };
  if (firstLine === null) {
    const problem = { code: 'invalid_domain_name', detail: fault ?? '' };
    return { ...row, outcome: 'rejected', problem };
  }
  const problem = { code: 'repeated_name', detail: `The answer is in line ${firstLine}.` };
  return { ...row, outcome: 'repeated', problem };
}
