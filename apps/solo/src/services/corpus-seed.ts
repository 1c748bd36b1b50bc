import { CorpusClient, ServiceHttp } from '#libs/contracts';
import { type Clock, ServiceTokens } from '#libs/platform';
import type { DataFolder } from '../data-folder/data-folder.js';
import type { Secrets } from '../data-folder/secrets.js';

const SEED = 1;
/** The number of names per call, which is small enough not to delay a stop. */
const NAMES_AT_A_TIME = 50;
const FILE = 'generated-names.json';

/** Whether an earlier start with this folder added invented names to the corpus. */
export const hasInventedNames = (folder: DataFolder): boolean =>
  folder.readJson(FILE) !== undefined;

/** Returns the number of names that earlier starts with this folder added. */
export const inventedNames = (folder: DataFolder): number =>
  folder.readJson<{ names: number }>(FILE)?.names ?? 0;

export interface SeededCorpus {
  corpusUrl: string;
  workerUrl: string;
  secrets: Secrets;
  clock: Clock;
  folder: DataFolder;
  names: number;
}

/**
 * Fills the corpus with invented names, so that history and searches can be tried without the internet. Continues where
 * an earlier start stopped, and ends early if `signal` aborts. No build of a database file starts in the meantime, so
 * all files contain the added names.
 * @returns the number of names that were added now.
 */
export async function seedCorpus(
  { corpusUrl, workerUrl, secrets, clock, folder, names }: SeededCorpus,
  signal: AbortSignal,
): Promise<number> {
  const before = inventedNames(folder);
  if (before >= names) return 0;
  const tokens = new ServiceTokens(secrets.get('SERVICE_SECRET'), clock);
  const corpus = new ServiceHttp({ url: corpusUrl, caller: 'cli', audience: 'corpus', tokens });
  const worker = new ServiceHttp({ url: workerUrl, caller: 'cli', audience: 'worker', tokens });
  const client = new CorpusClient(corpus);
  let from = before;
  try {
    await worker.call('POST', '/internal/files/runs/hold');
    for (; from < names && !signal.aborted; from += NAMES_AT_A_TIME) {
      await client.generate({ from, names: NAMES_AT_A_TIME, seed: SEED });
      folder.writePrivateJson(FILE, { names: from + NAMES_AT_A_TIME });
    }
    if (!signal.aborted) await worker.call('POST', '/internal/files/runs');
  } finally {
    await Promise.all([corpus.close(), worker.close()]);
  }
  return from - before;
}
