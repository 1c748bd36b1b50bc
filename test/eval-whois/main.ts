import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseWhois, type ParseResult } from '#libs/resolvers';
import { BARS } from './bars.js';
import { compareRecord, type Finding } from './comparison.js';
import type { RecordedRow, Status } from './recorded-row.js';
import { Score } from './score.js';
import exclusions from './exclusions.json' with { type: 'json' };
import statuses from './statuses.json' with { type: 'json' };

const WORST_REGISTRIES = 15;
/** The rows (`id`) and single fields (`id field`) whose expectation is clearly wrong. */
const EXCLUDED = new Set(Object.keys(exclusions));
const STATUSES = statuses as Readonly<Record<string, string>>;

/**
 * Measures the port-43 parser on recorded answers: `eval-whois <folder> [--json FILE] [--enforce] [--wrong]
 * [--generic]`. Reads every `*.jsonl` in the folder, and prints the share of correct answers per field and the worst
 * registries. `--enforce` exits with 1 if a share is too low; `--wrong` lists each wrong value. `--generic` disables
 * the rules for individual registries, to measure how well unknown layouts are read.
 */
function main(): number {
  const flag = { type: 'boolean' } as const;
  const options = { json: { type: 'string' }, enforce: flag, wrong: flag, generic: flag } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [folder] = positionals;
  if (folder === undefined) {
    write('usage: eval-whois <folder of *.jsonl> [--json FILE] [--enforce] [--wrong] [--generic]');
    return 2;
  }
  const rows = readRows(folder)
    .filter((row) => !EXCLUDED.has(row.id))
    .map(corrected);
  const score = new Score();
  let falseFree = 0;
  for (const row of rows) {
    const result = parseRow(row, values.generic === true);
    const isHeld = !['not_registered', undefined].includes(row.expected.status);
    if (isHeld && result.outcome === 'not_registered') falseFree += 1;
    for (const finding of findingsOf(row, result)) {
      if (EXCLUDED.has(`${row.id} ${finding.field}`)) continue;
      score.add(registryOf(row), finding);
      if (!finding.isRight && values.wrong) writeFinding(row, finding);
    }
  }
  report(score, rows.length, falseFree);
  const all = { rows: rows.length, falseFree, ...score.toJson() };
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(all, null, 2));
  const isBelow = Object.entries(BARS).some(([field, bar]) => score.share(field) < bar);
  return values.enforce && (isBelow || falseFree > 0) ? 1 : 0;
}

function readRows(folder: string): RecordedRow[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.sort().flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as RecordedRow),
  );
}

/** Some recorders distinguish only registered and free names, and record a reserved name as either. */
function corrected(row: RecordedRow): RecordedRow {
  const status = STATUSES[row.id];
  return status === undefined ? row : { ...row, expected: { status: status as Status } };
}

/**
 * Parses a row. A row without a TLD was recorded at a registrar. @param isGeneric parses as if the server were unknown.
 */
function parseRow(row: RecordedRow, isGeneric: boolean): ParseResult {
  const domain = row.expected.domain ?? '';
  if (isGeneric) return parseWhois(row.text, { domain, server: '', tld: '', role: 'registrar' });
  return parseWhois(row.text, {
    domain,
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

function report(score: Score, rows: number, falseFree: number): void {
  write(
    `${rows} answers; "not registered" although registered, reserved or throttled: ${falseFree}`,
  );
  const fields = [...score.fields].sort(([a], [b]) => a.localeCompare(b));
  for (const [field, { right, total }] of fields) {
    const bar = BARS[field];
    const mark = bar === undefined ? '' : right / total < bar ? '  below the bar' : '  ok';
    write(
      `${field.padEnd(28)} ${`${((right / total) * 100).toFixed(1)} %`.padStart(8)}  ${right}/${total}${mark}`,
    );
  }
  write('worst registries:');
  for (const { registry, wrong, total } of score.worst(WORST_REGISTRIES)) {
    write(`  ${registry.padEnd(26)} ${wrong} wrong of ${total}`);
  }
}

function writeFinding(row: RecordedRow, { field, expected, actual }: Finding): void {
  write(`WRONG ${row.id} ${field}: ${JSON.stringify(expected)} got ${JSON.stringify(actual)}`);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = main();
