import type { QuestionOf, WHOIS_BULK, WHOIS_LIVE } from '#libs/contracts';
import type { Lookup, WayOut } from '#libs/resolvers';
import { TldUnsupported } from '../answers/answers.errors.js';
import { answerFrom, type DataAnswer, problemOf } from '../answers/data-answer.js';
import type { Found } from '../answers/remembered-answers.js';
import { v1Body } from '../serializers/v1-body.js';
import { v2Body } from '../serializers/v2-body.js';

/** A question from the gateway or a worker, as described by the row of the operation. */
export type LiveQuestion = QuestionOf<typeof WHOIS_LIVE>;

export type BulkQuestion = QuestionOf<typeof WHOIS_BULK>;

/** Converts a lookup to the body of the requested version, or to the problem of its outcome. */
export function liveAnswer(
  found: Found<Lookup>,
  { version, include, fields }: LiveQuestion | BulkQuestion,
  wayOut: WayOut,
): DataAnswer {
  const { lookup, serving } = found;
  const problem = problemOf(lookup, wayOut, () => new TldUnsupported(lookup.reason));
  if (version === 1) return answerFrom(found, problem, () => v1Body(lookup));
  return answerFrom(found, problem, () => v2Body(lookup, serving, new Set(include)), fields);
}
