import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InputReader, OPERATIONS, type Operation, subjectsOf } from '#libs/contracts';
import { Logger, type RunningService, ServiceTokens, loadConfig } from '#libs/platform';
import { TestClock } from '#test/environment';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const SECRET = 'a-service-secret-of-at-least-32-characters';
const clock = new TestClock('2026-11-22T10:00:00Z');

const SELECTABLE = OPERATIONS.filter(
  ({ owner, fixtures, parameters }) =>
    owner.service === 'lookup' && fixtures !== undefined && 'fields' in parameters,
);

describe('fields', () => {
  let service: RunningService;
  let tokens: ServiceTokens;

  beforeAll(async () => {
    const config = loadConfig(LookupConfig, { SERVICE_SECRET: SECRET, LOOKUP_PORT: '0' });
    const logger = new Logger('lookup', { write: () => undefined });
    service = await startLookup({ config, clock, logger });
    tokens = new ServiceTokens(SECRET, clock);
  });
  afterAll(() => service?.stop());

  async function answerOf({ owner, parameters, fixtures, ...row }: Operation) {
    const [subject] = subjectsOf(row);
    const [{ value }] = fixtures!;
    const items = parameters.include?.kind.schema.items as { enum: string[] } | undefined;
    const include = items && `&include=${items.enum.join()}`;
    const query = `${subject}=${encodeURIComponent(value)}${include ?? ''}`;
    const answer = await fetch(`${service.url}${owner.path}?${query}`, {
      headers: { authorization: `Bearer ${tokens.issue('gateway', 'lookup')}` },
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Record<string, unknown>;
  }

  it.each(SELECTABLE.map((row): [string, Operation] => [row.name, row]))(
    'the fields of %s can be the paths of all members of its fixture, and no others',
    async (_name, row) => {
      const reader = new InputReader(row);
      const [subject] = subjectsOf(row);
      const faultOf = (path: string) =>
        reader
          .read([subject, 'fields'], [row.parameters[subject].example, path])
          .faults?.map(({ message }) => message);
      const paths = pathsOf(await answerOf(row));
      expect(paths.length).toBeGreaterThan(5);
      expect(paths.filter((path) => faultOf(path) !== undefined)).toEqual([]);
      for (const path of ['colour', `${paths[1]}.colour`, '__proto__', 'constructor']) {
        expect([path, faultOf(path)]).not.toEqual([path, undefined]);
      }
    },
  );
});

/**
 * Returns the dot paths of the selectable members. Members within lists, and objects whose keys are data, are left out.
 */
function pathsOf(value: object, before = ''): string[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const path = before + name;
    if (!/^[a-z0-9_]+$/.test(name)) return [];
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return [path];
    return [path, ...pathsOf(member, `${path}.`)];
  });
}
