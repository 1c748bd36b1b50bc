import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { ChunksRepository } from './chunks.repository.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

@Injectable()
export class ChunkRowsService {
  constructor(private readonly chunks: ChunksRepository) {}

  /** Closes the open chunks. After this call, their answers are no longer recorded. */
  async abandonOpen(transaction: Transaction, jobId: string): Promise<void> {
    await this.chunks.abandonOpen(transaction, jobId);
  }

  /** Lists the chunks that are done but not charged. */
  async listUnsettled(
    runner: Runner,
    jobId: string,
  ): Promise<{ number: number; charged: number }[]> {
    return this.chunks.listUnsettled(runner, jobId);
  }

  /** Lists the files with answers, in the order of their chunks. */
  async listParts(runner: Runner, jobId: string): Promise<{ part: string; rows: number }[]> {
    return this.chunks.listParts(runner, jobId);
  }
}
