import { parseCidr } from '#libs/domain-names';

/** A prefix of a routing table with the AS numbers that originate it, in the format of `pfx2as`. */
export interface OriginatedPrefix {
  address: string;
  prefixLength: number;
  /** The origins, the most frequent first; the members of a set (RFC 4271) are joined by commas. */
  origins: string[];
}

const HEADER_BYTES = 12;
/** Maximum size of a record; a larger record is invalid. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024;
// The type TABLE_DUMP_V2 and the subtypes of its records (RFC 6396, 4.3; with path identifiers RFC 8050, 4).
const TABLE_DUMP_V2 = 13;
const UNICAST: ReadonlyMap<number, { version: 4 | 6; hasPathIds: boolean }> = new Map([
  [2, { version: 4, hasPathIds: false }],
  [4, { version: 6, hasPathIds: false }],
  [8, { version: 4, hasPathIds: true }],
  [10, { version: 6, hasPathIds: true }],
]);
const AS_PATH = 2;
const LONG_LENGTH = 0x10;
const AS_SET = 1;

/**
 * Reads the prefixes of a routing table dump (MRT, RFC 6396) in the order of the dump, without default routes or
 * prefixes without a known origin. Memory holds only one chunk and at most one incomplete record.
 * @throws Error if the content is not such a dump, ends within a record, or has a record that cannot be read.
 */
export async function* originatedPrefixes(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<OriginatedPrefix, void, void> {
  let hasTable = false;
  for await (const { type, subtype, body } of recordsOf(chunks)) {
    if (type !== TABLE_DUMP_V2) continue;
    hasTable = true;
    const kind = UNICAST.get(subtype);
    const prefix = kind && prefixOf(body, kind);
    if (prefix && prefix.prefixLength > 0 && prefix.origins.length > 0) yield prefix;
  }
  if (!hasTable) throw new Error('it contains no routing table (MRT, TABLE_DUMP_V2)');
}

interface MrtRecord {
  type: number;
  subtype: number;
  body: Buffer;
}

async function* recordsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<MrtRecord, void, void> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    while (held.length - at >= HEADER_BYTES) {
      const bytes = held.readUInt32BE(at + 8);
      if (bytes > RECORD_BYTES_MAX) throw new Error('it is not an MRT file');
      const end = at + HEADER_BYTES + bytes;
      if (end > held.length) break;
      const [type, subtype] = [held.readUInt16BE(at + 4), held.readUInt16BE(at + 6)];
      yield { type, subtype, body: held.subarray(at + HEADER_BYTES, end) };
      at = end;
    }
    held = held.subarray(at);
  }
  if (held.length > 0) throw new Error('it ends within a record');
}

function prefixOf(
  body: Buffer,
  { version, hasPathIds }: { version: 4 | 6; hasPathIds: boolean },
): OriginatedPrefix | undefined {
  const prefixLength = body[4];
  const bytes = Math.ceil(prefixLength / 8);
  const parsed = parseCidr(`${addressText(body.subarray(5, 5 + bytes), version)}/${prefixLength}`);
  if (!parsed.ok) return undefined;
  const counts = new Map<string, number>();
  let at = 5 + bytes + 2;
  for (let entries = body.readUInt16BE(5 + bytes); entries > 0; entries -= 1) {
    at += hasPathIds ? 10 : 6;
    const end = at + 2 + body.readUInt16BE(at);
    const origin = originOf(body.subarray(at + 2, end));
    if (origin !== undefined) counts.set(origin, (counts.get(origin) ?? 0) + 1);
    at = end;
  }
  const origins = [...counts].toSorted((a, b) => b[1] - a[1]).map(([origin]) => origin);
  return { address: parsed.cidr.address, prefixLength, origins };
}

/** Returns the origin of a route, as `endOfPath` does; undefined without a path. */
function originOf(attributes: Buffer): string | undefined {
  for (let at = 0; at < attributes.length;) {
    const isLong = (attributes[at] & LONG_LENGTH) !== 0;
    const begin = at + (isLong ? 4 : 3);
    const end = begin + (isLong ? attributes.readUInt16BE(at + 2) : attributes[at + 2]);
    if (attributes[at + 1] === AS_PATH) return endOfPath(attributes.subarray(begin, end));
    at = end;
  }
  return undefined;
}

/**
 * Returns the last AS number of a path, or the numbers of its final set, separated by commas; undefined for an empty
 * path. AS numbers have four bytes (RFC 6396, 4.3.4).
 */
function endOfPath(path: Buffer): string | undefined {
  let last: string | undefined;
  for (let at = 0; at < path.length;) {
    const count = path[at + 1];
    const numbers = Array.from({ length: count }, (_, place) =>
      path.readUInt32BE(at + 2 + place * 4),
    );
    if (count > 0) last = path[at] === AS_SET ? numbers.join() : String(numbers.at(-1));
    at += 2 + count * 4;
  }
  return last;
}

function addressText(bytes: Buffer, version: 4 | 6): string {
  const whole = Buffer.alloc(version === 4 ? 4 : 16);
  bytes.copy(whole);
  if (version === 4) return whole.join('.');
  return Array.from({ length: 8 }, (_, group) => whole.readUInt16BE(group * 2).toString(16)).join(
    ':',
  );
}
