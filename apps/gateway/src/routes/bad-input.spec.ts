import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import {
  OPERATIONS,
  type Operation,
  type OperationRoute,
  type Parameter,
  subjectsOf,
  listenerOf,
} from '#libs/contracts';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;
let requests = 0;

beforeAll(async () => {
  // No service listens at this address, because a rejected request must not be forwarded.
  const worker = { WORKER_URL: 'http://127.0.0.1:1' };
  under = await GatewayUnderTest.start(
    { GATEWAY_TRUSTED_PROXIES: '127.0.0.1', ...worker },
    OPERATIONS,
  );
});
afterAll(() => under?.stop());

const OVERLONG = 'x'.repeat(3_000);
const VALUES_MAX = 5_000;

const SERVED = OPERATIONS.filter((row) => listenerOf(row) === 'api');
const ALL_ROUTES = SERVED.flatMap((operation) =>
  operation.routes.map((route): [string, Operation, OperationRoute] => [
    `${operation.method} ${route.path} (${operation.name})`,
    operation,
    route,
  ]),
);

/** An answer to HEAD has no body that could name a parameter. */
const ROUTES = ALL_ROUTES.filter(([, { method }]) => method !== 'HEAD');
const OF_HEAD = ALL_ROUTES.filter(([, { method }]) => method === 'HEAD');

function known({ parameters }: Operation, { version }: OperationRoute, place: 'query' | 'path') {
  return Object.entries<Parameter>(parameters).filter(
    ([, { since = 1, in: own = 'query' }]) => since <= version && own === place,
  );
}

function goodQuery(operation: Operation, route: OperationRoute): [string, string][] {
  // Where one of several subjects is required, the test uses the first.
  const [subject] = subjectsOf(operation);
  const needed = known(operation, route, 'query').filter(
    ([name, { isRequired }]) => isRequired || name === subject,
  );
  const pairs = needed.map(([name, { example }]): [string, string] => [name, example]);
  const { when } = route;
  if (when && !when.isDefault && !pairs.some(([name]) => name === when.parameter)) {
    pairs.push([when.parameter, when.value]);
  }
  return pairs;
}

const sharing = ({ path }: OperationRoute) =>
  SERVED.filter((row) => row.routes.some((route) => route.path === path));

/** Returns the parameter that selects this operation; none for the first operation of a path. */
function choosing(operation: Operation, route: OperationRoute): [string, string][] {
  const isFirst = sharing(route)[0] === operation;
  return isFirst || !route.when ? [] : [[route.when.parameter, route.when.value]];
}

interface Sent {
  /** The query, already encoded. */
  query?: string;
  path?: string;
  body?: string;
}

