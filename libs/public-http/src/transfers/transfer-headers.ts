import type { IncomingHttpHeaders } from 'node:http';
import {
  type AnswerForm,
  type Operation,
  TUS_ANSWER_HEADERS,
  TUS_REQUEST_HEADERS,
  kindOf,
} from '#libs/contracts';

const ASKED_OF_FILES = ['range', 'if-range', 'if-none-match', 'if-modified-since'] as const;
const SAID_OF_FILES = [
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
] as const;
const HEADER_MAX_LENGTH = 4_096;
/** Matches the value of a header (RFC 9110 §5.5) without obs-text. */
const VALUE = /^[\t\x20-\x7e]*$/;
/** Matches the `Content-Disposition` (RFC 6266) of a file that a browser must save and never show (S79). */
const ATTACHMENT = /^attachment(;|$)/i;
const ANY_TYPE = 'application/octet-stream';
/** Matches the id of an upload, as its owner writes it into `Location`. */
const UPLOAD_ID = /^[A-Za-z0-9_-]{1,200}$/;
const FILE_ADDRESS = /^https:\/\/[\x21-\x7e]{1,4096}$/;

type Heads = Record<string, string | string[] | undefined>;

/** Returns the client's headers that the owner gets: only those defined for the kind of operation. */
export function askedHeaders(row: Operation, headers: IncomingHttpHeaders): Record<string, string> {
  const isUpload = kindOf(row) === 'upload';
  const names: readonly string[] = isUpload ? TUS_REQUEST_HEADERS : ASKED_OF_FILES;
  const asked = picked(headers, names);
  return isUpload ? { ...asked, ...picked(headers, ['content-type', 'content-length']) } : asked;
}

/**
 * Returns the headers of an answer with a file; names and values alternate. A media type that the operation does not
 * declare becomes `application/octet-stream`, and a browser must always save the file (S79). An answer with status 304
 * has neither a type nor a disposition.
 */
export function fileHeaders(form: AnswerForm, headers: Heads, status: number): string[] {
  const said = Object.entries(picked(headers, SAID_OF_FILES)).flat();
  if (status === 304) return said;
  const { 'content-type': type = '', 'content-disposition': disposition = '' } = picked(headers, [
    'content-type',
    'content-disposition',
  ]);
  const isKnown = form.type === 'file' && form.mediaTypes.includes(type.split(';', 1)[0].trim());
  return [
    ...said,
    'Content-Type',
    isKnown ? type : ANY_TYPE,
    'Content-Disposition',
    ATTACHMENT.test(disposition) ? disposition : 'attachment',
  ];
}

/** Returns the URL of a file, from `Location`; undefined unless it is a valid https URL. */
export function fileAddress({ location }: Heads): string | undefined {
  return typeof location === 'string' && FILE_ADDRESS.test(location) ? location : undefined;
}

/** Returns the headers of the tus protocol; names and values alternate. */
export function tusHeaders(headers: Heads): string[] {
  return Object.entries(picked(headers, TUS_ANSWER_HEADERS)).flat();
}

/**
 * Returns the public path of an upload that its owner has created; the id follows the owner's own path. Returns
 * undefined for any other path.
 */
export function publicLocation(
  { owner }: Operation,
  publicPath: string,
  location: string,
): string | undefined {
  const path = location.replace(/^https?:\/\/[^/]*/, '').split('?', 1)[0];
  if (!path.startsWith(`${owner.path}/`)) return undefined;
  const id = path.slice(owner.path.length + 1);
  return UPLOAD_ID.test(id) ? `${publicPath}/${id}` : undefined;
}

function picked(headers: Heads, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value !== 'string' || value.length > HEADER_MAX_LENGTH) continue;
    if (VALUE.test(value)) found[name] = value;
  }
  return found;
}
