import { InvalidRequest, type Problem } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import { FixtureNeedsTestKey, TestKeyFixtureOnly } from './request.errors.js';

const testKeyFixtureOnly = new TestKeyFixtureOnly();
const fixtureNeedsTestKey = new FixtureNeedsTestKey();

/** Step 6: reads the parameters of the operation and writes the question its owner is asked. */
export function readParameters(context: RequestContext): Problem | undefined {
  const { route, names, values } = context;
  const { reader, ownerPath, places } = route;
  const input = reader.read(names, values);
  if (input.faults !== undefined) return new InvalidRequest(input.faults);
  context.input = input;
  context.question = ownerPath.of(input);
  const { texts } = input;
  context.subject = texts[places.subject] ?? '';
  context.isFresh = texts[places.fresh] === 'true';
  return undefined;
}

/** Step 6b: a test key gets fixtures only, and nobody else gets one. */
export function checkFixture(
  { route, subject }: RequestContext,
  isTest: boolean,
): Problem | undefined {
  if (route.isFixture === undefined || isTest === route.isFixture(subject)) return undefined;
  return isTest ? testKeyFixtureOnly : fixtureNeedsTestKey;
}
