import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { JobArtifact } from '#libs/contracts';
import { CONCATENATED_MAX, FileStore } from '#libs/files';
import { headerOf } from '../chunks/result-row.js';
import { type Job, type Part, partsFolder, resultKey } from '../jobs/job.js';

const HEADER_BYTES_MAX = 64 * 1024;

/** Writes the result file of a job: the answers of its chunks in order, and then the lines that were not looked up. */
@Injectable()
export class ResultFilesService {
  constructor(private readonly files: FileStore) {}

  /**
   * Writes the file; a repeat writes the same file again. @returns undefined if there are no answers, so that no file
   * is written.
   */
  async join(job: Job, parts: readonly Part[]): Promise<JobArtifact | undefined> {
    if (parts.length === 0) return undefined;
    const header = `${partsFolder(job.id)}header.gz`;
    const text = gzipSync(headerOf(job.kind, job.format));
    await this.files.write(header, [text], { maxBytes: HEADER_BYTES_MAX });
    const keys = [header, ...parts.map(({ part }) => part)];
    if (job.leftOutPart !== null) keys.push(job.leftOutPart);
    const { sizeBytes } = await this.concatenate(job, keys);
    return {
      name: `results.${job.format}`,
      bytes: sizeBytes,
      rows: parts.reduce((sum, { rows }) => sum + rows, job.leftOutRows),
      sha256: await this.hash(resultKey(job)),
    };
  }

  /** Joins files. The store can join only a few thousand at once, so a larger number is first joined in groups. */
  private async concatenate(job: Job, keys: string[]): Promise<{ sizeBytes: number }> {
    let joined = keys;
    for (let round = 1; joined.length > CONCATENATED_MAX; round++) {
      const stretches: string[] = [];
      for (let from = 0; from < joined.length; from += CONCATENATED_MAX) {
        const target = `${partsFolder(job.id)}joined-${round}-${stretches.length}.gz`;
        await this.files.concatenate(joined.slice(from, from + CONCATENATED_MAX), target);
        stretches.push(target);
      }
      joined = stretches;
    }
    return this.files.concatenate(joined, resultKey(job));
  }

  private async hash(key: string): Promise<string> {
    const { content } = await this.files.read(key);
    const hash = createHash('sha256');
    for await (const piece of content) hash.update(piece as Buffer);
    return hash.digest('hex');
  }
}
