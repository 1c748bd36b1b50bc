import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from '@jest/globals';
import { routingCommands } from './routing-commands.js';

const folder = mkdtempSync(join(tmpdir(), 'mrt-'));
afterAll(() => rmSync(folder, { recursive: true }));

const u16 = (number: number) => [number >> 8, number & 0xff];
const u32 = (number: number) => [...u16(Math.floor(number / 65_536)), ...u16(number % 65_536)];
const record = (subtype: number, body: number[]) =>
  Buffer.from([...u32(1_700_000_000), ...u16(13), ...u16(subtype), ...u32(body.length), ...body]);
/** Encodes a segment of a path: 2 is a sequence, 1 a set. */
const segment = (kind: 1 | 2, asns: number[]) => [kind, asns.length, ...asns.flatMap(u32)];
const entry = (path: number[], { isLong = false, pathId = [] as number[] } = {}) => {
  const length = isLong ? u16(path.length) : [path.length];
  const attributes = [0x40, 1, 1, 0, isLong ? 0x50 : 0x40, 2, ...length, ...path];
  return [...u16(0), ...u32(0), ...pathId, ...u16(attributes.length), ...attributes];
};
const rib = (length: number, bytes: number[], entries: number[][]) => [
  ...u32(1),
  length,
  ...bytes,
  ...u16(entries.length),
  ...entries.flat(),
];
const DUMP = Buffer.concat([
  record(1, [...u32(1), ...u16(0), ...u16(0)]),
  record(2, rib(24, [198, 51, 100], [entry(segment(2, [64_500, 64_496]))])),
  record(
    2,
    rib(
      16,
      [203, 0],
      [
        entry(segment(2, [1, 64_501])),
        entry(segment(2, [2, 4_200_000_000]), { isLong: true }),
        entry(segment(2, [3, 4_200_000_000])),
      ],
    ),
  ),
  record(
    2,
    rib(20, [192, 0, 0x20], [entry([...segment(2, [1]), ...segment(1, [64_502, 64_503])])]),
  ),
  record(2, rib(0, [], [entry(segment(2, [1]))])),
  record(4, rib(32, [0x20, 0x01, 0x0d, 0xb8], [entry(segment(2, [64_504]))])),
  record(8, rib(8, [11], [entry(segment(2, [64_505]), { pathId: u32(7) })])),
]);

async function convert(name: string, content: Buffer): Promise<string> {
  const [dump, write] = [join(folder, name), join(folder, `${name}.txt`)];
  writeFileSync(dump, content);
  const program = new Command();
  routingCommands(program);
  await program.parseAsync(['routing', 'convert', dump, '--write', write], { from: 'user' });
  return readFileSync(write, 'utf8');
}

describe('a routing table dump', () => {
  const lines = [
    '198.51.100.0\t24\t64496',
    '203.0.0.0\t16\t4200000000_64501',
    '192.0.32.0\t20\t64502,64503',
    '2001:db8::\t32\t64504',
    '11.0.0.0\t8\t64505',
    '',
  ].join('\n');

  it('is converted to lines of prefixes with their origins, compressed or not', async () => {
    expect(await convert('rib.mrt', DUMP)).toBe(lines);
    expect(await convert('rib.gz', gzipSync(DUMP))).toBe(lines);
  });

  it.each([
    ['cut off', DUMP.subarray(0, -3), 'ends within a record'],
    ['another file', Buffer.from('<!doctype html><p>Not found</p>'), 'is not an MRT file'],
    ['empty', Buffer.alloc(0), 'contains no routing table'],
  ])('is refused and writes nothing if it is %s', async (name, content, message) => {
    await expect(convert(`${name}.mrt`, content)).rejects.toThrow(message);
    expect(() => readFileSync(join(folder, `${name}.mrt.txt`))).toThrow('ENOENT');
  });
});
