import type { OwnerHeaders } from '../context/owner-answer.js';

/** The headers that the gateway reads in an answer from lookup (RFC 9112). */
export interface AnswerHeaders extends OwnerHeaders {
  /** The length of the body in bytes. The body begins after the blank line. */
  bodyBytes: number;
  /** Whether the connection stays open after this answer. */
  isKept: boolean;
}

const STATUS_LINE = /^HTTP\/1\.1 [2-5][0-9]{2} /;
const LENGTH = /^[0-9]{1,9}$/;
/** The value of `Age`, which is passed on to the customer unchanged. */
const AGE = /^[0-9]{1,10}$/;

/**
 * Reads header lines up to `end`, the position of the blank line's CRLF CRLF. Lookup always states the length of an
 * answer, so an answer that is chunked, or that ends when the connection closes, is not from lookup.
 * @returns undefined for invalid headers.
 */
export function readAnswerHeaders(text: string, end: number): AnswerHeaders | undefined {
  if (!STATUS_LINE.test(text)) return undefined;
  const headers: AnswerHeaders = {
    status: Number(text.slice(9, 12)),
    bodyBytes: -1,
    outcome: '',
    servedFrom: '',
    age: undefined,
    chargedItems: undefined,
    creditsMax: undefined,
    isKept: true,
  };
  for (let start = text.indexOf('\r\n') + 2; start < end;) {
    const lineEnd = text.indexOf('\r\n', start);
    const colon = text.indexOf(':', start);
    if (colon === -1 || colon > lineEnd) return undefined;
    if (isOfInterest(colon - start)) {
      const name = text.slice(start, colon).toLowerCase();
      if (!readHeader(headers, name, text.slice(colon + 1, lineEnd).trim())) return undefined;
    }
    start = lineEnd + 2;
  }
  return headers.bodyBytes === -1 ? undefined : headers;
}

/**
 * Whether a header's name has the length of one of the names below; other headers are skipped without creating a
 * string.
 */
function isOfInterest(nameLength: number): boolean {
  switch (nameLength) {
    case 3: // age
    case 9: // x-outcome
    case 10: // connection
    case 13: // x-served-from, x-credits-max
    case 14: // content-length
    case 15: // x-charged-items
    case 17: // transfer-encoding
      return true;
    default:
      return false;
  }
}

/**
 * Reads one header.
 * @returns false if the end of the answer cannot be determined, or if another header is invalid.
 */
function readHeader(headers: AnswerHeaders, name: string, value: string): boolean {
  if (name === 'content-length') {
    if (headers.bodyBytes !== -1 || !LENGTH.test(value)) return false;
    headers.bodyBytes = Number(value);
  } else if (name === 'transfer-encoding') return false;
  else if (name === 'x-outcome') headers.outcome = value;
  else if (name === 'x-served-from') headers.servedFrom = value;
  else if (name === 'x-charged-items') {
    if (!LENGTH.test(value)) return false;
    headers.chargedItems = Number(value);
  } else if (name === 'x-credits-max') {
    if (!LENGTH.test(value)) return false;
    headers.creditsMax = Number(value);
  } else if (name === 'age') {
    if (!AGE.test(value)) return false;
    headers.age = value;
  } else if (name === 'connection' && value.toLowerCase() === 'close') headers.isKept = false;
  return true;
}
