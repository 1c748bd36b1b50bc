import { isHost } from '#libs/platform';
import { HEADERS_MAX_BYTES, URI_MAX_BYTES } from '#libs/public-http';

/** A request without a body whose every byte is of the plainest kind there is. */
export interface PlainRequest {
  /** Path and query, as they were sent: visible ASCII. */
  target: string;
  /** Names and values in turn, as Node's own `rawHeaders`. */
  rawHeaders: string[];
}

/** RFC 9112 §3, of one method, in origin form and with single spaces. */
const REQUEST_LINE = /^GET (\/[\x21-\x7e]*) HTTP\/1\.1\r\n/;
/** RFC 9110 §5.5 without obs-text. One class of characters each: a line that fits nowhere fails at once. */
const FIELD_LINE = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e]*)\r\n/y;
const CRLF_LENGTH = 2;
const FIELDS_MAX = 64;

/** Fields that frame a body or change what the connection is: their rules are left to Node's parser. */
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
 * Reads what came in one packet as one whole request, a character a byte.
 * @returns undefined for whatever is not exactly that: a part of the headers, more than the headers, another method
 *   or version, a body, a second or malformed `Host`, a `Connection` other than `keep-alive`, a byte outside of ASCII.
 *   Such a packet is not wrong; Node's parser has to judge it.
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
