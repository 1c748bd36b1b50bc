import type { AvailabilityMethod, AvailabilityWord, Outcome } from '#libs/contracts';
import { type DnsAnswer, type Lookup, isAlias } from '#libs/resolvers';

/**
 * Whether a name is delegated to name servers, according to the parent zone. `unclear`: the DNS answers as for an
 * existing name, but shows no name servers; `unknown`: there is no usable answer.
 */
export type Delegation = 'delegated' | 'not_delegated' | 'unclear' | 'unknown';

export interface RegistryWord {
  outcome: Outcome;
  /** The protocol of the source with this answer; absent without an answer. */
  protocol?: 'rdap' | 'whois43';
}

/** Returns what the registry says. If only its registrar failed, the registry's own answer is not `partial`. */
export function registryWord({ outcome, sources }: Lookup): RegistryWord {
  const source = sources.find((one) => one.outcome === outcome || one.record !== undefined);
  return { outcome, protocol: source?.protocol };
}

export interface Verdict {
  availability: AvailabilityWord;
  method?: AvailabilityMethod;
  /** From 0 to 1. */
  confidence: number;
  isContradiction?: boolean;
}

const CONFIDENCE = {
  registryAnswers: 1,
  delegated: 0.95,
  rdapAndNoDelegation: 0.99,
  whoisAndNoDelegation: 0.9,
  rdapAlone: 0.8,
  contradiction: 0.7,
} as const;

export const NOBODY_KNOWS: Verdict = { availability: 'unknown', confidence: 0 };

/**
 * Matches names directly below `.name`, whose registry also sells names such as `john.doe.name`. Nobody can register
 * `doe.name` then; it exists in the DNS, but without records.
 */
const SHARED_NAME = /^[^.]+\.name$/;

export function delegationIn(answer: DnsAnswer, name: string): Delegation {
  const { rcode, answers, authorities } = answer;
  // The holder, or a wildcard, made the name an alias, and the rest of the answer is about the target.
  if (isAlias(answer)) return 'unclear';
  if (rcode === 'nxdomain') return 'not_delegated';
  // None of the name's servers answer, or the signatures are wrong. A name that does not exist would get NXDOMAIN from
  // the parent zone.
  if (rcode === 'servfail') return 'unclear';
  if (rcode !== 'noerror') return 'unknown';
  // A name with a zone of its own is delegated, even if the servers of the zone do not return its NS records.
  const isZone = [...answers, ...authorities].some(
    (record) => (record.type === 'NS' || record.type === 'SOA') && record.name === name,
  );
  if (isZone) return 'delegated';
  return SHARED_NAME.test(name) ? 'unclear' : 'not_delegated';
}

/**
 * Returns the verdict that follows from the delegation alone: a delegated name is registered. Undefined for other
 * names.
 */
export function verdictByDelegation(delegation: Delegation): Verdict | undefined {
  return delegation === 'delegated'
    ? { availability: 'registered', method: 'dns', confidence: CONFIDENCE.delegated }
    : undefined;
}

/**
 * Returns whether a name is available. "Available" requires that a registry does not know the name and that nothing
 * contradicts this; a port-43 text alone is not enough. Without an answer from the registry, availability is unknown
 * unless the name is delegated.
 */
export function verdictOf({ outcome, protocol }: RegistryWord, delegation: Delegation): Verdict {
  const method: AvailabilityMethod = protocol === 'whois43' ? 'whois' : 'rdap';
  switch (outcome) {
    case 'delivered':
    case 'partial':
      return { availability: 'registered', method, confidence: CONFIDENCE.registryAnswers };
    case 'restricted':
      return { availability: 'restricted', method, confidence: CONFIDENCE.registryAnswers };
    case 'not_registered':
      return verdictOnAbsence(method, delegation);
    case 'empty':
    case 'unknown':
    case 'invalid':
    case 'throttled':
    case 'unreachable':
    case 'timeout':
    case 'unsupported':
    case 'parse_failed':
      return verdictByDelegation(delegation) ?? NOBODY_KNOWS;
  }
}

function verdictOnAbsence(method: 'rdap' | 'whois', delegation: Delegation): Verdict {
  const { rdapAndNoDelegation, whoisAndNoDelegation, rdapAlone, contradiction } = CONFIDENCE;
  switch (delegation) {
    case 'delegated':
      return {
        availability: 'registered',
        method: 'dns',
        confidence: contradiction,
        isContradiction: true,
      };
    case 'not_delegated': {
      const confidence = method === 'rdap' ? rdapAndNoDelegation : whoisAndNoDelegation;
      return { availability: 'available', method, confidence };
    }
    case 'unclear':
      return NOBODY_KNOWS;
    case 'unknown':
      return method === 'rdap'
        ? { availability: 'available', method, confidence: rdapAlone }
        : NOBODY_KNOWS;
  }
}

/** Returns the outcome that determines the charge: an unknown availability is free. */
export function outcomeOfWord(word: AvailabilityWord): Outcome {
  switch (word) {
    case 'available':
      return 'not_registered';
    case 'registered':
      return 'delivered';
    case 'restricted':
      return 'restricted';
    case 'unknown':
      return 'unknown';
  }
}
