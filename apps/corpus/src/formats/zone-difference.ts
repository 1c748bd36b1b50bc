import type { FiledName } from '../names/registrable-name.js';
import type { Lines } from './lines.js';
import { ZoneReader } from './zone-reader.js';

/** The names added and removed in a version of a zone, compared with the previous one. */
export interface ZoneDifference {
  fresh: Map<string, FiledName>;
  gone: Map<string, FiledName>;
}

/**
 * The maximum number of names in which the versions of successive days may differ. A zone that differs in more names is
 * imported completely.
 */
const DIFFERENCE_MAX = 250_000;
const BLANK = /[ \t]/;
const DELEGATES = /[ \t]ns[ \t]/i;

/**
 * Compares two versions of a zone line by line. Lines that both share in the same order are skipped, so both should be
 * sorted in the same way. If the lines are not sorted, a name that seems added in one place and removed in another
 * counts as neither. `gone` may contain names that are elsewhere in the newer version; `ownersOf` finds them.
 * @returns undefined if the versions differ in too many names.
 */
export async function zoneDifference(
  older: AsyncIterable<Lines>,
  newer: AsyncIterable<Lines>,
): Promise<ZoneDifference | undefined> {
  const [was, is] = [new Side(older), new Side(newer)];
  while ((await was.fill()) && (await is.fill())) {
    skipShared(was, is);
    if (was.isAtEnd || is.isAtEnd) continue;
    const order = compared(was.owner(), is.owner());
    if (order <= 0) was.take();
    if (order >= 0) is.take();
    if (Math.max(was.names.size, is.names.size) > DIFFERENCE_MAX) return undefined;
  }
  for (const side of [was, is]) {
    while (await side.fill()) {
      side.take();
      if (side.names.size > DIFFERENCE_MAX) return undefined;
    }
  }
  for (const name of was.names.keys()) {
    if (is.names.delete(name)) was.names.delete(name);
  }
  return { fresh: is.names, gone: was.names };
}

/**
 * Counts the delegated names of a zone. A name counts once for each uninterrupted group of its lines.
 * @param look called with each counted name.
 */
export async function ownersOf(
  lines: AsyncIterable<Lines>,
  zone: string,
  look: (owner: string) => void,
): Promise<number> {
  let last = '';
  let owners = 0;
  for await (const { texts } of lines) {
    for (const text of texts) {
      if (text === undefined || !DELEGATES.test(text)) continue;
      const owner = ownerOf(text);
      if (owner === last) continue;
      last = owner;
      const name = owner.slice(0, -1).toLowerCase();
      // The zone's own name servers are not a delegation.
      if (name === zone) continue;
      owners += 1;
      look(name);
    }
  }
  return owners;
}

/** One of the two versions, read up to the current line. */
class Side {
  /** The names in the lines that the other version lacks at this position. */
  readonly names = new Map<string, FiledName>();
  texts: readonly (string | undefined)[] = [];
  at = 0;
  /** The previous line, if both versions share it and it was skipped. */
  shared?: string;
  private readonly reader = new ZoneReader();
  private readonly lines: AsyncIterator<Lines>;

  constructor(lines: AsyncIterable<Lines>) {
    this.lines = lines[Symbol.asyncIterator]();
  }

  get hasBegun(): boolean {
    return this.reader.origin !== undefined;
  }

  get isAtEnd(): boolean {
    return this.at === this.texts.length;
  }

  /** Reads on until there is a line to compare. @returns false at the end of the file. */
  async fill(): Promise<boolean> {
    while (this.isAtEnd) {
      const next = await this.lines.next();
      if (next.done) return false;
      [this.texts, this.at] = [next.value.texts, 0];
    }
    return true;
  }

  owner(): string {
    return ownerOf(this.texts[this.at] ?? '');
  }

  take(): void {
    // The skipped line is read now, because it tells the reader to which name the following records belong.
    if (this.shared !== undefined) this.reader.read(this.shared);
    this.shared = undefined;
    const text = this.texts[this.at];
    this.at += 1;
    const read = text === undefined ? 'bad' : this.reader.read(text);
    if (typeof read === 'object') this.names.set(read.name, read);
  }
}

function skipShared(was: Side, is: Side): void {
  if (!was.hasBegun || !is.hasBegun) return;
  const count = Math.min(was.texts.length - was.at, is.texts.length - is.at);
  let same = 0;
  while (same < count && was.texts[was.at + same] === is.texts[is.at + same]) same += 1;
  if (same === 0) return;
  was.at += same;
  is.at += same;
  was.shared = is.shared = is.texts[is.at - 1];
}

function ownerOf(line: string): string {
  const end = line.search(BLANK);
  return end < 0 ? line : line.slice(0, end);
}

const compared = (a: string, b: string) => (a < b ? -1 : Number(a > b));
