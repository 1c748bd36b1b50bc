import { Injectable } from '@nestjs/common';
import { FileMissing, FileStore } from '#libs/files';
import { Clock, NotFound, type ServedFile, dispositionOf } from '#libs/platform';
import { type Job, isUnderWay, resultKey } from '../jobs/job.js';
import { JobExpired, JobNotReady } from '../jobs/jobs.errors.js';
import { JobsService } from '../jobs/jobs.service.js';

const TYPE = 'application/gzip';
/** How long a URL of the file store is valid (S76). */
const ADDRESS_SECONDS = 900;

@Injectable()
export class ResultsService {
  constructor(
    private readonly jobs: JobsService,
    private readonly files: FileStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens the results. @returns the file, or a URL where the store serves it for 15 minutes.
   * @throws NotFound, JobNotReady, JobExpired.
   */
  async open(accountId: string, jobId: string): Promise<ServedFile | string> {
    const job = await this.jobs.find(accountId, jobId);
    if (isUnderWay(job)) throw new JobNotReady();
    const isOver = job.expiresAt !== null && job.expiresAt <= this.clock.now();
    if (isOver || job.state === 'expired') throw new JobExpired();
    if (!job.artifact) throw new NotFound(withoutResults(job));
    const name = fileName(job);
    const address = await this.files.address(resultKey(job), {
      lifetimeSeconds: ADDRESS_SECONDS,
      contentType: TYPE,
      disposition: dispositionOf(name),
    });
    return address ?? this.served(job, name);
  }

  private served(job: Job, name: string): ServedFile {
    const { bytes: sizeBytes, sha256: tag } = job.artifact!;
    return {
      sizeBytes,
      name,
      tag,
      type: TYPE,
      modifiedAt: job.finishedAt ?? undefined,
      open: async (part) => {
        const range = part && { first: part.start, last: part.end };
        try {
          return (await this.files.read(resultKey(job), { range })).content;
        } catch (error) {
          throw error instanceof FileMissing ? new JobExpired() : error;
        }
      },
    };
  }
}

const withoutResults = ({ state }: Job) =>
  state === 'failed'
    ? 'The job could not be completed, so there are no results.'
    : 'The job ended before any name was answered.';

const fileName = ({ kind, id, format }: Job) => `${kind}-${id}.${format}`;
