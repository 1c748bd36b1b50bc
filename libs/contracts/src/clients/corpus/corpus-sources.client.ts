import type { ServiceHttp } from '../service-http.js';

export interface ImportedListSettings {
  /** The share of a zone's or block list's names that may be missing from its next version: 0 to 1; by default, 0.2. */
  turnoverMax?: number;
  /** Whether the last line of the source's zones or block lists may lack a line ending. */
  isOpenEnded?: boolean;
  /** The public key (DER in base64) that verifies the signatures of a log's checkpoints. */
  logKey?: string;
}

export interface NewImportedSource extends ImportedListSettings {
  name: string;
  kind: string;
  /** The absolute path of a folder on the importing machine, an `https:` address of a file or log, or `s3://…`. */
  location: string;
  /** Whether answers may contain the source's data. */
  isShown: boolean;
  /** Whether files may contain it. */
  isSold: boolean;
  /** Whether the source's names may be looked up. */
  isLookedUp: boolean;
  /** The category of a block list: phishing, malware, botnet, spam, scam or other. */
  category?: string;
  /** The interval between runs; without it, a source runs only on request. */
  everyMs?: number;
}

/** A registered source. Times are in RFC 3339. */
export interface ImportedSource extends Omit<
  NewImportedSource,
  'location' | 'everyMs' | 'category' | 'logKey'
> {
  location: string | null;
  logKey: string | null;
  everyMs: number | null;
  observations: number;
  updatedAt: string | null;
  dueAt: string | null;
  runStartedAt: string | null;
  runEndedAt: string | null;
  runProblem: string | null;
  /** Why the newest file was rejected; null if it was not. */
  fileProblem: string | null;
}

export interface ImportedFile {
  file: string;
  observedAt: string;
  state: 'loading' | 'loaded' | 'repeated' | 'failed';
  lines: number;
  /** The number of lines that have been read. */
  position: number;
  /** For a list of names: the number of parts, out of 64, that have been imported. */
  slices: number;
  /** True if only the differences from a zone's previous file were imported. */
  isDifference: boolean;
  badLines: number;
  badSamples: { line: number; text: string }[];
  newNames: number;
  changedNames: number;
  droppedNames: number;
  problem: string | null;
}

export class CorpusSourcesClient {
  constructor(private readonly http: ServiceHttp) {}

  async add(source: NewImportedSource): Promise<void> {
    await this.http.call('POST', '/internal/sources', { body: source });
  }

  async list(): Promise<ImportedSource[]> {
    const { sources } = await this.http.call<{ sources: ImportedSource[] }>(
      'GET',
      '/internal/sources',
    );
    return sources;
  }

  /** Returns a source with its newest files. */
  async show(name: string): Promise<ImportedSource & { files: ImportedFile[] }> {
    return this.http.call('GET', `/internal/sources/${encodeURIComponent(name)}`);
  }

  /** @param settings `isSold` is accepted only for the source `lookups`, the answers of our own lookups. */
  async set(name: string, settings: ImportedListSettings & { isSold?: boolean }): Promise<void> {
    await this.http.call('PATCH', `/internal/sources/${encodeURIComponent(name)}`, {
      body: settings,
    });
  }

  /** Requests a run of a source, which begins soon after. @returns the time of the request, RFC 3339. */
  async run(name: string): Promise<{ requestedAt: string }> {
    return this.http.call('POST', `/internal/sources/${encodeURIComponent(name)}/runs`);
  }

  async remove(name: string): Promise<void> {
    await this.http.call('DELETE', `/internal/sources/${encodeURIComponent(name)}`);
  }
}
