import {
  CorpusClient,
  type CorpusSource,
  CorpusSourcesClient,
  type ImportedFile,
  type Operation,
  type RecordedBatch,
  type ServiceHttp,
} from '#libs/contracts';
import type { Database } from '#libs/database';
import { faultsOf } from '#libs/platform';
import { TestClock, TestDatabase } from '#test/environment';
import { CorpusConfig } from '../../apps/corpus/src/corpus.config.js';
import { ImportsJob } from '../../apps/corpus/src/imports/imports.job.js';
import { observationOf } from '../../apps/corpus/src/observations/observation-lines.js';
import type { Observation } from '../../apps/corpus/src/records/observation.js';
import { ObservationsService } from '../../apps/corpus/src/observations/observations.service.js';
import { SourcesService } from '../../apps/corpus/src/sources/sources.service.js';
import { EraseSuppressedJob } from '../../apps/corpus/src/suppression/erase-suppressed.job.js';
import { startCorpus } from '../../apps/corpus/src/start.js';
import { ServiceUnderTest } from '../environment/service-under-test.js';

const NAMES_AT_A_TIME = 500;
const LOOKUPS = 1;

export interface CorpusDatabase {
  url(role: string): string;
  service(name: 'corpus'): Promise<Database>;
  drop(): Promise<void>;
}

export class CorpusUnderTest extends ServiceUnderTest<CorpusDatabase, TestClock> {
  database: Database;
  operate: CorpusClient;
  sources: CorpusSourcesClient;
  feed: CorpusClient;
  private gateway: ServiceHttp;

  /** @param on a database, which is removed with the service; by default, a new one. */
  static async start(
    settings: Partial<CorpusConfig> = {},
    on?: CorpusDatabase,
  ): Promise<CorpusUnderTest> {
    const test = on ?? (await TestDatabase.create());
    const parts = { consumers: {}, logged: 'error' } as const;
    const corpus = new CorpusUnderTest('corpus', test, new TestClock(), parts);
    await corpus.open(settings);
    return corpus;
  }

  get url(): string {
    return this.service.url;
  }

  /** Imports observations of the installation's own answers; each is given as the object of a JSON line. */
  async record(...lines: Record<string, unknown>[]): Promise<RecordedBatch> {
    return this.get(ObservationsService).record(observationsOf(lines), LOOKUPS);
  }

  /** Imports observations as `record` does, but from a source that is added with these rights (by default, all). */
  async recordOf(
    source: { name: string; kind?: string } & Partial<
      Pick<CorpusSource, 'isShown' | 'isSold' | 'isLookedUp'>
    >,
    ...lines: Record<string, unknown>[]
  ): Promise<RecordedBatch> {
    const rights = { isShown: true, isSold: true, isLookedUp: true, isGenerated: false };
    const id = await this.database.transaction(async (transaction) =>
      this.get(SourcesService).ensure(transaction, { kind: 'list', ...rights, ...source }),
    );
    return this.get(ObservationsService).record(observationsOf(lines), id);
  }

  async eraseSuppressed(): Promise<void> {
    await this.get(EraseSuppressedJob).runOnce();
  }

  async generate(names: number, seed: number): Promise<{ newNames: number }> {
    let newNames = 0;
    for (let from = 0; from < names; from += NAMES_AT_A_TIME) {
      const stretch = { from, names: Math.min(NAMES_AT_A_TIME, names - from), seed };
      newNames += (await this.operate.generate(stretch)).newNames;
    }
    return { newNames };
  }

  async clearGenerated(): Promise<void> {
    while ((await this.operate.clearGenerated()).names > 0);
  }

  /** Imports a source, for a corpus whose `work` is `serve`. @returns its newest file and the run's problem. */
  async runSource(name: string): Promise<{ file?: ImportedFile; problem: string | null }> {
    await this.sources.run(name);
    await this.get(ImportsJob).runOnce();
    const { files, runProblem } = await this.sources.show(name);
    return { file: files[0], problem: runProblem };
  }

  /** Sends a request to an operation of the table as the gateway would. */
  async ask<Answer>(path: string, parameters: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.call('GET', `${path}?${new URLSearchParams(parameters)}`);
  }

  /**
   * Like `ask`.
   * @throws its errors; Error if an answer of version 2 does not match the class in the operation's row.
   */
  async answerTo<Answer extends object>(
    row: Operation,
    parameters: Record<string, string>,
  ): Promise<Answer> {
    const answer = await this.ask<Answer>(row.owner.path, parameters);
    const [form] = row.answers;
    if (form.type === 'application/json' && parameters.version !== '1') {
      const faults = faultsOf(form.of, answer);
      if (faults.length > 0) throw new Error(`${row.name}: ${JSON.stringify(faults)}`);
    }
    return answer;
  }

  /** @returns the error of the request, or undefined if it is answered. */
  async refusalOf(row: Operation, parameters: Record<string, string>): Promise<unknown> {
    return this.answerTo(row, parameters).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  async pagesOf<Answer extends { paging: { next_cursor: string | null } }>(
    row: Operation,
    parameters: Record<string, string>,
  ): Promise<Answer[]> {
    const paged = { page_size: '7', ...parameters };
    const pages = [await this.answerTo<Answer>(row, paged)];
    for (let next = pages[0].paging.next_cursor; next !== null;) {
      pages.push(await this.answerTo<Answer>(row, { ...paged, cursor: next }));
      next = pages.at(-1)!.paging.next_cursor;
    }
    return pages;
  }

  async send<Answer>(path: string, body: object): Promise<Answer> {
    return this.gateway.call('POST', path, { body });
  }

  private async open(settings: Partial<CorpusConfig>): Promise<void> {
    const { clock, logger, transport } = this;
    const config = Object.assign(new CorpusConfig(), this.settings, {
      // The time limit is long, because the machine may be busy with other specs. Another spec tests the limit itself.
      searchTimeoutMs: 20_000,
      ...settings,
    });
    this.service = await startCorpus({ config, clock, logger, transport });
    this.database = await this.test.service('corpus');
    const operator = this.connect('cli');
    this.operate = new CorpusClient(operator);
    this.sources = new CorpusSourcesClient(operator);
    this.feed = new CorpusClient(this.connect('worker'));
    this.gateway = this.connect('gateway');
  }
}

function observationsOf(lines: readonly Record<string, unknown>[]): Observation[] {
  return lines.map((line) => {
    const observation = observationOf(line);
    if (!observation) throw new Error(`no observation: ${JSON.stringify(line)}`);
    return observation;
  });
}
