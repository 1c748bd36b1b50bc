import type { Dataset, FileEntry, FilesAnswer } from '#libs/contracts';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { BuildFilesJob } from '../../apps/worker/src/file-building/build-files.job.js';
import { PlanFilesJob } from '../../apps/worker/src/file-building/plan-files.job.js';
import { CorpusStandIn, type PlannedRow } from './corpus-stand-in.js';
import { WorkerUnderTest } from './worker-under-test.js';

/** The numbers of datasets with daily files and with weekly files. */
export const [DAILY, WEEKLY] = [8, 4];
export const ALL_DATASETS = ['names', 'whois', 'cleaned-whois', 'dns'];
export const HOSTILE = '=HYPERLINK("https://evil.example","<script>x</script>")';

/** Returns the rows of a day. Each name is new on two days, so that files overlap. */
export function planned(dataset: Dataset, day = '2026-11-22'): PlannedRow[] {
  const date = Number(day.slice(8));
  return [date - 1, date].map((number) => ({
    key: number,
    name: `name-${number}.com`,
    ...(dataset.includes('whois') && {
      record: {
        create_date: day,
        domain_registrar: { iana_id: '292', registrar_name: 'Mark, "the" Monitor' },
        registrant_contact: { name: HOSTILE, phone: '+15550100', email_address: 'a@b.example' },
        name_servers: ['ns1.example', 'ns2.example'],
      },
    }),
    ...(dataset.endsWith('dns') && {
      records: [
        { type: 'A', value: '192.0.2.1', firstSeen: '2026-11-22T08:00:00.000Z' },
        { type: 'A', value: '192.0.2.2', firstSeen: '2026-11-22T08:00:00.000Z' },
        { type: 'TXT', value: 'v=spf1 -all', firstSeen: '2026-11-22T08:00:00.000Z' },
      ],
    }),
  }));
}

export class FilesUnderTest extends WorkerUnderTest {
  readonly corpus = new CorpusStandIn();

  /** Starts the worker and waits until the files of three days exist. The test decides when other files are built. */
  override async start(): Promise<void> {
    this.corpus.rowsOf = planned;
    await this.corpus.start();
    await super.start(undefined, { corpusUrl: this.corpus.url });
    await this.settled(3 * DAILY + WEEKLY);
    await this.holdJob('plan-files');
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.corpus.stop();
  }

  async count(): Promise<number> {
    const [{ files }] = await this.database.query<{ files: number }>(
      'select count(*)::integer as files from file_editions',
    );
    return files;
  }

  /**
   * Waits until this many editions have been built and nothing is left to build.
   * @throws Error if more have been built, or if these are not built in time.
   */
  async settled(editions: number): Promise<void> {
    await waitFor(`${editions} editions`, async () => (await this.count()) >= editions);
    await waitFor('the end of the builds', async () => {
      const left = `select from work where queue = 'file-builds'`;
      return (await this.database.query(left)).length === 0;
    });
    const made = await this.count();
    if (made !== editions) throw new Error(`${made} editions instead of ${editions}`);
  }

  async make(): Promise<void> {
    await this.get(PlanFilesJob).runOnce();
    await this.get(BuildFilesJob).runOnce();
  }

  customer(datasets: string[]): string {
    const accountId = newId();
    this.entitlement.datasets.set(accountId, datasets);
    return accountId;
  }

  async fetchFile(
    accountId: string | undefined,
    path: string,
    { method = 'GET', headers }: { method?: 'GET' | 'HEAD'; headers?: Record<string, string> } = {},
  ) {
    return this.send(method, `/internal/${path}`, { accountId, headers });
  }

  async download(accountId: string, dataset: Dataset, day: string, format = 'csv.gz') {
    return this.fetchFile(accountId, `files/${dataset}/${day}?format=${format}`);
  }

  async list(accountId: string, query = ''): Promise<FilesAnswer> {
    return this.gateway.call('GET', `/internal/files${query}`, { accountId });
  }

  async entryOf(dataset: Dataset, day: string): Promise<FileEntry> {
    const { files } = await this.list(
      this.customer(ALL_DATASETS),
      `?dataset=${dataset}&date=${day}`,
    );
    if (files.length !== 1) throw new Error(`${files.length} entries of ${dataset} ${day}`);
    return files[0];
  }
}

export const problemOf = ({ text }: { text: string }) =>
  JSON.parse(text) as Record<string, unknown>;
