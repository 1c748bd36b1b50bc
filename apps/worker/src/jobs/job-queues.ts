import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';
import { FolderQueue } from '../uploads/upload-queues.js';

/** Names of one chunk at most, and so the most that a piece of work may cost. */
export const CHUNK_NAMES_MAX = 1_000;

export interface ChunkWork {
  jobId: string;
  number: number;
}

export interface JobWork {
  jobId: string;
}

/** Chunks whose names are to be looked up. Accounts take turns, by the number of names. */
export class ChunkQueue extends WorkQueue<ChunkWork> {
  constructor() {
    super({ name: 'chunks', quantum: CHUNK_NAMES_MAX });
  }
}

/** Jobs that are to be cut into chunks, or given up because their start was broken off. */
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

/** Where the work of jobs waits. */
@Injectable()
export class JobQueues {
  readonly chunks = new ChunkQueue();
  readonly starts = new StartQueue();
  readonly ends = new EndQueue();

  constructor(readonly folders: FolderQueue) {}
}

/** A job as it waits for its start or its end. */
export const jobWork = ({ id, accountId }: { id: string; accountId: string }) => ({
  name: id,
  payload: { jobId: id },
  accountId,
});
