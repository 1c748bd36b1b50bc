import type { PlanDataset } from '#libs/contracts';
import { Problem } from '#libs/platform';

export class DatasetNotIncluded extends Problem {
  /** @param plans names of the Domainer plans that open it. */
  constructor(planDataset: PlanDataset, plans: readonly string[]) {
    super({
      code: 'dataset_not_included',
      status: 403,
      detail: `Your plan does not open this file. These do: ${plans.join(', ')}.`,
      members: { plan_dataset: planDataset, plans },
    });
  }
}

export class DownloadsBlocked extends Problem {
  constructor() {
    super({
      code: 'downloads_blocked',
      status: 403,
      detail: 'Downloads of this account are blocked at the moment.',
    });
  }
}

/** Values were suppressed since the file was made; it opens again once it is made without them. */
export class FileWithheld extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'file_withheld',
      status: 409,
      detail:
        'The file holds values that must not be shown any more. It is being made again without them; try again later.',
      retryable: true,
      retryAfterSeconds,
    });
  }
}

export class FileExpired extends Problem {
  /** @param days for which files are kept. */
  constructor(days: number) {
    super({
      code: 'file_expired',
      status: 410,
      detail: `Files are kept for ${days} days, and those of this one are over.`,
    });
  }
}
