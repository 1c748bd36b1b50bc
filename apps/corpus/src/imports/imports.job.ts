import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable, Clock, type Job, Logger } from '#libs/platform';
import { ConnectionError } from '#libs/resolvers';
import { CertificateLogsService } from './certificate-logs.service.js';
import { BadFile, Overtaken } from '../locations/import-file.js';
import { ImportRunsService } from './import-runs.service.js';
import { ImportsRepository } from './imports.repository.js';

/** Imports from due sources, one after another, in one process of the installation. */
@Injectable()
export class ImportsJob implements Job {
  readonly name = 'corpus-imports';
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: ImportsRepository,
    private readonly runs: ImportRunsService,
    private readonly logs: CertificateLogsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    this.running = this.runDue();
    await this.running;
  }

  /** Ends a run after its current batch; the next process continues from there. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running.catch(() => {});
  }

  private async runDue(): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return;
    for (const source of await this.repository.listDue(this.clock.now())) {
      await this.repository.begin(source.id, this.clock.now());
      let problem: string | null = null;
      let isMore = false;
      try {
        if (source.kind === 'ct') isMore = await this.logs.follow(source, signal);
        else await this.runs.run(source, this.clock.now(), signal);
      } catch (error) {
        // The source stays due, so the next run continues.
        if (signal.aborted || error instanceof Overtaken || error instanceof DatabaseUnavailable) {
          return;
        }
        problem = problemOf(error);
        this.logger.error(`import of source ${source.name} failed`, { error });
      }
      const now = this.clock.now();
      const pauseMs = isMore ? 0 : source.everyMs;
      const dueAt = pauseMs === null ? null : new Date(now.getTime() + pauseMs);
      await this.repository.end(source.id, now, { problem, dueAt });
    }
  }
}

/** Returns the error text for an operator, without imported data. */
function problemOf(error: unknown): string {
  if (error instanceof BadFile) return error.message;
  if (error instanceof ConnectionError) return `No connection: ${error.fault}.`;
  const { code } = error as NodeJS.ErrnoException;
  return `The import failed${typeof code === 'string' ? ` (${code})` : ''}; the log says more.`;
}
