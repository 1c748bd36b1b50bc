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
  /** The maximum number of files joined in one step; a spec sets a lower number. */
  joinedMax = CONCATENATED_MAX;

  constructor(private readonly files: FileStore) {}

  /**
   * Writes the file; a repeat writes the same file again. @returns undefined if there are no answers, so that no file
   * is written. @throws the store's errors, and the reason of the signal.
   */
  async join(
    job: Job,
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<JobArtifact | undefined> {
    if (parts.length === 0) return undefined;
    const header = `${partsFolder(job.id)}header.gz`;
    const text = gzipSync(headerOf(job.kind, job.format));
    await this.files.write(header, [text], { maxBytes: HEADER_BYTES_MAX });
    const keys = [header, ...parts.map(({ part }) => part)];
    if (job.leftOutPart !== null) keys.push(job.leftOutPart);
    const { sizeBytes } = await this.concatenate(job, keys, signal);
    return {
      name: `results.${job.format}`,
      bytes: sizeBytes,
      rows: parts.reduce((sum, { rows }) => sum + rows, job.leftOutRows),
      sha256: await this.hash(resultKey(job), signal),
    };
  }

  /**
   * Joins files. The store can join only a few thousand at once, so a larger number is first joined in groups. The
   * files of a job that ends no longer change, so a group that an earlier attempt has joined is not joined again: the
   * names of a slow registry are answered in tens of thousands of files, which may take longer than one attempt. A
   * group is named by the keys of its files, because a job whose rows were restored from a backup ends again with other
   * files.
   */
  private async concatenate(
    job: Job,
    keys: string[],
    signal: AbortSignal,
  ): Promise<{ sizeBytes: number }> {
    let joined = keys;
    while (joined.length > this.joinedMax) {
      const groups: string[] = [];
      for (let from = 0; from < joined.length; from += this.joinedMax) {
        signal.throwIfAborted();
        const group = joined.slice(from, from + this.joinedMax);
        const target = `${partsFolder(job.id)}joined-${digestOf(group)}.gz`;
        if (!(await this.files.stat(target))) await this.files.concatenate(group, target);
        groups.push(target);
      }
      joined = groups;
    }
    signal.throwIfAborted();
    return this.files.concatenate(joined, resultKey(job));
  }

  private async hash(key: string, signal: AbortSignal): Promise<string> {
    const { content } = await this.files.read(key);
    const hash = createHash('sha256');
    for await (const piece of content) {
      signal.throwIfAborted();
      hash.update(piece as Buffer);
    }
    return hash.digest('hex');
  }
}

const digestOf = (keys: readonly string[]) =>
  createHash('sha256').update(keys.join(' ')).digest('hex');
