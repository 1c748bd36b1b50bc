import { createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

/** A request from outside that changed the simulator's state. */
export interface JournalEntry {
  /** The simulators' time at which the request arrived, and the offset of their clock. */
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

/** Readable only by this user. */
const MODE = 0o600;

/**
 * The requests from outside, one per line of a file. Everything else follows from them: if they are replayed in order,
 * each at its time, they create the same objects with the same ids.
 */
export class Journal {
  private readonly seed: string;
  private ids = 0;
  readonly entries: readonly JournalEntry[];

  constructor(private readonly path: string) {
    const [seed, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    this.seed = seed || randomBytes(16).toString('hex');
    // Text after the last line break was not written completely when the machine stopped.
    const whole = lines.slice(0, -1);
    this.entries = whole.map((line) => JSON.parse(line) as JournalEntry);
    const kept = [this.seed, ...whole].map((line) => `${line}\n`).join('');
    writeFileSync(path, kept, { mode: MODE });
  }

  add(entry: JournalEntry): void {
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`);
  }

  /** The bytes of the next id, which are the same at every replay. */
  nextId(): string {
    this.ids += 1;
    return createHmac('sha256', this.seed).update(String(this.ids)).digest('hex').slice(0, 24);
  }
}

/** The port of the pages of a journal's objects. */
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
