import { createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

export interface JournalEntry {
  atMs: number;
  offsetMs: number;
  to: 'stripe' | 'paypal' | 'page' | 'control';
  method: string;
  path: string;
  query: string;
  body: string;
  /** `Idempotency-Key` or `PayPal-Request-Id`. */
  key?: string;
}

const MODE = 0o600;

/**
 * The external requests, one per line of a file. They determine all other state: replayed in order, each at its time,
 * they create the same objects with the same ids.
 */
export class Journal {
  private readonly seed: string;
  private ids = 0;
  readonly entries: readonly JournalEntry[];

  constructor(private readonly path: string) {
    const [seed, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    this.seed = seed || randomBytes(16).toString('hex');
    // A line was only partly written if the machine stopped or its disk was full.
    this.entries = lines.flatMap(entryOf);
    const kept = [this.seed, ...this.entries.map((entry) => JSON.stringify(entry))];
    writeFileSync(path, kept.map((line) => `${line}\n`).join(''), { mode: MODE });
  }

  add(entry: JournalEntry): void {
    // The line before may be incomplete; empty lines are skipped.
    appendFileSync(this.path, `\n${JSON.stringify(entry)}\n`);
  }

  /** Returns the next id, which is the same at every replay. */
  nextId(): string {
    this.ids += 1;
    return createHmac('sha256', this.seed).update(String(this.ids)).digest('hex').slice(0, 24);
  }
}

function entryOf(line: string): JournalEntry[] {
  try {
    return [JSON.parse(line) as JournalEntry];
  } catch {
    return [];
  }
}

/** The port of the hosted pages, stored beside the journal so that their addresses survive a restart. */
export class KeptPort {
  private readonly path: string;

  constructor(journalPath: string) {
    this.path = `${journalPath}.port`;
  }

  read(): number | undefined {
    const port = existsSync(this.path) ? Number(readFileSync(this.path, 'utf8')) : NaN;
    return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
  }

  write(port: number): void {
    writeFileSync(this.path, `${port}\n`, { mode: MODE });
  }
}
