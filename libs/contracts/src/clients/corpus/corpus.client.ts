import type {
  ChangesAsked,
  CorpusChanges,
  DatasetAsked,
  DatasetEnd,
  DatasetRow,
  FreshAnswer,
  FreshestAsked,
  NextNames,
  NextNamesAsked,
  SuppressedHashes,
  SuppressedHashesAsked,
  SuppressionAsked,
  SuppressionVersion,
} from './corpus-feed.js';
import { jsonLines } from '../json-lines.js';
import type { ServiceHttp } from '../service-http.js';

export interface RecordedBatch {
  newNames: number;
  changedNames: number;
}

/** A range of generated names, which are numbered: the same number and seed give the same name. */
export interface GeneratedStretchOfNames {
  /** From 0. */
  from: number;
  names: number;
  seed: number;
}

export interface IndexSignals {
  /** RFC 3339; null if the corpus does not have the name. */
  firstSeen: string | null;
  lists: number;
  /** The lists that contain the name; `host` is set if a list contains only a host below it. */
  listings: { list: string; category: string; host: string; listedAt: string }[];
  /** How unusual the name's letters are compared with other names; null without a model that covers the name. */
  lexical: { version: number; deviations: number } | null;
}

const BATCH_TIMEOUT_MS = 60_000;
const FEED_TIMEOUT_MS = 15_000;

export class CorpusClient {
  constructor(private readonly http: ServiceHttp) {}

  /**
   * Sends observations, one JSON object per line.
   * @returns how many were recorded, and how many lines were refused as invalid.
   */
  async observe(lines: string): Promise<{ recorded: number; refused: number }> {
    return this.http.call('POST', '/internal/observations', { body: Buffer.from(lines) });
  }

  /**
   * Returns the facts in the corpus about a registrable name.
   * @throws InvalidRequest, ServiceUnavailable, SearchTooHeavy.
   */
  async signals(name: string): Promise<IndexSignals> {
    return this.http.call('GET', `/internal/signals?name=${encodeURIComponent(name)}`);
  }

  async generate(stretch: GeneratedStretchOfNames): Promise<RecordedBatch> {
    const call = { body: stretch, timeoutMs: BATCH_TIMEOUT_MS };
    return this.http.call('POST', '/internal/generated-names', call);
  }

  /** Removes some generated names. @returns their number; 0 if none is left. */
  async clearGenerated(): Promise<{ names: number }> {
    return this.http.call('DELETE', '/internal/generated-names', { timeoutMs: BATCH_TIMEOUT_MS });
  }

  /**
   * Reads changes to names: after a cursor, from a time, or (without both) from now on.
   * @throws InvalidRequest for an invalid cursor; ServiceUnavailable, including while the corpus runs on a standby.
   */
  async changes(asked: ChangesAsked = {}): Promise<CorpusChanges> {
    return this.http.call('POST', '/internal/feed/changes', {
      body: asked,
      timeoutMs: FEED_TIMEOUT_MS,
    });
  }

  /** Lists names that have not been looked up for a while, from sources that permit lookups. */
  async nextNames(asked: NextNamesAsked): Promise<NextNames> {
    return this.http.call('POST', '/internal/feed/next-names', {
      body: asked,
      timeoutMs: FEED_TIMEOUT_MS,
    });
  }

  /**
   * Suppresses a value, which is hidden by the time this call returns. @throws InvalidRequest for a value that does not
   * match its kind.
   */
  async suppress(asked: SuppressionAsked): Promise<{ version: number; isNew: boolean }> {
    const call = { body: asked, timeoutMs: BATCH_TIMEOUT_MS };
    return this.http.call('POST', '/internal/suppressions', call);
  }

  /**
   * Returns the versions of the suppressions: a file made at an older version (`versionFor`) may contain suppressed
   * data.
   */
  async suppressionVersion(): Promise<SuppressionVersion> {
    return this.http.call('GET', '/internal/feed/suppression');
  }

  /** Returns the hashes of values suppressed after a version, for comparison with `DatasetRow.hashes`. */
  async suppressedHashes(asked: SuppressedHashesAsked): Promise<SuppressedHashes> {
    const call = { body: asked, timeoutMs: FEED_TIMEOUT_MS };
    return this.http.call('POST', '/internal/feed/suppressed-hashes', call);
  }

  /** Finds, among up to `SUPPRESSED_NAMES_MAX` names, those that must no longer be shown or kept. */
  async suppressedNames(names: readonly string[]): Promise<string[]> {
    const call = { body: { names }, timeoutMs: FEED_TIMEOUT_MS };
    const answer = await this.http.call<{ names: string[] }>(
      'POST',
      '/internal/feed/suppressed-names',
      call,
    );
    return answer.names;
  }

  /**
   * Yields the rows of a dataset as they are read, in the order of keys and names, only from sources whose data may be
   * sold.
   * @returns the closing line of the dataset.
   * @throws ServiceUnavailable, including if the rows end early.
   */
  async *rows(
    asked: DatasetAsked,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<DatasetRow, DatasetEnd> {
    return yield* this.lines<DatasetRow, DatasetEnd>('/internal/datasets', asked, signal);
  }

  /**
   * Yields the most recent answer about each name; names without a sufficiently recent answer are omitted.
   * @throws ServiceUnavailable, including if the answers end early.
   */
  async *freshest(
    asked: FreshestAsked,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<FreshAnswer> {
    yield* this.lines<FreshAnswer, { isLast: true }>('/internal/freshest-answers', asked, signal);
  }

  private async *lines<Line extends object, End extends { isLast: true }>(
    path: string,
    body: object,
    signal: AbortSignal,
  ): AsyncGenerator<Line, End> {
    const stream = await this.http.stream(path, { body, signal });
    return yield* jsonLines<Line, End>(stream, 'corpus');
  }
}
