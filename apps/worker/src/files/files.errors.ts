import type { PlanDataset } from '#libs/contracts';
import { Problem } from '#libs/platform';

export class DatasetNotIncluded extends Problem {
  constructor(planDataset: PlanDataset, plans: readonly string[]) {
    super({
      code: 'dataset_not_included',
      status: 403,
      detail: `Your plan does not include this file. These plans do: ${plans.join(', ')}.`,
      members: { plan_dataset: planDataset, plans },
    });
  }
}

export class DownloadsBlocked extends Problem {
  constructor() {
    super({
      code: 'downloads_blocked',
      status: 403,
      detail: 'Downloads are currently blocked for this account.',
    });
  }
}

/**
 * Values were suppressed after the file was built. The file becomes available again once it is known to contain none of
 * them.
 */
export class FileWithheld extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'file_withheld',
      status: 409,
      detail:
        'The file may contain values that may no longer be shown. It is being checked, and is rebuilt if it contains any. Try again later.',
      retryable: true,
      retryAfterSeconds,
    });
  }
}

export class FileExpired extends Problem {
  constructor(days: number) {
    super({
      code: 'file_expired',
      status: 410,
      detail: `Files are kept for ${days} days, and this one is older.`,
    });
  }
}
