/**
 * The result of a lookup, which alone determines the status code, the charge and whether to retry. A throttled upstream
 * never counts as `not_registered`.
 */
export const OUTCOMES = [
  'delivered',
  'partial',
  'not_registered',
  'restricted',
  'empty',
  'unknown',
  'invalid',
  'throttled',
  'unreachable',
  'timeout',
  'unsupported',
  'parse_failed',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const PASSING_OUTCOMES: readonly Outcome[] = ['unreachable', 'timeout', 'throttled'];

export const SOURCES = ['live', 'cache', 'stale_cache', 'repeat', 'fixture'] as const;
export type Source = (typeof SOURCES)[number];

/** Whether an answer with this outcome is charged. An outcome without a case does not compile. */
export function isOutcomeCharged(outcome: Outcome): boolean {
  switch (outcome) {
    case 'delivered':
    case 'partial':
    case 'not_registered':
    case 'restricted':
      return true;
    case 'empty':
    case 'unknown':
    case 'invalid':
    case 'throttled':
    case 'unreachable':
    case 'timeout':
    case 'unsupported':
    case 'parse_failed':
      return false;
  }
}

/**
 * Whether an answer from this source is charged. A stale answer is charged, because only callers that accept stale
 * answers get one.
 */
export function isSourceCharged(source: Source): boolean {
  switch (source) {
    case 'live':
    case 'cache':
    case 'stale_cache':
    case 'repeat':
      return true;
    case 'fixture':
      return false;
  }
}

const outcomes: ReadonlyMap<string, Outcome> = new Map(OUTCOMES.map((name) => [name, name]));
const sources: ReadonlyMap<string, Source> = new Map(SOURCES.map((name) => [name, name]));

/**
 * Returns the outcome that a text names; undefined for an outcome that is unknown to this release, which a newer
 * service may send.
 */
export function outcomeOf(text: string): Outcome | undefined {
  return outcomes.get(text);
}

/** Returns the source that a text names; undefined for a source that is unknown to this release. */
export function sourceOf(text: string): Source | undefined {
  return sources.get(text);
}

/** The header with the outcome of a request, by which the gateway charges. */
export const OUTCOME_HEADER = 'x-outcome';
/** The header with the source of the answer, by which the gateway charges too. */
export const SOURCE_HEADER = 'x-served-from';
/** Number of charged items in an answer, if the price is per item. */
export const CHARGED_ITEMS_HEADER = 'x-charged-items';
/** The maximum charge, in credits, for an answer that lacks a part that its price includes. */
export const CREDITS_MAX_HEADER = 'x-credits-max';
