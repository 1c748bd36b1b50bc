import { Injectable } from '@nestjs/common';
import {
  type AskedPage,
  DATASETS,
  type Dataset,
  type FilesAnswer,
  type FilesStatus,
  type SuppressionVersion,
  offeredPlans,
  planDatasetOf,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock, NotFound } from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import { BuildQueue } from './build-queue.js';
import {
  type FileEdition,
  KEPT_DAYS,
  cadenceOf,
  fileEntry,
  isWithheld,
  keptFrom,
} from './file-edition.js';
import { DatasetNotIncluded, DownloadsBlocked, FileExpired, FileWithheld } from './files.errors.js';
import { FilesRepository } from './files.repository.js';

/** The value of `Retry-After` in seconds: about as long as it takes to build a daily file. */
const REBUILT_SECONDS = 600;

export interface AskedFiles {
  dataset?: Dataset;
  date?: string;
}

@Injectable()
export class FilesService {
  constructor(
    private readonly database: Database,
    private readonly files: FilesRepository,
    private readonly clients: ServiceClients,
    private readonly builds: BuildQueue,
    private readonly clock: Clock,
  ) {}

  async list(accountId: string, asked: AskedFiles, page: AskedPage): Promise<FilesAnswer> {
    const [day, dataset] = page.after ?? [];
    const rows = await this.files.list(this.database, {
      dataset: asked.dataset,
      day: asked.date,
      after: day === undefined ? undefined : { day, dataset },
      limit: page.limit,
    });
    const { items, paging } = page.cut(rows, (row) => [row.day, row.dataset]);
    const { datasets } = await this.clients.entitlement.allowance(accountId);
    const suppressed = await this.suppressed();
    const files = items.map((edition) => {
      const planDataset = planDatasetOf(edition.dataset);
      return {
        ...fileEntry(edition, suppressed),
        plan_dataset: planDataset,
        is_included: datasets.includes(planDataset),
      };
    });
    return { status: true, files, paging };
  }

  /**
   * Returns each dataset's newest file, how often it is updated, and the first day that is
   * available.
   */
  async status(): Promise<FilesStatus> {
    const newest = await this.files.listNewest(this.database);
    const suppressed = await this.suppressed();
    const datasets = DATASETS.map((dataset) => {
      const latest = newest.find((one) => one.dataset === dataset);
      return {
        dataset,
        plan_dataset: planDatasetOf(dataset),
        cadence: cadenceOf(dataset),
        available_from: latest?.availableFrom ?? null,
        ...(latest && { latest: fileEntry(latest, suppressed) }),
      };
    });
    return { status: true, datasets };
  }

  /**
   * Returns a file if the account may download it now. Its plan is checked each time (S77).
   * @throws DownloadsBlocked, DatasetNotIncluded, NotFound, FileExpired, FileWithheld, ServiceUnavailable.
   */
  async open(accountId: string, dataset: Dataset, day: string): Promise<FileEdition> {
    const { datasets, blocks } = await this.clients.entitlement.allowance(accountId);
    const now = this.clock.now();
    const isBlocked = blocks.some(
      ({ blocks: parts, from, to }) =>
        parts.includes('downloads') &&
        Date.parse(from) <= now.getTime() &&
        (to === undefined || now.getTime() < Date.parse(to)),
    );
    if (isBlocked) throw new DownloadsBlocked();
    const planDataset = planDatasetOf(dataset);
    if (!datasets.includes(planDataset)) {
      throw new DatasetNotIncluded(planDataset, plansWith(planDataset));
    }
    return this.opened(dataset, day);
  }

  /**
   * Returns a file, whatever the account's plan.
   * @throws NotFound, FileExpired, FileWithheld, ServiceUnavailable.
   */
  async opened(dataset: Dataset, day: string): Promise<FileEdition> {
    const edition = await this.files.find(this.database, dataset, day);
    if (!edition) {
      if (day < keptFrom(this.clock.now())) throw new FileExpired(KEPT_DAYS);
      throw new NotFound('There is no file for this dataset and day.');
    }
    await this.checkSuppression(edition);
    return edition;
  }

  /**
   * Returns the newest file of new names for this day or an earlier one.
   * @throws NotFound, FileWithheld, ServiceUnavailable.
   */
  async newestSample(until: string): Promise<FileEdition> {
    const after = { day: until, dataset: '' };
    const [edition] = await this.files.list(this.database, { dataset: 'newly', after, limit: 1 });
    if (!edition?.sample) throw new NotFound('There is no sample yet.');
    await this.checkSuppression(edition);
    return edition;
  }

  /**
   * Checks that a file contains no suppressed values; if it may, schedules its replacement.
   * @throws FileWithheld, ServiceUnavailable.
   */
  private async checkSuppression(edition: FileEdition): Promise<void> {
    if (!isWithheld(edition, await this.suppressed())) return;
    await this.database.transaction((transaction) => this.builds.replace(transaction, edition));
    throw new FileWithheld(REBUILT_SECONDS);
  }

  private async suppressed(): Promise<SuppressionVersion> {
    return this.clients.corpus.suppressionVersion();
  }
}

function plansWith(planDataset: string): string[] {
  const plans = offeredPlans().filter(
    ({ line, rights }) => line === 'domainer' && rights.datasets.includes(planDataset),
  );
  return [...new Set(plans.map(({ name }) => name))];
}
