import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';
import { FolderQueue } from '../uploads/upload-queues.js';

/** The maximum number of names in a chunk, and so the maximum cost of a work item. */
export const CHUNK_NAMES_MAX = 1_000;

export interface ChunkWork {
  jobId: string;
  number: number;
}

export interface JobWork {
  jobId: string;
}

/** The queue of chunks to look up. Accounts take turns, weighted by the number of names. */
export class ChunkQueue extends WorkQueue<ChunkWork> {
  constructor() {
    super({ name: 'chunks', quantum: CHUNK_NAMES_MAX });
  }
}

/** The queue of jobs to split into chunks, or to remove because starting them was interrupted. */
export class StartQueue extends WorkQueue<JobWork> {
  constructor() {
    super({ name: 'job-starts' });
  }
}

/** The queue of jobs to end: all of their chunks are done, or they were cancelled. */
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

export const jobWork = ({ id, accountId }: { id: string; accountId: string }) => ({
  name: id,
  payload: { jobId: id },
  accountId,
});
