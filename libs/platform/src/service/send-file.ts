import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowCut } from './raw-bodies.js';

export interface ServedFile {
  sizeBytes: number;
  /** `application/gzip`. */
  type: string;
  /** The name that the client gives to the saved file; every character is encoded as needed (RFC 6266). */
  name: string;
  /** A tag that changes only with the content: a hash, or a version. Visible ASCII without quotes. */
  tag: string;
  modifiedAt?: Date;
  /** Opens the file from one byte to another, both inclusive; by default, opens the whole file. */
  open(part?: { start: number; end: number }): Readable | Promise<Readable>;
}

interface Part {
  start: number;
  end: number;
}

/** Matches one range (RFC 9110 §14.1.2). A request for several ranges gets the whole file, which the RFC allows. */
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;
const OPAQUE = /(?:W\/)?("[^"]*")/g;

/**
 * Answers GET and HEAD for a file (RFC 9110 §13 and §14): with the whole file, a part of it (206), no content if it is
 * unchanged (304), or a rejection of the requested part (416). The file is never completely in memory. The stream ends
 * if the client disconnects or the service stops, because a stop does not wait for files.
 * @param file the file, or the URL where a store serves it; the answer then redirects there.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile | string,
): Promise<void> {
  if (typeof file === 'string') return void reply.redirect(file, 302);
  const { sizeBytes, type, name, tag, modifiedAt } = file;
  void reply.header('accept-ranges', 'bytes').header('etag', `"${tag}"`);
  if (modifiedAt) void reply.header('last-modified', modifiedAt.toUTCString());
  if (isUnchanged(request, file)) return void reply.status(304).send();
  const part = request.method === 'GET' ? partOf(request, file) : undefined;
  if (part === 'none') {
    return void reply.status(416).header('content-range', `bytes */${sizeBytes}`).send();
  }
  void reply.header('content-type', type).header('content-disposition', dispositionOf(name));
  if (part) {
    void reply.status(206).header('content-range', `bytes ${part.start}-${part.end}/${sizeBytes}`);
  }
  const length = part ? part.end - part.start + 1 : sizeBytes;
  void reply.header('content-length', String(length));
  allowCut(request, reply);
  const isEmpty = request.method === 'HEAD' || length === 0;
  return void reply.send(isEmpty ? Readable.from([]) : await file.open(part));
}

/**
 * Returns `attachment` with a file name for every client: in ASCII, and in UTF-8 for those that support it (RFC 6266,
 * RFC 8187).
 */
export function dispositionOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%/]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** True if the client already has the file. Its tag takes precedence over its time (RFC 9110 §13.2.2). */
function isUnchanged({ headers }: FastifyRequest, { tag, modifiedAt }: ServedFile): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || [...tags.matchAll(OPAQUE)].some(([, one]) => one === `"${tag}"`);
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return modifiedAt !== undefined && wholeSeconds(modifiedAt) <= since;
}

/**
 * Returns the part that `Range` names; undefined for the whole file, including if `If-Range` names another version of
 * it; `none` if the file has no such part.
 */
function partOf({ headers }: FastifyRequest, file: ServedFile): Part | 'none' | undefined {
  const { sizeBytes, tag, modifiedAt } = file;
  const [, first = '', last = ''] = RANGE.exec(headers.range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const only = headers['if-range'];
  if (only !== undefined && only !== `"${tag}"`) {
    const then = Date.parse(String(only));
    const isOfThen = modifiedAt !== undefined && then === wholeSeconds(modifiedAt);
    if (!isOfThen) return undefined;
  }
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'none' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  // A range that ends before its start is not valid.
  if (last !== '' && Number(last) < start) return undefined;
  return start >= sizeBytes ? 'none' : { start, end };
}

const wholeSeconds = (time: Date) => Math.floor(time.getTime() / 1_000) * 1_000;
