import type { QuestionOf, WHOIS_BULK, WHOIS_LIVE } from '#libs/contracts';
import type { Problem } from '#libs/platform';
import type { Lookup } from '#libs/resolvers';
import { TldUnsupported } from '../answers/answers.errors.js';
import {
  type DataAnswer,
  type Serving,
  answerOf,
  problemOf,
  refusalOf,
} from '../answers/data-answer.js';
import { selectFields } from '../serializers/field-selection.js';
import { v1Body } from '../serializers/v1-body.js';
import { v2Body } from '../serializers/v2-body.js';
import type { Json } from '../serializers/whois-body.js';

/** What the gateway or a worker asks, as the row of the operation says. */
export type LiveQuestion = QuestionOf<typeof WHOIS_LIVE>;

/** What is asked about several names at once. */
export type BulkQuestion = QuestionOf<typeof WHOIS_BULK>;

/** Puts a lookup into the words of the version asked for, or into the problem its outcome is. */
export function liveAnswer(lookup: Lookup, serving: Serving, question: LiveQuestion): DataAnswer {
  const problem = liveProblem(lookup);
  if (problem !== undefined) return refusalOf(lookup.outcome, serving, problem);
  return answerOf(lookup.outcome, serving, liveBody(lookup, serving, question));
}

/** The refusal that a lookup's outcome is; undefined for an answer. */
export function liveProblem({ outcome, retryAfterSeconds, reason }: Lookup): Problem | undefined {
  return problemOf(outcome, retryAfterSeconds, () => new TldUnsupported(reason));
}

/** The members of an answer; `meta` is the gateway's. */
export function liveBody(
  lookup: Lookup,
  serving: Serving,
  question: LiveQuestion | BulkQuestion,
): Json {
  if (question.version === 1) return v1Body(lookup);
  const full = v2Body(lookup, serving, new Set(question.include));
  return question.fields === undefined ? full : selectFields(full, question.fields);
}
