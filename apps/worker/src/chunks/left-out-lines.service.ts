import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { FileStore } from '#libs/files';
import { MINUTE_MS } from '#libs/platform';
import { type Job, leftOutKey, leftOutLines } from '../jobs/job.js';
import { NameLinesService } from '../names/name-lines.service.js';
import type { LeftOutLine } from '../names/read-name.js';
import { type ResultRow, writeRow } from './result-row.js';

const compress = promisify(gzip);

const SORT_LIMIT_MS = 2 * MINUTE_MS;
const BYTES_MAX = 2 * 1024 ** 3;

/**
 * Writes the lines of a job that get no answer of their own, so that its file says something about each line: why it was
 * rejected, or which line has the same name. They are free.
 */
@Injectable()
export class LeftOutLinesService {
  constructor(
    private readonly database: Database,
    private readonly lines: NameLinesService,
    private readonly files: FileStore,
  ) {}

  /** Before the lines are deleted. A repeat writes the same file again. */
  async write(job: Job): Promise<void> {
    if (leftOutLines(job) === 0) return;
    await this.database.transaction(async (transaction) => {
      await transaction.limitStatements(SORT_LIMIT_MS);
      const hasRepeats = leftOutLines(job) > job.invalid;
      const pages = this.lines.leftOut(transaction, job.listId, { hasRepeats });
      await this.files.write(leftOutKey(job.id), members(job, pages), { maxBytes: BYTES_MAX });
    });
  }
}

/** A gzip member (RFC 1952) for each page. */
async function* members(
  { kind, format }: Job,
  pages: AsyncIterable<LeftOutLine[]>,
): AsyncGenerator<Buffer> {
  for await (const page of pages) {
    yield await compress(page.map((line) => writeRow(kind, format, rowOf(line))).join(''));
  }
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
