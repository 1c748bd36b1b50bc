import { type FieldError, InvalidRequest, type Problem } from '#libs/platform';
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

/** Values of the parameters that were given, by their own name. */
type Given = Map<string, string>;

const testKeyFixtureOnly = new TestKeyFixtureOnly();
const fixtureNeedsTestKey = new FixtureNeedsTestKey();

/**
 * Step 7: reads the parameters of a live lookup and writes the question lookup is asked. The second
 * version refuses what it does not know; the first ignores it, as it always did.
 */
export function readParameters(exchange: Exchange, isTest: boolean): Problem | undefined {
  const faults: FieldError[] = [];
  const given = collect(exchange, faults);
  const name = domainName(given, faults);
  if (given.get('format') !== undefined && given.get('format') !== 'json') {
    faults.push({ field: 'format', message: 'must be json' });
  }
  checkWhois(exchange, given, faults);
  const isPlain = PLAIN_NAME.test(name);
  let question = `${exchange.route.upstreamPath}?version=${exchange.route.version}`;
  question += `&domainName=${isPlain ? name.toLowerCase() : encodeURIComponent(name)}`;
  if (exchange.route.version === 2 && given.size > 1) question += options(given, faults);
  if (faults.length > 0) return new InvalidRequest(faults);
  exchange.question = question;
  exchange.subject = name;
  exchange.isFresh = exchange.route.version === 2 && given.get('fresh') === 'true';
  const isFixture = isPlain ? FIXTURE_ENDING.test(name) : isFixtureName(name);
  if (isTest !== isFixture) return isTest ? testKeyFixtureOnly : fixtureNeedsTestKey;
  return undefined;
}

const KNOWN: Record<1 | 2, readonly string[]> = {
  1: ['domainName', 'domain', 'whois', 'format'],
  2: [
    'domainName',
    'domain',
    'whois',
    'format',
    'fields',
    'include',
    'max_age',
    'allow_stale',
    'fresh',
  ],
};

function collect({ names, values, route }: Exchange, faults: FieldError[]): Given {
  const given: Given = new Map();
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (!KNOWN[route.version].includes(name)) {
      if (route.version === 1) continue;
      faults.push({
        field: SHOWABLE.test(name) ? name : 'query',
        message: 'there is no such parameter',
      });
    } else if (given.has(name)) {
      faults.push({ field: name, message: 'must be given once' });
    } else {
      given.set(name, values[i]);
    }
  }
  return given;
}

function domainName(given: Given, faults: FieldError[]): string {
  const [name, synonym] = [given.get('domainName'), given.get('domain')];
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
  const whois = given.get('whois');
  const mayBeAbsent = route.version === 2;
  if (whois === 'live' || (whois === undefined && mayBeAbsent)) return;
  faults.push({ field: 'whois', message: 'must be live' });
}

/** The optional parameters in a fixed order, so that the same question reads the same. */
function options(given: Given, faults: FieldError[]): string {
  let text = '';
  const take = (name: string, isValid: (value: string) => boolean, message: string) => {
    const value = given.get(name);
    if (value === undefined) return;
    if (!isValid(value)) faults.push({ field: name, message });
    else text += `&${name}=${encodeURIComponent(value)}`;
  };
  const isBoolean = (value: string) => value === 'true' || value === 'false';
  take('max_age', isMaxAge, `must be whole seconds, 0 to ${MAX_AGE_MAX_SECONDS}`);
  take('allow_stale', isBoolean, 'must be true or false');
  take('fresh', isBoolean, 'must be true or false');
  take('fields', (value) => FIELDS.test(value), 'must be a list of paths such as dates.created');
  take(
    'include',
    (value) => value.split(',').every((part) => SECTIONS.includes(part)),
    `must be a list of ${SECTIONS.join(', ')}`,
  );
  return text;
}

function isMaxAge(value: string): boolean {
  return /^[0-9]{1,5}$/.test(value) && Number(value) <= MAX_AGE_MAX_SECONDS;
}

/** The host of a name or URL as lookup will read it, as far as its last label. */
function isFixtureName(name: string): boolean {
  const withoutScheme = name.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, '');
  const authority = withoutScheme.split(/[/?#]/, 1)[0];
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:[0-9]*$/, '');
  return /(^|[.\u3002\uff0e\uff61])test[.\u3002\uff0e\uff61]?$/i.test(host.normalize('NFKC'));
}
