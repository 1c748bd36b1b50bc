import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CorpusChange,
  type CorpusSource,
  type Dataset,
  type DatasetAsked,
  type DatasetRow,
  HASH_DIGITS,
  type NextNamesAsked,
  type SuppressedHashes,
  type SuppressedHashesAsked,
  type SuppressionVersion,
  versionFor,
} from '#libs/contracts';
import { LookupStandIn } from '../stand-ins/lookup-stand-in.js';

/** A row of a dataset. Rows are ordered by their keys. */
export type PlannedRow = Pick<DatasetRow, 'name' | 'record' | 'records'> & { key: number };

/** A stand-in for corpus that provides what the worker reads: rows of datasets, suppressions, changes and names. */
export class CorpusStandIn extends LookupStandIn {
  readonly asked: DatasetAsked[] = [];
  suppressed: SuppressionVersion = { version: 0, domains: 0 };
  private readonly suppressions: { version: number; isDomain: boolean; hash: string }[] = [];
  /** Whether the lines of datasets break off before the last line. */
  breaksOff = false;
  /** Changes that have not been read yet. */
  readonly changes: CorpusChange[] = [];
  readonly sources: CorpusSource[] = [];
  /** The names to look up next, each of which is returned only once. */
  readonly nextNames: Record<NextNamesAsked['kind'], string[]> = { whois: [], dns: [], host: [] };
  rowsOf: (dataset: Dataset, day?: string) => readonly PlannedRow[] = () => [];

  override respond = (request: IncomingMessage, response: ServerResponse, body: unknown): void => {
    if (request.url === '/internal/datasets') {
      this.sendRows(body as DatasetAsked, response);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(this.answerTo(request.url!, body)));
  };

  /** Suppresses a name, or personal data in the rows of a name. */
  suppress(name: string, kind: 'domain' | 'person' = 'domain'): void {
    const version = this.suppressed.version + 1;
    const isDomain = kind === 'domain';
    this.suppressed = { version, domains: isDomain ? version : this.suppressed.domains };
    this.suppressions.push({ version, isDomain, hash: hashOf(`${kind} ${name}`) });
  }

  private answerTo(path: string, body: unknown): object {
    if (path === '/internal/feed/suppressed-hashes')
      return this.hashes(body as SuppressedHashesAsked);
    if (path === '/internal/feed/changes') {
      const changes = this.changes.splice(0);
      const { sources } = this;
      return { changes, sources, cursor: 'here', hasMore: false, isRepeated: false };
    }
    if (path === '/internal/feed/next-names') {
      const { kind } = body as NextNamesAsked;
      const names = this.nextNames[kind].splice(0).map((name) => ({ key: '1', name }));
      return { names, after: null };
    }
    return this.suppressed;
  }

  private hashes({ dataset, after }: SuppressedHashesAsked): SuppressedHashes {
    const found = this.suppressions.filter(
      (one) => one.version > after && (one.isDomain || dataset.includes('whois')),
    );
    const hashes = found.map((one) => one.hash);
    return { hashes, version: found.at(-1)?.version ?? after };
  }

  private sendRows(asked: DatasetAsked, response: ServerResponse): void {
    this.asked.push(asked);
    const suppressionVersion = versionFor(asked.dataset, this.suppressed);
    const [from, to] = [BigInt(asked.fromKey!), BigInt(asked.toKey!)];
    const rows = this.rowsOf(asked.dataset, asked.day)
      .filter(({ key }) => BigInt(key) >= from && BigInt(key) <= to)
      .toSorted((one, other) => one.key - other.key)
      .map(({ key, name, ...rest }) => ({
        key: String(key),
        name,
        unicode: name,
        sourceId: 2,
        observedAt: '2026-11-22T08:00:00.000Z',
        hashes: hashOf(`domain ${name}`) + hashOf(`person ${name}`),
        ...rest,
      }));
    const end = { isLast: true, rows: rows.length, suppressionVersion };
    const lines = [...rows, ...(this.breaksOff ? [] : [end])].map((row) => JSON.stringify(row));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(lines.map((line) => `${line}\n`).join(''));
  }
}

const hashOf = (value: string) => hash('sha256', value).slice(0, HASH_DIGITS);
