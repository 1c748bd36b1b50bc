import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';
import { FolderQueue } from '../uploads/upload-queues.js';

/** Maximum number of names per chunk, and the maximum cost of a work item. */
export const CHUNK_NAMES_MAX = 1_000;

export interface ChunkWork {
  jobId: string;
  number: number;
}

export interface JobWork {
  jobId: string;
}

/** Chunks whose names must be looked up. Accounts take turns, mostly by the number of names. */
export class ChunkQueue extends WorkQueue<ChunkWork> {
  constructor() {
    super({ name: 'chunks', quantum: CHUNK_NAMES_MAX });
  }
}

/** Jobs to split into chunks, or to give up because their start was interrupted. */
export class StartQueue extends WorkQueue<JobWork> {
  constructor() {
    super({ name: 'job-starts' });
  }
}

/** Jobs whose chunks are all done. */
export class EndQueue extends WorkQueue<JobWork> {
  constructor() {
    super({ name: 'job-ends' });
  }
}

@Injectable()
export class JobQueues {
  readonly chunks = new ChunkQueue();
  readonly starts = new StartQueue();
  readonly ends = new EndQueue();

  constructor(readonly folders: FolderQueue) {}
}

/** The work item for a job's start or end. */
export const jobWork = ({ id, accountId }: { id: string; accountId: string }) => ({
  name: id,
  payload: { jobId: id },
  accountId,
});
