import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { ChunksRepository } from './chunks.repository.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

/** The chunks of a job at its end. */
@Injectable()
export class ChunkRowsService {
  constructor(private readonly chunks: ChunksRepository) {}

  /** Closes the open chunks: after this call, none of their answers are recorded. */
  async abandonOpen(transaction: Transaction, jobId: string): Promise<void> {
    await this.chunks.abandonOpen(transaction, jobId);
  }

  /** Finished chunks that are not yet charged. */
  async listUnsettled(
    runner: Runner,
    jobId: string,
  ): Promise<{ number: number; charged: number }[]> {
    return this.chunks.listUnsettled(runner, jobId);
  }

  /** Files with answers, in the order of their chunks. */
  async listParts(runner: Runner, jobId: string): Promise<{ part: string; rows: number }[]> {
    return this.chunks.listParts(runner, jobId);
  }
}
