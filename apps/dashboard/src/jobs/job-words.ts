import type { JobAnswer, JobKind, JobState } from '#libs/contracts';
import { counted } from '#libs/platform';

export const JOB_STATE_WORDS: Readonly<Record<JobState, string>> = {
  validating: 'being checked',
  queued: 'queued',
  running: 'running',
  finalizing: 'being finished',
  completed: 'finished',
  completed_with_errors: 'finished, some names not charged',
  canceled: 'cancelled',
  failed: 'failed',
  expired: 'results deleted',
};
const KIND_WORDS: Readonly<Record<JobKind, string>> = { whois: 'WHOIS', dns: 'DNS' };

export const kindTitle = ({ kind }: Pick<JobAnswer, 'kind'>) => `${KIND_WORDS[kind]} job`;

export const jobTitle = ({ kind, counts }: Pick<JobAnswer, 'kind' | 'counts'>) =>
  `${KIND_WORDS[kind]} of ${counted(counts.unique, 'name')}`;

/** Returns a sentence about names without a source; empty if all names have one. */
export function unsupportedWords({ counts, kind }: Pick<JobAnswer, 'kind' | 'counts'>): string {
  if (!(counts.unsupported > 0)) return '';
  return `${counted(counts.unsupported, 'name')} without a known source of ${KIND_WORDS[kind]} data, free.`;
}

export const isRunning = ({ finished_at }: Pick<JobAnswer, 'finished_at'>) => finished_at === null;

const CANCELLABLE: readonly JobState[] = ['validating', 'queued', 'running'];

export const canBeCancelled = ({ state }: Pick<JobAnswer, 'state'>) => CANCELLABLE.includes(state);
