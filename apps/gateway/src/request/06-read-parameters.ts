import {
  type AnswerForm,
  type OperationBody,
  type ParameterKind,
  creditsEach,
  maxCredits,
} from '#libs/contracts';
import { InvalidRequest, type Problem, faultsOf, maskKeys } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import { SUBJECT_MAX } from '../request-log/log-line.js';
import {
  FixtureNeedsTestKey,
  PriceAboveMax,
  TestKeyFixtureOnly,
  TooManyItems,
} from './request.errors.js';

const testKeyFixtureOnly = new TestKeyFixtureOnly();
const fixtureNeedsTestKey = new FixtureNeedsTestKey();

/**
 * Step 6a: reads the operation's parameters, builds the request to its owner, and compares the price with
 * `max_credits`.
 * @param body the parsed JSON, for an operation with a body.
 */
export function readParameters(context: RequestContext, body?: unknown): Problem | undefined {
  const { route, names, values } = context;
  const { reader, ownerPath, freshPlace, maxCreditsPlace, subjects, operation } = route;
  const input = reader.read(names, values);
  const tooMany = operation.body && tooManyItems(operation.body, body);
  if (tooMany) return tooMany;
  const bodyFaults = operation.body === undefined ? undefined : faultsOf(operation.body.of, body);
  if (input.faults !== undefined || bodyFaults?.length) {
    return new InvalidRequest([...(input.faults ?? []), ...(bodyFaults ?? [])]);
  }
  context.input = input;
  context.question = ownerPath.of(input);
  const { texts } = input;
  for (const { place } of subjects) context.subject = texts[place] ?? context.subject;
  if (bodyFaults !== undefined) {
    context.body = body as object;
    context.subject ||= namesIn(context);
  }
  context.isFresh = texts[freshPlace] === 'true';
  if (operation.answers.length > 1) context.form = acceptedForm(context);
  readPrice(context);
  const bound = texts[maxCreditsPlace];
  return bound !== undefined && context.price > Number(bound)
    ? new PriceAboveMax(context.price, Number(bound))
    : undefined;
}

/** Returns the problem of the first list that is too long. The items of such a list are not checked. */
function tooManyItems({ itemsMax }: OperationBody, body: unknown): Problem | undefined {
  if (itemsMax === undefined || typeof body !== 'object' || body === null) return undefined;
  const tooLong = Object.entries(body).find(
    ([, list]) => Array.isArray(list) && list.length > itemsMax,
  );
  return tooLong && new TooManyItems(tooLong[0], itemsMax);
}

/** Returns the names in the body as text for the log: those that fit in full. */
function namesIn({ route, body, input }: RequestContext): string {
  const { subjects = [] } = route.operation.body!;
  if (subjects.length === 0) return '';
  const values = route.reader.valuesOf(input!);
  const names = new Set(subjects.flatMap(({ of }) => of(body as never, values)).map(maskKeys));
  let text = '';
  for (const name of names) {
    if (text.length + name.length + 2 > SUBJECT_MAX) continue;
    text += text === '' ? name : `, ${name}`;
  }
  return text;
}

/** Step 6b: lets a test key request only fixtures, and a live key none. */
export function checkFixture(context: RequestContext, isTest: boolean): Problem | undefined {
  const { route, input, body } = context;
  let isMismatch = body !== undefined && hasMismatch(context, isTest);
  for (const { place, kind } of route.subjects) {
    const text = input?.texts[place];
    if (text !== undefined) isMismatch ||= !mayAsk(kind, text, isTest);
  }
  if (!isMismatch) return undefined;
  return isTest ? testKeyFixtureOnly : fixtureNeedsTestKey;
}

function mayAsk(kind: ParameterKind, text: string, isTest: boolean): boolean {
  return isTest ? kind.isFixture?.(text) !== false : kind.isReserved?.(text) !== true;
}

function hasMismatch({ route, input, body }: RequestContext, isTest: boolean): boolean {
  const subjects = route.operation.body?.subjects;
  if (subjects === undefined) return false;
  const values = route.reader.valuesOf(input!);
  return subjects.some(({ kind, of }) =>
    of(body as never, values)
      .map((text) => kind.clean?.(text) ?? text)
      // The owner rejects invalid items individually.
      .some((text) => kind.fault(text) === undefined && !mayAsk(kind, text, isTest)),
  );
}

function readPrice(context: RequestContext): void {
  const { route, input, body } = context;
  if (route.fixedPrice !== undefined) {
    context.price = context.eachPrice = route.fixedPrice;
    return;
  }
  const { price } = route.operation;
  if (price.per === 'free') return;
  const given = { values: route.reader.valuesOf(input!), body };
  context.price = maxCredits(price, given);
  context.eachPrice = creditsEach(price.credits, given);
}

/**
 * Returns the first known format that `Accept` names (RFC 9110 §12.5.1, without weights); otherwise, the operation's
 * first format.
 */
function acceptedForm({ request, route }: RequestContext): AnswerForm {
  const { rawHeaders } = request;
  const { answers } = route.operation;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].toLowerCase() !== 'accept') continue;
    const types = rawHeaders[i + 1].split(',').map((part) => part.split(';', 1)[0].trim());
    for (const type of types) {
      const form = answers.find((one) => one.type === type.toLowerCase());
      if (form) return form;
    }
  }
  return answers[0];
}
