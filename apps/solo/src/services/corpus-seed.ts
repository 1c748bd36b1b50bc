import { CorpusClient, ServiceHttp } from '#libs/contracts';
import { type Clock, ServiceTokens } from '#libs/platform';
import type { DataFolder } from '../data-folder/data-folder.js';
import type { Secrets } from '../data-folder/secrets.js';

const SEED = 1;
/** Names of one call: short enough that a stop waits for none of them. */
const NAMES_AT_A_TIME = 50;
const FILE = 'generated-names.json';

/** Has database files made of what there is now, once the names are there. */
export async function publishFiles({
  workerUrl: url,
  secrets,
  clock,
}: Pick<SeededCorpus, 'secrets' | 'clock'> & { workerUrl: string }): Promise<void> {
  const tokens = new ServiceTokens(secrets.get('SERVICE_SECRET'), clock);
  const http = new ServiceHttp({ url, caller: 'cli', audience: 'worker', tokens });
  try {
    await http.call('POST', '/internal/files/runs');
  } finally {
    await http.close();
  }
}

/** What the seed works on. */
export interface SeededCorpus {
  corpusUrl: string;
  secrets: Secrets;
  clock: Clock;
  folder: DataFolder;
  /** How many names there are to be. */
  names: number;
}

/**
 * Fills the corpus with invented names, so that history and searches can be tried without the internet. Goes on where
 * an earlier start has stopped.
 * @returns how many names were added now.
 */
export async function seedCorpus(
  { corpusUrl: url, secrets, clock, folder, names }: SeededCorpus,
  signal: AbortSignal,
): Promise<number> {
  const before = folder.readJson<{ names: number }>(FILE)?.names ?? 0;
  const tokens = new ServiceTokens(secrets.get('SERVICE_SECRET'), clock);
  const http = new ServiceHttp({ url, caller: 'cli', audience: 'corpus', tokens });
  const client = new CorpusClient(http);
  let from = before;
  try {
    for (; from < names && !signal.aborted; from += NAMES_AT_A_TIME) {
      await client.generate({ from, names: NAMES_AT_A_TIME, seed: SEED });
      folder.writePrivateJson(FILE, { names: from + NAMES_AT_A_TIME });
    }
  } finally {
    await http.close();
  }
  return from - before;
}
