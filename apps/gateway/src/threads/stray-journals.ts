import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { GatewayConfig } from '../gateway.config.js';
import { adoptJournals } from '../lease/lease-journal.js';
import { threadJournal } from './thread-pool.js';

/**
 * Hands journals that no thread of this start has, as there were more or fewer threads at the last one,
 * to the first thread, which settles them with its own. Call before any of them is opened.
 */
export function adoptStrayJournals({
  journalPath,
  threads,
}: Pick<GatewayConfig, 'journalPath' | 'threads'>): void {
  const own =
    threads === 1
      ? [journalPath]
      : Array.from({ length: threads }, (_, place) => threadJournal(journalPath, place + 1));
  const strays = journalsBeside(journalPath).filter((path) => !own.includes(path));
  adoptJournals(own[0], strays);
}

/** Journals of earlier runs, with or without a thread's number. */
function journalsBeside(path: string): string[] {
  const name = basename(path);
  const found = new Set<string>();
  for (const file of filesIn(dirname(path))) {
    const ending = file.startsWith(name) && /^(\.\d+)?(\.earlier)?$/.exec(file.slice(name.length));
    if (ending) found.add(join(dirname(path), name + (ending[1] ?? '')));
  }
  return [...found];
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
