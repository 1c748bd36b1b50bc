import { describe, expect, it } from '@jest/globals';
import { parseWhois, type ParseContext, type ParseResult } from '#libs/resolvers';
import { registryLayout } from '../../apps/simulators/src/registry/layouts/by-tld.js';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';
import { KEYED_SHAPES, RECORD_SHAPES, SHAPES } from './shapes.js';

const TLDS =
  'com shop fr ch se ru at au be br ca cz de dk eu fi it jp nl no pl uk re li nu su xn--p1ai'.split(
    ' ',
  );

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

/** What a customer would miss. */
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

describe('the same answer in another shape', () => {
  it('is read as before, with other line ends, margins and notices around it', () => {
    expect(differences(SHAPES)).toEqual([]);
  });

  it('is read as before, however its keys are written and its values aligned', () => {
    expect(differences(KEYED_SHAPES)).toEqual([]);
    expect(differences(RECORD_SHAPES, (tld) => answersFor(tld).slice(0, 1))).toEqual([]);
  });

  it('is read at all: each of the registries has a record, a free name and what it keeps back', () => {
    const outcomes = TLDS.flatMap(answersFor).map(
      ({ text, context }) => parseWhois(text, context).outcome,
    );
    expect(outcomes.filter((outcome) => outcome === 'delivered')).toHaveLength(TLDS.length);
    expect(outcomes.filter((outcome) => outcome === 'not_registered')).toHaveLength(TLDS.length);
    expect(outcomes).not.toContain('parse_failed');
  });
});
