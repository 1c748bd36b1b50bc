import { parseDomainName } from '#libs/domain-names';
import { type FieldError, InvalidRequest, type Problem, maskKeys } from '#libs/platform';
import type { Exchange } from '../exchange/exchange.js';
import { FixtureNeedsTestKey, TestKeyFixtureOnly } from './request.errors.js';

const NAME_LENGTH_MAX = 2_048;
const MAX_AGE_MAX_SECONDS = 86_400;
const SECTIONS: readonly string[] = ['raw', 'rdap', 'provenance'];
const FIELDS =
  /^[a-z0-9_]{1,40}(\.[a-z0-9_]{1,40}){0,4}(,[a-z0-9_]{1,40}(\.[a-z0-9_]{1,40}){0,4}){0,49}$/;
const PLAIN_NAME = /^[A-Za-z0-9.-]+$/;
const FIXTURE_ENDING = /(^|\.)test\.?$/i;
// oxlint-disable-next-line eslint/no-control-regex -- these are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;
/** What an unknown parameter may be called to be named in the answer; a key pasted there is not. */
const SHOWABLE = /^(?!dds_)[A-Za-z0-9_.-]{1,40}$/;

/** What a live lookup may be asked with; the first version knows the first four. */
const NAMES = [
  'domainName',
  'domain',
  'whois',
  'format',
  'max_age',
  'allow_stale',
  'fresh',
  'fields',
  'include',
] as const;
const [NAME, SYNONYM, WHOIS, FORMAT, MAX_AGE, ALLOW_STALE, FRESH, PATHS, INCLUDE] = NAMES.keys();
const FIRST_OPTION = MAX_AGE;
const PLACES: ReadonlyMap<string, number> = new Map(NAMES.map((name, place) => [name, place]));

/** Values of the parameters that were given, by their place in `NAMES`. */
type Given = (string | undefined)[];

const testKeyFixtureOnly = new TestKeyFixtureOnly();
const fixtureNeedsTestKey = new FixtureNeedsTestKey();

/**
 * Step 7: reads the parameters of a live lookup and writes the question lookup is asked. The second
 * version refuses what it does not know; the first ignores it, as it always did.
 */
export function readParameters(exchange: Exchange, isTest: boolean): Problem | undefined {
  const faults: FieldError[] = [];
  const given = collect(exchange, faults);
  const text = domainName(given, faults);
  if (given[FORMAT] !== undefined && given[FORMAT] !== 'json') {
    faults.push({ field: 'format', message: 'must be json' });
  }
  checkWhois(exchange, given, faults);
  const isPlain = PLAIN_NAME.test(text);
  // A key that was pasted in the wrong place goes neither to lookup nor to the log.
  const name = isPlain ? text : maskKeys(text);
  let question = `${exchange.route.lookupPath}?version=${exchange.route.version}`;
  question += `&domainName=${isPlain ? name.toLowerCase() : encodeURIComponent(name)}`;
  if (given.length > FIRST_OPTION) question += options(given, faults);
  if (faults.length > 0) return new InvalidRequest(faults);
  exchange.question = question;
  exchange.subject = name;
  exchange.isFresh = given[FRESH] === 'true';
  const isFixture = isPlain ? FIXTURE_ENDING.test(name) : isFixtureName(name);
  if (isTest !== isFixture) return isTest ? testKeyFixtureOnly : fixtureNeedsTestKey;
  return undefined;
}

function collect({ names, values, route }: Exchange, faults: FieldError[]): Given {
  const given: Given = [undefined, undefined, undefined, undefined];
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const place = PLACES.get(name);
    if (place === undefined || (route.version === 1 && place >= FIRST_OPTION)) {
      if (route.version === 1) continue;
      faults.push({
        field: SHOWABLE.test(name) ? name : 'query',
        message: 'there is no such parameter',
      });
    } else if (given[place] !== undefined) {
      faults.push({ field: name, message: 'must be given once' });
    } else {
      given[place] = values[i];
    }
  }
  return given;
}

function domainName(given: Given, faults: FieldError[]): string {
  const name = given[NAME];
  const synonym = given[SYNONYM];
  const value = (name ?? synonym ?? '').trim();
  const refuse = (message: string) => faults.push({ field: 'domainName', message });
  if (name !== undefined && synonym !== undefined && name !== synonym) {
    refuse('differs from "domain"; send one of the two');
  } else if (value === '') refuse('is required');
  else if (value.length > NAME_LENGTH_MAX) refuse(`must not be longer than ${NAME_LENGTH_MAX}`);
  else if (CONTROL.test(value)) refuse('must not contain control characters');
  return value.slice(0, NAME_LENGTH_MAX).toWellFormed();
}

/** Version 1 chooses the product by this parameter; version 2 accepts it in old links. */
function checkWhois({ route }: Exchange, given: Given, faults: FieldError[]): void {
  const whois = given[WHOIS];
  const mayBeAbsent = route.version === 2;
  if (whois === 'live' || (whois === undefined && mayBeAbsent)) return;
  faults.push({ field: 'whois', message: 'must be live' });
}

/** The optional parameters in a fixed order, so that the same question reads the same. */
const OPTIONS: readonly {
  place: number;
  isValid: (value: string) => boolean;
  message: string;
}[] = [
  {
    place: MAX_AGE,
    isValid: isMaxAge,
    message: `must be whole seconds, 0 to ${MAX_AGE_MAX_SECONDS}`,
  },
  { place: ALLOW_STALE, isValid: isBoolean, message: 'must be true or false' },
  { place: FRESH, isValid: isBoolean, message: 'must be true or false' },
  {
    place: PATHS,
    isValid: (value) => FIELDS.test(value),
    message: 'must be a list of paths such as dates.created',
  },
  {
    place: INCLUDE,
    isValid: (value) => value.split(',').every((part) => SECTIONS.includes(part)),
    message: `must be a list of ${SECTIONS.join(', ')}`,
  },
];

function options(given: Given, faults: FieldError[]): string {
  let text = '';
  for (const { place, isValid, message } of OPTIONS) {
    const value = given[place];
    if (value === undefined) continue;
    if (isValid(value)) text += `&${NAMES[place]}=${encodeURIComponent(value)}`;
    else faults.push({ field: NAMES[place], message });
  }
  return text;
}

function isBoolean(value: string): boolean {
  return value === 'true' || value === 'false';
}

function isMaxAge(value: string): boolean {
  return /^[0-9]{1,5}$/.test(value) && Number(value) <= MAX_AGE_MAX_SECONDS;
}

/** As lookup itself reads it: what the two took for different names would be a lookup for nothing. */
function isFixtureName(name: string): boolean {
  const parsed = parseDomainName(name);
  return parsed.ok && parsed.domain.tld === 'test';
}
