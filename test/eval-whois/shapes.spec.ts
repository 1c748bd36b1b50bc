import { describe, expect, it } from '@jest/globals';
import { parseWhois, type ParseContext, type ParseResult } from '#libs/resolvers';
import { registryLayout } from '../../apps/simulators/src/registry/layouts/by-tld.js';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';

/** Changes the layout of an answer, but not its data. */
type Shape = (text: string) => string;

const NOTICE = [
  'By submitting this query, you agree to abide by these terms. If too many queries are received from a',
  'single IP address within a specified time, the service will begin to reject further queries for a',
  'period of time to prevent disruption of Whois service access. Some names are reserved for the registry.',
];

const eachLine = (change: (line: string) => string) => (text: string) =>
  text.split('\n').map(change).join('\n');

/** Matches `key: value` at the start of a line, but not URLs. */
const eachKey = (change: (key: string, value: string) => string) =>
  eachLine((line) =>
    line.replace(/^([A-Za-z][A-Za-z /-]{0,40}):[ \t]+(\S.*)$/, (_, key: string, value: string) =>
      change(key, value),
    ),
  );

const SHAPES: Readonly<Record<string, Shape>> = {
  'lines that end in CR LF': (text) => text.replaceAll('\n', '\r\n'),
  'lines that end in spaces': eachLine((line) => `${line}   `),
  'a byte order mark': (text) => `\ufeff${text}`,
  'a margin of three spaces': eachLine((line) => (line === '' ? line : `   ${line}`)),
  'a notice before it': (text) => `${NOTICE.map((line) => `% ${line}`).join('\n')}\n\n${text}`,
  'a plain notice before it': (text) => `${NOTICE.join('\n')}\n\n${text}`,
  'a plain notice after it': (text) => `${text}\n\n${NOTICE.join('\n')}\n`,
  'a notice in a frame after it': (text) =>
    `${text}\n\n${['*'.repeat(60), ...NOTICE, '*'.repeat(60)].map((line) => `* ${line}`).join('\n')}\n`,
  'non-breaking spaces': eachKey((key, value) => `${key}:\u00a0${value}`),
};

/** Layouts that only an answer of keys and values with colons may have. */
const KEYED_SHAPES: Readonly<Record<string, Shape>> = {
  'a tab before each value': eachKey((key, value) => `${key}:\t${value}`),
  'a tab on both sides of the colon': eachKey((key, value) => `${key}\t:\t${value}`),
  'values in a column': eachKey((key, value) => `${`${key}:`.padEnd(40)}${value}`),
  'colons in a column': eachKey((key, value) => `${key.padEnd(36)}: ${value}`),
  'dots up to the colon': eachKey((key, value) => `${key.padEnd(36, '.')}: ${value}`),
  'dots after the colon': eachKey((key, value) => `${`${key}:`.padEnd(36, '.')} ${value}`),
  'keys in capitals': eachKey((key, value) => `${key.toUpperCase()}: ${value}`),
  'keys in lower case': eachKey((key, value) => `${key.toLowerCase()}: ${value}`),
  'no space after the colon': eachKey((key, value) => `${key}:${value}`),
};

/** Layouts that only a record may have: in other answers, the text before a colon may be a sentence. */
const RECORD_SHAPES: Readonly<Record<string, Shape>> = {
  'keys with underscores': eachKey((key, value) => `${key.replaceAll(' ', '_')}: ${value}`),
  'keys with hyphens': eachKey((key, value) => `${key.replaceAll(' ', '-')}: ${value}`),
};

const TLDS = 'com shop fr re ch li de it jp uk'.split(' ');

interface Answer {
  text: string;
  context: ParseContext;
}

function answersFor(tld: string): Answer[] {
  const layout = registryLayout(tld);
  const context = (domain: string): ParseContext => {
    return { domain, server: '', tld, role: 'registry' };
  };
  const [held, free, kept] = ['sample-shop', 'free-shop', 'reserved-shop'].map(
    (name) => `${name}.${tld}`,
  );
  return [
    { text: layout.found(registrationOf(held)), context: context(held) },
    { text: layout.notFound(free), context: context(free) },
    ...(layout.reserved ? [{ text: layout.reserved(kept), context: context(kept) }] : []),
  ];
}

/** Returns the parts of a result whose loss a customer would notice. */
function essence({ outcome, record, retryAfterSeconds }: ParseResult) {
  const { created, updated, expires, nameServers, registrar, statuses } = record ?? {};
  const dates = [created?.iso, updated?.iso, expires?.iso];
  return { outcome, retryAfterSeconds, dates, nameServers, registrar: registrar?.name, statuses };
}

function differences(shapes: typeof SHAPES, answersOf = answersFor): string[] {
  return TLDS.flatMap((tld) =>
    answersOf(tld).flatMap(({ text, context }) => {
      const read = JSON.stringify(essence(parseWhois(text, context)));
      return Object.entries(shapes).flatMap(([name, shape]) => {
        const again = JSON.stringify(essence(parseWhois(shape(text), context)));
        return again === read ? [] : [`${context.domain}, ${name}: ${read} became ${again}`];
      });
    }),
  );
}

describe('the same answer in another layout', () => {
  it('is read in the same way with different line endings, margins and surrounding notices', () => {
    expect(differences(SHAPES)).toEqual([]);
  });

  it('is read in the same way, no matter how its keys are written and its values are aligned', () => {
    expect(differences(KEYED_SHAPES)).toEqual([]);
    expect(differences(RECORD_SHAPES, (tld) => answersFor(tld).slice(0, 1))).toEqual([]);
  });

  it('covers a record, a free name and a reserved name of each registry', () => {
    const outcomes = TLDS.flatMap(answersFor).map(
      ({ text, context }) => parseWhois(text, context).outcome,
    );
    expect(outcomes.filter((outcome) => outcome === 'delivered')).toHaveLength(TLDS.length);
    expect(outcomes.filter((outcome) => outcome === 'not_registered')).toHaveLength(TLDS.length);
    expect(outcomes).not.toContain('parse_failed');
  });
});
