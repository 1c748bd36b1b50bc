import type { Problem } from '#libs/platform';
import type { Exchange } from '../exchange/exchange.js';
import { AmbiguousCredentials, MissingApiKey } from '../facts/facts.errors.js';
import { MalformedRequest } from '../problems/problems.errors.js';

const PARAMETERS_MAX = 32;
const BEARER = 'bearer ';

const missingApiKey = new MissingApiKey();
const ambiguousCredentials = new AmbiguousCredentials();
const malformedRequest = new MalformedRequest();

/**
 * Step 3: reads the query once, takes the key out of it, and compares it with the key in the headers.
 * A key may stand in `apiKey`, in `Authorization: Bearer` and in `X-API-Key`; the same one in several
 * places is one key, two different ones or a repeated `apiKey` are refused (S10, S11).
 */
export function findKey(exchange: Exchange, query: string): Problem | undefined {
  const fault = readQuery(exchange, query);
  if (fault) return fault;
  const { rawHeaders } = exchange.request;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const key = keyOfHeader(rawHeaders[i], rawHeaders[i + 1]);
    if (key === undefined) continue;
    if (exchange.apiKey !== '' && exchange.apiKey !== key) return ambiguousCredentials;
    exchange.apiKey = key;
  }
  return exchange.apiKey === '' ? missingApiKey : undefined;
}

function readQuery(exchange: Exchange, query: string): Problem | undefined {
  let hasKey = false;
  for (let start = 0; start < query.length;) {
    let end = query.indexOf('&', start);
    if (end === -1) end = query.length;
    if (end > start) {
      let equals = query.indexOf('=', start);
      if (equals === -1 || equals > end) equals = end;
      const name = decoded(query.slice(start, equals));
      const value = decoded(query.slice(equals + 1, end));
      if (name === undefined || value === undefined) return malformedRequest;
      if (name === 'apiKey') {
        if (hasKey) return ambiguousCredentials;
        hasKey = true;
        exchange.apiKey = value;
      } else if (exchange.names.push(name) > PARAMETERS_MAX) {
        return malformedRequest;
      } else {
        exchange.values.push(value);
      }
    }
    start = end + 1;
  }
  return undefined;
}

/** Lengths first: almost every header is another one. */
function keyOfHeader(name: string, value: string): string | undefined {
  if (name.length === 9 && name.toLowerCase() === 'x-api-key') return value;
  if (name.length !== 13 || name.toLowerCase() !== 'authorization') return undefined;
  const isBearer = value.slice(0, BEARER.length).toLowerCase() === BEARER;
  return isBearer ? value.slice(BEARER.length).trim() : undefined;
}

/** As browsers encode forms: `+` is a space. Undefined when it is not UTF-8 in valid encoding. */
function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
