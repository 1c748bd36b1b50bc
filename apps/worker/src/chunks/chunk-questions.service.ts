import { Injectable } from '@nestjs/common';
import { Logger } from '#libs/platform';
import type { Job } from '../jobs/job.js';
import { ServiceClients } from '../service-clients.js';
import type { ChunkAnswers } from './chunk-answers.js';
import type { Chunk } from './chunks.repository.js';
import { findingsOf } from './known-answer.js';

/** The maximum time for which a name may wait for its turn at an upstream. */
const WAIT_SECONDS = 20;

/** Looks up the names of chunks: first in the corpus if older answers are allowed, and the others through lookup. */
@Injectable()
export class ChunkQuestionsService {
  constructor(
    private readonly clients: ServiceClients,
    private readonly logger: Logger,
  ) {}

  /**
   * Adds the results to the chunk's answers as they arrive. @throws ServiceUnavailable if lookup is unavailable; the
   * reason of the signal.
   */
  async ask(job: Job, chunk: Chunk, answers: ChunkAnswers, signal: AbortSignal): Promise<void> {
    if (job.maxAgeSeconds > 0) await this.askCorpus(job, chunk, answers, signal);
    const open = answers.open;
    if (open.length === 0) return;
    const { kind, types, maxAgeSeconds, accountId } = job;
    const found = this.clients.lookup.ask(
      {
        kind,
        names: open.map((index) => chunk.names[index]),
        ...(types && { types }),
        priority: 'bulk',
        maxAgeSeconds,
        waitSeconds: WAIT_SECONDS,
      },
      { accountId, signal },
    );
    for await (const one of found) answers.add({ ...one, index: open[one.index] });
  }

  /**
   * Answers names from the corpus. Names that remain unanswered, for example because the corpus fails, are looked up.
   */
  private async askCorpus(
    { kind, types, maxAgeSeconds }: Job,
    { names }: Chunk,
    answers: ChunkAnswers,
    signal: AbortSignal,
  ): Promise<void> {
    const asked = { kind, names, ...(types && { types }), maxAgeSeconds };
    try {
      const known = this.clients.corpus.freshest(asked, { signal });
      for await (const one of known) answers.add(findingsOf(one));
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn('the corpus failed to answer; the remaining names are looked up', error);
    }
  }
}
