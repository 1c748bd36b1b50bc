import type { TypoCandidates, TypoScoresAnswer } from '#libs/contracts';
import {
  type DomainName,
  type ParsedDomainName,
  parseDomainName,
  skeletonOf,
} from '#libs/domain-names';
import { InvalidRequest, Turns } from '#libs/platform';
import { filedName } from '../names/registrable-name.js';
import { type ReadName, likenessOf } from './likeness.js';
import { labelPermutations } from './permutations.js';

/** The number of names read or scored per turn of the event loop. */
const NAMES_OF_TURN = 5;

/**
 * Scores how easily each of the given names is mistaken for one name. @throws InvalidRequest that lists the invalid
 * names.
 */
export async function typoScores({ domainName, domainNames }: TypoCandidates): Promise<{
  isFixture: boolean;
  body: TypoScoresAnswer;
}> {
  const turns = new Turns(NAMES_OF_TURN);
  const own = parseDomainName(domainName);
  const others: ParsedDomainName[] = [];
  for (const name of domainNames) {
    await turns.spend();
    others.push(parseDomainName(name));
  }
  const faults = [own, ...others].flatMap((parsed, place) =>
    parsed.ok
      ? []
      : [
          {
            field: place === 0 ? 'domainName' : `domainNames.${place - 1}`,
            message: parsed.message,
          },
        ],
  );
  if (!own.ok || faults.length > 0) throw new InvalidRequest(faults);
  const ownName = readName(own.domain);
  const labels = await labelPermutations(ownName.label);
  const domains: TypoScoresAnswer['domains'] = [];
  for (const parsed of others) {
    if (!parsed.ok) continue;
    await turns.spend();
    const other = readName(parsed.domain);
    const isOther = other.suffix !== ownName.suffix;
    const kind =
      other.label === ownName.label
        ? isOther && ('tld-swap' as const)
        : (labels.get(other.label) ??
          (skeletonOf(other.label) === ownName.label && ('homoglyph' as const)));
    domains.push({
      domain_name: parsed.domain.name,
      domain_unicode: parsed.domain.unicode,
      kind: kind || null,
      ...likenessOf(ownName, other, {}),
    });
  }
  return {
    isFixture: own.domain.tld === 'test',
    body: { status: true, domain_name: own.domain.name, domains },
  };
}

/** Converts a name to the form that people read. */
export function readName(domain: Pick<DomainName, 'name' | 'label' | 'publicSuffix'>): ReadName {
  const { label, unicode } = filedName(domain);
  return { label: unicode ?? label, suffix: domain.publicSuffix };
}
