import { WRONGLY_ENCODED } from '#libs/contracts';
import { MalformedRequest, type Problem } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import {
  AmbiguousCredentials,
  KeyInQuery,
  MissingApiKey,
} from '../auth-cache/auth-cache.errors.js';

const PARAMETERS_MAX = 32;
const BEARER = 'bearer ';

/** Names that other APIs use for a key, with `_` and `-` removed. */
const KEY_NAMES = ['apikey', 'key', 'token', 'apitoken', 'accesstoken', 'xapitoken', 'xauthtoken'];

const missingApiKey = new MissingApiKey();
const withoutBearer = new MissingApiKey('The Authorization header does not begin with "Bearer ".');
const inOtherHeader = new MissingApiKey('The header with the key has a name other than X-API-Key.');
const inOtherParameter = new MissingApiKey(
  'The parameter with the key has a name other than apiKey.',
);
const ambiguousCredentials = new AmbiguousCredentials();
const keyInQuery = new KeyInQuery();
const malformedRequest = new MalformedRequest();
const tooManyParameters = new MalformedRequest(` It has more than ${PARAMETERS_MAX} parameters.`);

/**
 * Step 2b: also takes the key from `Authorization: Bearer` and `X-API-Key`. The same key in several places is accepted;
 * two different keys are rejected (S10, S11), and so is a key in the query of a request that manages keys. An empty value
 * is no key. @returns the problem, including if there is no key.
 */
export function findKey(context: RequestContext): Problem | undefined {
  const { rawHeaders } = context.request;
  if (context.apiKey !== '' && context.route.managesKeys) return keyInQuery;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const key = keyOfHeader(rawHeaders[i], rawHeaders[i + 1]);
    if (key === undefined || key === '') continue;
    if (context.apiKey !== '' && context.apiKey !== key) return ambiguousCredentials;
    context.apiKey = key;
  }
  return context.apiKey === '' ? missingKeyOf(context) : undefined;
}

/**
 * Step 2a: reads the query once, and separates the key in `apiKey` from the other parameters. A repeated `apiKey` is
 * rejected, and so are more than 32 other parameters. Step 6 reports invalid encoding, except in the key, because no
 * answer may repeat a key.
 */
export function readQuery(context: RequestContext, query: string): Problem | undefined {
  let hasKey = false;
  for (let start = 0; start < query.length;) {
    let end = query.indexOf('&', start);
    if (end === -1) end = query.length;
    if (end > start) {
      let equals = query.indexOf('=', start);
      if (equals === -1 || equals > end) equals = end;
      const name = decoded(query.slice(start, equals));
      const value = decoded(query.slice(equals + 1, end));
      if (name === 'apiKey') {
        if (value === WRONGLY_ENCODED) return malformedRequest;
        if (hasKey) return ambiguousCredentials;
        hasKey = true;
        context.apiKey = value;
      } else if (context.names.push(name) > PARAMETERS_MAX) {
        return tooManyParameters;
      } else {
        context.values.push(value);
      }
    }
    start = end + 1;
  }
  return undefined;
}

/** Names the place where the client may have put the key, but never the key itself. */
function missingKeyOf({ request: { rawHeaders }, names }: RequestContext): Problem {
  const headers = rawHeaders
    .filter((_, place) => place % 2 === 0)
    .map((name) => name.toLowerCase());
  if (headers.includes('authorization')) return withoutBearer;
  const isMeant = (name: string) => KEY_NAMES.includes(name.toLowerCase().replaceAll(/[_-]/g, ''));
  if (headers.some(isMeant)) return inOtherHeader;
  return names.some(isMeant) ? inOtherParameter : missingApiKey;
}

/** Returns the key if this header has one. Lengths are compared first, because nearly every header has another name. */
export function keyOfHeader(name: string, value: string): string | undefined {
  if (name.length === 9 && name.toLowerCase() === 'x-api-key') return value;
  if (name.length !== 13 || name.toLowerCase() !== 'authorization') return undefined;
  const isBearer = value.slice(0, BEARER.length).toLowerCase() === BEARER;
  return isBearer ? value.slice(BEARER.length).trim() : undefined;
}

/**
 * Decodes a value as browsers encode forms: `+` is a space. @returns `WRONGLY_ENCODED` if the value is not encoded
 * UTF-8.
 */
function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return WRONGLY_ENCODED;
  }
}
