import { type FileHandle, open } from 'node:fs/promises';
import { Agent, type Dispatcher, type buildConnector, request } from 'undici';
import { MINUTE_MS, SECOND_MS, monotonicMs, newId } from '#libs/platform';
import { ConnectionError, SafeConnector, countInformational } from '#libs/resolvers';
import { BadFile, MissingFile } from './import-file.js';

/** What the server says about a downloaded file. */
export interface Fetched {
  /** The ETag, or else the date and size, or else a new id. */
  version: string;
  modifiedAt?: Date;
}

interface Fetch {
  signal: AbortSignal;
  isKnown: (fetched: Fetched) => Promise<boolean>;
}

const REDIRECTS_MAX = 3;
/** The statuses for a missing file. They include 403, because a bucket that may not be listed answers with 403. */
const MISSING: readonly number[] = [403, 404, 410];
const TRIES_MAX = 5;
const CONNECT_MS = 10_000;
const IDLE_MS = 60_000;
/** The maximum size of everything in an answer besides the file. */
const AROUND_FILE_BYTES = 2 ** 30;
const BYTES_A_SECOND_MIN = 16 * 1024;
/** For this long after its start, a download may be slower than the minimum rate. */
const SLOW_START_MS = MINUTE_MS;

/** Fetches files of sources over HTTPS, from public addresses only (`SafeConnector`). */
export class HttpsDownloads {
  private readonly agent: Agent;

  constructor(
    connector: SafeConnector,
    private readonly bytesMax: number,
    private readonly slowStartMs = SLOW_START_MS,
  ) {
    const open = async (target: buildConnector.Options, callback: buildConnector.Callback) => {
      try {
        const port = target.port === '' ? 443 : Number(target.port);
        const limits = { timeoutMs: CONNECT_MS, answerBytesMax: bytesMax + AROUND_FILE_BYTES };
        callback(null, await connector.safeConnect(target.hostname, port, 'source', limits));
      } catch (error) {
        callback(ConnectionError.from(error), null);
      }
    };
    this.agent = new Agent({
      connect: (target, callback) => void open(target, callback),
      headersTimeout: IDLE_MS,
      bodyTimeout: IDLE_MS,
    });
  }

  /**
   * Fetches a file to `path`. A broken download is tried again, and resumed where it stopped if the file has a strong
   * ETag. @returns undefined for a known file. @throws BadFile (MissingFile if the host does not have it) for an answer
   * that is not a file, is too large or arrives too slowly; ConnectionError, undici's errors and the reason of the
   * signal.
   */
  async fetch(start: URL, path: string, { signal, isKnown }: Fetch): Promise<Fetched | undefined> {
    const file = await open(path, 'w');
    try {
      let bytes = 0;
      let etag: string | undefined;
      for (let tries = 1; ; tries += 1) {
        const response = await this.ask(start, { bytes, etag, signal });
        const fetched = fetchedOf(response.headers);
        if (await isKnown(fetched)) {
          discard(response);
          return undefined;
        }
        // If the server ignores the range, it sends the whole file.
        if (response.statusCode === 200) bytes = 0;
        etag = strongTag(response.headers);
        await file.truncate(bytes);
        const { written, fault } = await this.write(response, file, bytes);
        if (fault === undefined) return fetched;
        signal.throwIfAborted();
        if (fault instanceof BadFile || tries === TRIES_MAX) throw fault;
        bytes = written;
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Returns the content of a file of at most `bytesMax` bytes.
   * @throws BadFile for a larger file; the errors of `fetch`.
   */
  async read(url: URL, bytesMax: number, signal: AbortSignal): Promise<Buffer> {
    const { body } = await this.ask(url, { bytes: 0, signal });
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of this.piecesOf(body)) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new BadFile(`${url.pathname} has more than ${bytesMax} bytes.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** Writes an answer to the file. @returns the size of the file so far, and the error that ended the answer early. */
  private async write(
    { body }: Dispatcher.ResponseData,
    file: FileHandle,
    from: number,
  ): Promise<{ written: number; fault?: unknown }> {
    let written = from;
    try {
      for await (const chunk of this.piecesOf(body)) {
        await file.write(chunk, 0, chunk.length, written);
        written += chunk.length;
        if (written > this.bytesMax) throw new BadFile(`It has more than ${this.bytesMax} bytes.`);
      }
      return { written };
    } catch (fault) {
      return { written, fault };
    }
  }

  /**
   * Yields the pieces of a body. Sources are imported one after another, so a host that keeps its answer open would
   * delay all other sources. @throws BadFile if the host sends too slowly.
   */
  private async *piecesOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    const slowUntilMs = monotonicMs() + this.slowStartMs;
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      const dueBytes = (BYTES_A_SECOND_MIN * (monotonicMs() - slowUntilMs)) / SECOND_MS;
      if (bytes < dueBytes) {
        throw new BadFile(`It arrives too slowly: less than ${BYTES_A_SECOND_MIN} bytes a second.`);
      }
      yield piece;
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask(
    start: URL,
    { bytes, etag, signal }: { bytes: number; etag?: string; signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    let url = start;
    const range = bytes > 0 && etag ? { range: `bytes=${bytes}-`, 'if-range': etag } : {};
    for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
      const headers = { 'user-agent': 'domain-data-service', ...range };
      const onInfo = countInformational();
      const response = await request(url, { dispatcher: this.agent, signal, headers, onInfo });
      const { statusCode } = response;
      const { location } = response.headers;
      if (statusCode === 200 || (statusCode === 206 && bytes > 0)) return response;
      discard(response);
      const isRedirect = statusCode >= 300 && statusCode < 400 && typeof location === 'string';
      if (!isRedirect) {
        const Fault = MISSING.includes(statusCode) ? MissingFile : BadFile;
        throw new Fault(`${url.host} answered ${statusCode}.`);
      }
      if (!URL.canParse(location, url.href))
        throw new BadFile('It redirects to something that is not an address.');
      url = new URL(location, url);
      if (url.protocol !== 'https:') throw new BadFile('It redirects to an address without TLS.');
    }
    throw new BadFile(`It redirects more than ${REDIRECTS_MAX} times.`);
  }
}

type Headers = Dispatcher.ResponseData['headers'];

function fetchedOf(headers: Headers): Fetched {
  const modified = new Date(String(headers['last-modified']));
  const modifiedAt = Number.isNaN(modified.getTime()) ? undefined : modified;
  const dated = modifiedAt && `${modifiedAt.toISOString()} ${String(headers['content-length'])}`;
  return { version: String(headers.etag ?? dated ?? newId()).slice(0, 200), modifiedAt };
}

function strongTag({ etag }: Headers): string | undefined {
  return typeof etag === 'string' && !etag.startsWith('W/') ? etag : undefined;
}

function discard(response: Dispatcher.ResponseData): void {
  response.body.on('error', () => {}).destroy();
}