async function send(operation: Operation, route: OperationRoute, { query, path, body }: Sent) {
  const scopes = sharing(route).flatMap(({ access }) =>
    access.kind === 'key' ? [access.scope] : [],
  );
  const { apiKey } = under.around.account.addKey({ scopes });
  const example = operation.body && JSON.stringify(operation.body.example);
  const text = body ?? example;
  const answered = await request(`${under.url}${path ?? pathOf(operation, route)}?${query ?? ''}`, {
    method: operation.method as 'GET',
    headers: {
      ...(operation.access.kind === 'key' && { 'x-api-key': apiKey }),
      // Each request comes from a different address, so that no rate limit is reached.
      'x-forwarded-for': `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests++ & 255}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
    },
    body: text === undefined ? null : Buffer.from(text, 'latin1'),
  });
  const answerText = await answered.body.text();
  const json = (answerText === '' ? {} : JSON.parse(answerText)) as Record<string, unknown>;
  const answer = { status: answered.statusCode, headers: answered.headers, text: '', json };
  return { answer, fields: (json.errors as { field: string }[] | undefined)?.map((e) => e.field) };
}

function pathOf(operation: Operation, { path }: OperationRoute, values?: (name: string) => string) {
  return path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) =>
    values ? values(name) : encodeURIComponent(operation.parameters[name].example),
  );
}

const queryOf = (pairs: [string, string][]) =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');

describe.each(ROUTES)('%s', (_address, operation, route) => {
  const good = goodQuery(operation, route);
  const chosenBy = choosing(operation, route);
  const isChoice = (name: string) => chosenBy.some(([other]) => other === name);
  const inQuery = known(operation, route, 'query')
    .map(([name]) => name)
    .filter((name) => !isChoice(name));
  const inPath = known(operation, route, 'path').map(([name]) => name);

  it.each([
    ['text that is not UTF-8', '%ff'],
    ['half an encoding', '%e'],
    ['a control character', '%00'],
  ])('400: every parameter that contains %s is named', async (_what, value) => {
    const pairs = inQuery.map((name) => `${name}=${value}`);
    const query = [queryOf(chosenBy), ...pairs].join('&');
    const path = pathOf(operation, route, () => value);
    const wrong = [...inPath, ...inQuery];
    if (wrong.length === 0) return;
    const { answer, fields } = await send(operation, route, { query, path });
    expectProblem(answer, 400, 'invalid_request');
    expect(new Set(fields)).toEqual(new Set(wrong));
    expect(answer.json.path).not.toMatch(/[{}]/);
  });

  it('400: an overlong value is named, whichever parameter holds it', async () => {
    for (const name of inQuery) {
      const pairs = good.filter(([other]) => other !== name);
      const query = queryOf([...pairs, [name, OVERLONG]]);
      const { answer, fields } = await send(operation, route, { query });
      expectProblem(answer, 400, 'invalid_request');
      expect([name, ...new Set(fields)]).toEqual([name, name]);
    }
  });

  it('400: every repeated parameter is named', async () => {
    if (inQuery.length === 0) return;
    const twice = inQuery.flatMap((name): [string, string][] => {
      const { example } = operation.parameters[name];
      return [
        [name, example],
        [name, example],
      ];
    });
    const { answer, fields } = await send(operation, route, {
      query: queryOf([...chosenBy, ...twice]),
    });
    expectProblem(answer, 400, 'invalid_request');
    expect(fields).toEqual(expect.arrayContaining(inQuery));
  });

  it('an unknown parameter is named in version 2 and ignored in version 1', async () => {
    const query = queryOf([...good, ['colour', 'red'], ['dds_live_x', 'secret']]);
    const { answer, fields } = await send(operation, route, { query });
    if (route.version === 1) {
      expect(answer.status).not.toBe(400);
      return;
    }
    expectProblem(answer, 400, 'invalid_request');
    expect(fields).toEqual(['colour', 'query']);
    expect(JSON.stringify(answer.json)).not.toContain('dds_live_x');
  });

  it('400: selected paths that match no member of the answer are named', async () => {
    if (!inQuery.includes('fields')) return;
    const { answer, fields } = await send(operation, route, {
      query: queryOf([...good, ['fields', 'status,meta,colour.red,query_tim']]),
    });
    expectProblem(answer, 400, 'invalid_request');
    expect(fields).toEqual(['fields']);
    expect(answer.json.detail).toContain('colour.red, query_tim');
  });

  it('400: missing required parameters are named', async () => {
    const required = good.map(([name]) => name).filter((name) => !isChoice(name));
    if (required.length === 0) return;
    const { answer, fields } = await send(operation, route, { query: queryOf(chosenBy) });
    expectProblem(answer, 400, 'invalid_request');
    expect(fields?.toSorted()).toEqual(required.toSorted());
  });

  it('400, 415: a body that does not match the row, or is not expected, is rejected', async () => {
    const query = queryOf(good);
    if (operation.upload?.types.length) {
      const { answer } = await send(operation, route, { query, body: '{"a":1}' });
      expectProblem(answer, 415, 'unsupported_media_type');
      return;
    }
    if (operation.body === undefined) {
      const { answer } = await send(operation, route, { query, body: '{"a":1}' });
      expectProblem(answer, 400, 'unexpected_body');
      return;
    }
    const { example, limitBytes } = operation.body;
    const [[member]] = Object.entries(example);
    const bodies = ['{', '[]', 'null', '"text"', '{"colour":1}', `{"${member}":{"a":"\xff"}}`];
    bodies.push(
      `{"${member}":[["${OVERLONG}"]]}`,
      '['.repeat(Math.min(limitBytes, VALUES_MAX - 1)),
    );
    for (const body of bodies) {
      const { answer } = await send(operation, route, { query, body });
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.json.errors).not.toEqual([]);
    }
    if (limitBytes > VALUES_MAX) {
      const { answer } = await send(operation, route, { query, body: '['.repeat(VALUES_MAX + 1) });
      expectProblem(answer, 413, 'payload_too_large');
      expect(answer.json.detail).toContain(`more than ${VALUES_MAX} values`);
    }
    const large = `{"${member}":"${'x'.repeat(limitBytes)}"}`;
    const { answer } = await send(operation, route, { query, body: large });
    expectProblem(answer, 413, 'payload_too_large');
  });
});

it.each(OF_HEAD)('%s refuses bad parameters with 400', async (_address, operation, route) => {
  for (const sent of [{ path: pathOf(operation, route, () => '%ff') }, { query: 'colour=red' }]) {
    const { answer } = await send(operation, route, sent);
    expect(answer.status).toBe(400);
  }
});

it('owners were called only in version 1, which ignores unknown parameters', () => {
  const asked = under.around.lookup.questions.filter(({ path }) => !path.includes('version=1'));
  expect(asked).toEqual([]);
});
