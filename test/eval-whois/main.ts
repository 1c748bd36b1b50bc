import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseWhois, type ParseResult } from '#libs/resolvers';
import {
  type Count,
  type ExpectedRecord,
  type Finding,
  type RecordedRow,
  compareRecord,
  countsOf,
  shareOf,
} from './comparison.js';
import exclusions from './exclusions.json' with { type: 'json' };
import statuses from './statuses.json' with { type: 'json' };

/** The minimum shares of correct answers for a release, by field. */
const BARS: Readonly<Record<string, number>> = {
  found: 0.995,
  not_registered: 1,
  restricted: 0.95,
  throttled: 1,
  created: 0.99,
  updated: 0.99,
  expires: 0.99,
  nameServers: 0.99,
  registrar: 0.97,
  contacts: 0.9,
};
const WORST_REGISTRIES = 15;
/** The rows (`id`) and single fields (`id field`) whose expectation is clearly wrong. */
const EXCLUDED = new Set(Object.keys(exclusions));
/** The correct statuses, by row id, of rows recorded only as free or taken. Nothing else in them is compared. */
const STATUSES = statuses as Readonly<Record<string, ExpectedRecord['status']>>;

/**
 * Measures the port-43 parser on recorded answers: `eval-whois <folder> [--json FILE] [--enforce] [--wrong]`. Reads
 * every `*.jsonl` in the folder, and prints the share of correct answers per field and the worst registries. `--json`
 * writes all counts to a file. `--enforce` exits with 1 if a share is too low, or if an answer with another asserted
 * status was read as "not registered". `--wrong` lists each wrong value.
 */
function main(): number {
  const flag = { type: 'boolean' } as const;
  const options = { json: { type: 'string' }, enforce: flag, wrong: flag } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [folder] = positionals;
  if (folder === undefined) {
    write('usage: eval-whois <folder of *.jsonl> [--json FILE] [--enforce] [--wrong]');
    return 2;
  }
  const rows = readRows(folder);
  const judged: (Finding & { registry: string })[] = [];
  let falseFree = 0;
  for (const row of rows) {
    const result = parseRow(row);
    const isHeld = !['not_registered', undefined].includes(row.expected.status);
    if (isHeld && result.outcome === 'not_registered') falseFree += 1;
    for (const finding of findingsOf(row, result)) {
      if (EXCLUDED.has(`${row.id} ${finding.field}`)) continue;
      judged.push({ ...finding, registry: registryOf(row) });
      if (!finding.isRight && values.wrong) writeFinding(row, finding);
    }
  }
  const fields = countsOf(judged);
  const registries = Map.groupBy(judged, ({ registry }) => registry);
  report(fields, registries, { rows: rows.length, falseFree });
  if (values.json !== undefined) {
    const named = [...registries].map(([name, own]) => [name, countsOf(own)]);
    const all = { rows: rows.length, falseFree, fields, registries: Object.fromEntries(named) };
    writeFileSync(values.json, JSON.stringify(all, null, 2));
  }
  const isBelow = Object.entries(BARS).some(([field, bar]) => shareOf(fields[field]) < bar);
  return values.enforce && (isBelow || falseFree > 0) ? 1 : 0;
}

function readRows(folder: string): RecordedRow[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as RecordedRow)
    .filter((row) => !EXCLUDED.has(row.id))
    .map((row) => (row.id in STATUSES ? { ...row, expected: { status: STATUSES[row.id] } } : row));
}

/** Parses a row. A row without a TLD was recorded at a registrar. */
function parseRow(row: RecordedRow): ParseResult {
  return parseWhois(row.text, {
    domain: row.expected.domain ?? '',
    server: row.server ?? '',
    tld: row.tld ?? '',
    role: row.tld === null ? 'registrar' : 'registry',
  });
}

function findingsOf(row: RecordedRow, result: ParseResult): Finding[] {
  const { status } = row.expected;
  const findings: Finding[] = [];
  if (status !== undefined) {
    const field = status === 'registered' ? 'found' : status;
    const isRight = result.outcome === (status === 'registered' ? 'delivered' : status);
    findings.push({ field, isRight, expected: status, actual: result.outcome });
  }
  if (status === 'registered' || status === undefined) {
    findings.push(...compareRecord(row.expected, result.record ?? NO_RECORD));
  }
  return findings;
}

const NO_RECORD = {
  nameServers: [],
  statuses: [],
  contacts: {},
  redactions: [],
  privacyService: false,
};

function registryOf(row: RecordedRow): string {
  if (row.tld === null) return row.server ?? 'unknown';
  return row.tld.slice(row.tld.lastIndexOf('.') + 1);
}

function report(
  fields: Record<string, Count>,
  registries: ReadonlyMap<string, Finding[]>,
  { rows, falseFree }: { rows: number; falseFree: number },
): void {
  write(
    `${rows} answers; "not registered" although registered, reserved or throttled: ${falseFree}`,
  );
  for (const [field, count] of Object.entries(fields).toSorted()) {
    const [share, bar] = [shareOf(count), BARS[field]];
    const mark = bar === undefined ? '' : share < bar ? '  below the bar' : '  ok';
    const percent = `${(share * 100).toFixed(1)} %`.padStart(8);
    write(`${field.padEnd(28)} ${percent}  ${count.right}/${count.total}${mark}`);
  }
  write('worst registries:');
  const worst = [...registries]
    .map(([name, own]) => ({ name, own, wrong: own.filter(({ isRight }) => !isRight).length }))
    .filter(({ wrong }) => wrong > 0)
    .toSorted((a, b) => b.wrong - a.wrong || a.name.localeCompare(b.name));
  for (const { name, own, wrong } of worst.slice(0, WORST_REGISTRIES)) {
    write(`  ${name.padEnd(26)} ${wrong} wrong of ${own.length}`);
  }
}

function writeFinding(row: RecordedRow, { field, expected, actual }: Finding): void {
  write(`WRONG ${row.id} ${field}: ${JSON.stringify(expected)} got ${JSON.stringify(actual)}`);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = main();
