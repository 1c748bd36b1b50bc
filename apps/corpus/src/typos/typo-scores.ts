import type { TypoCandidates, TypoScoresAnswer } from '#libs/contracts';
import { type DomainName, parseDomainName, skeletonOf } from '#libs/domain-names';
import { InvalidRequest } from '#libs/platform';
import { filedName } from '../names/registrable-name.js';
import { type ReadName, likenessOf } from './likeness.js';
import { labelPermutations } from './permutations.js';

/**
 * Scores how easily each of the given names is mistaken for one name. @throws InvalidRequest that lists the invalid
 * names.
 */
export function typoScores({ domainName, domainNames }: TypoCandidates): {
  isFixture: boolean;
  body: TypoScoresAnswer;
} {
  const own = parseDomainName(domainName);
  const others = domainNames.map((name) => parseDomainName(name));
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
  const labels = labelPermutations(ownName.label);
  const domains = others.flatMap((parsed) => {
    if (!parsed.ok) return [];
    const other = readName(parsed.domain);
    const isOther = other.suffix !== ownName.suffix;
    const kind =
      other.label === ownName.label
        ? isOther && ('tld-swap' as const)
        : (labels.get(other.label) ??
          (skeletonOf(other.label) === ownName.label && ('homoglyph' as const)));
    return [
      {
        domain_name: parsed.domain.name,
        domain_unicode: parsed.domain.unicode,
        kind: kind || null,
        ...likenessOf(ownName, other, {}),
      },
    ];
  });
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
