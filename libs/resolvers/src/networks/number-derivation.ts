import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '#libs/platform';
import type { NumberTables } from './number-registries.js';

interface Bootstrap {
  publication: string;
  services: [ranges: string[], urls: string[]][];
}

const FILES = {
  ipv4: 'iana-rdap-ipv4.json',
  ipv6: 'iana-rdap-ipv6.json',
  asn: 'iana-rdap-asn.json',
} as const;

/**
 * Derives `tables.json` from IANA's RDAP bootstrap files for addresses and AS numbers (RFC 9224).
 * @returns a summary of the tables.
 * @throws Error for a file that is missing or lacks one of the five regional registries.
 */
export function writeNumberTables(folder: string, target: string): string {
  const read = (name: keyof typeof FILES) =>
    JSON.parse(readFileSync(join(folder, FILES[name]), 'utf8')) as Bootstrap;
  const files = { ipv4: read('ipv4'), ipv6: read('ipv6'), asn: read('asn') };
  const newest = Object.values(files)
    .map(({ publication }) => publication.slice(0, 10))
    .toSorted()
    .at(-1);
  const tables: NumberTables = {
    publishedOn: newest ?? '',
    ipv4: byService(files.ipv4),
    ipv6: byService(files.ipv6),
    asn: byService(files.asn),
  };
  for (const name of ['ipv4', 'ipv6', 'asn'] as const) {
    const count = Object.keys(tables[name]).length;
    if (count < 5)
      throw new Error(
        `${FILES[name]} names ${counted(count, 'registry', 'registries')} instead of 5: refused`,
      );
  }
  const object = (entries: NumberTables['ipv4']) =>
    Object.entries(entries)
      .map(([service, ranges]) => `    ${JSON.stringify(service)}: ${JSON.stringify(ranges)}`)
      .join(',\n');
  writeFileSync(
    target,
    `{\n  "publishedOn": ${JSON.stringify(tables.publishedOn)},\n` +
      `  "ipv4": {\n${object(tables.ipv4)}\n  },\n  "ipv6": {\n${object(tables.ipv6)}\n  },\n` +
      `  "asn": {\n${object(tables.asn)}\n  }\n}\n`,
  );
  const count = (entries: NumberTables['ipv4']) => Object.values(entries).flat().length;
  return `${count(tables.ipv4)} IPv4 and ${count(tables.ipv6)} IPv6 blocks, ${count(tables.asn)} AS ranges`;
}

function byService({ services }: Bootstrap): Record<string, string[]> {
  const found = services.flatMap(([ranges, urls]) => {
    const url = urls.find((one) => one.startsWith('https://'));
    return url === undefined ? [] : [[url, ranges] as const];
  });
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
