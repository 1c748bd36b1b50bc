import { isHost } from '#libs/platform';
import { HEADERS_MAX_BYTES, URI_MAX_BYTES } from '#libs/public-http';

/** A request without a body, in the simplest syntax. */
export interface PlainRequest {
  /** The path and query as sent, in visible ASCII. */
  target: string;
  /** Names and values alternate, as in Node's own `rawHeaders`. */
  rawHeaders: string[];
}

/** The request line (RFC 9112 §3): one method, origin form, and exactly one space between the parts. */
const REQUEST_LINE = /^GET (\/[\x21-\x7e]*) HTTP\/1\.1\r\n/;
/**
 * A header line (RFC 9110 §5.5) without obs-text. Adjacent parts share no character, so a line that does not match is
 * rejected without backtracking.
 */
const FIELD_LINE = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e]*)\r\n/y;
const CRLF_LENGTH = 2;
const FIELDS_MAX = 64;

/** Header fields that frame a body or change the connection. Node's parser handles requests with them. */
const FRAMING: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'proxy-connection',
  'http2-settings',
]);
const FRAMING_LENGTHS: ReadonlySet<number> = new Set([...FRAMING].map(({ length }) => length));

/**
 * Parses a packet as one complete request. @param text the packet, with one character per byte.
 * @returns undefined for anything else, such as incomplete headers, data after the headers, another method or version,
 *   a body, a missing, second or malformed `Host`, a `Connection` other than `keep-alive`, or a byte outside ASCII.
 *   Such a packet may still be valid; Node's parser decides.
 */
export function readPlainRequest(text: string): PlainRequest | undefined {
  if (text.length > HEADERS_MAX_BYTES) return undefined;
  const line = REQUEST_LINE.exec(text);
  if (line === null || line[1].length > URI_MAX_BYTES) return undefined;
  const rawHeaders: string[] = [];
  let hosts = 0;
  let end = line[0].length;
  for (;;) {
    FIELD_LINE.lastIndex = end;
    const field = FIELD_LINE.exec(text);
    if (field === null) break;
    const [, name, value] = field;
    end = FIELD_LINE.lastIndex;
    if (name.length === 4 && name.toLowerCase() === 'host') {
      if (!isHost(value.trim())) return undefined;
      hosts++;
    }
    if (!isPlainField(name, value) || rawHeaders.push(name, value.trim()) > FIELDS_MAX * 2) {
      return undefined;
    }
  }
  const isWhole = text.length === end + CRLF_LENGTH && text.endsWith('\r\n');
  return isWhole && hosts === 1 ? { target: line[1], rawHeaders } : undefined;
}

function isPlainField(name: string, value: string): boolean {
  const { length } = name;
  if (length === 10 && name.toLowerCase() === 'connection') {
    return value.trim().toLowerCase() === 'keep-alive';
  }
  return !FRAMING_LENGTHS.has(length) || !FRAMING.has(name.toLowerCase());
}
