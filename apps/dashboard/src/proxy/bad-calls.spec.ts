import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  OPERATIONS,
  type Operation,
  type OperationRoute,
  type Parameter,
  kindOf,
  listenerOf,
} from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());

const OVERLONG = 'x'.repeat(2_500);
/**
 * All routes except callbacks, and uploads, which stream their bodies and are tested in `test/transfers` and in the
 * worker's specs.
 */
const ROUTES = OPERATIONS.filter(
  (row) =>
    listenerOf(row) === 'dashboard' && row.access.kind !== 'signed' && kindOf(row) !== 'upload',
).flatMap((operation) =>
  operation.routes.map((route): [string, Operation, OperationRoute] => [
    `${operation.method} ${route.path} (${operation.name})`,
    operation,
    route,
  ]),
);

const namesIn = ({ parameters }: Operation, place: 'path' | 'query') =>
  Object.entries<Parameter>(parameters)
    .filter(([, { in: own = 'query' }]) => own === place)
    .map(([name]) => name);

const neededBy = ({ parameters }: Operation, except: readonly string[] = []) =>
  Object.entries<Parameter>(parameters)
    .filter(([, { in: place = 'query', isRequired }]) => place === 'query' && isRequired)
    .filter(([name]) => !except.includes(name))
    .map(([name, { example }]) => `${name}=${encodeURIComponent(example)}`)
    .join('&');

interface Sent {
  query?: string;
  /** The value of every path parameter, already encoded; by default, each has its example. */
  value?: string;
  body?: string;
}

async function send(operation: Operation, { path }: OperationRoute, sent: Sent) {
  const { method, parameters, body: expected } = operation;
  const address = path.replaceAll(
    /\{(\w+)\}/g,
    (_braces, name: string) => sent.value ?? encodeURIComponent(parameters[name].example),
  );
  const text = sent.body ?? (expected && JSON.stringify(expected.example));
  const json = { 'content-type': 'application/json' };
  const { status, body } = await under.send(
    method,
    sent.query ? `${address}?${sent.query}` : address,
    { ...under.ours, ...(text !== undefined && json) },
    text === undefined ? undefined : Buffer.from(text, 'latin1'),
  );
  const answer = JSON.parse(body.toString()) as { code: string; errors?: { field: string }[] };
  return { status, code: answer.code, fields: answer.errors?.map(({ field }) => field) };
}

const REFUSED = { status: 400, code: 'invalid_request' };

describe.each(ROUTES)('%s', (_address, operation, route) => {
  const [inPath, inQuery] = [namesIn(operation, 'path'), namesIn(operation, 'query')];

  it('400: every parameter that is too long or contains a control character is named', async () => {
    const names = [...inPath, ...inQuery];
    if (names.length === 0) return;
    for (const value of ['%00', 'x'.repeat(150), '%20'.repeat(400)]) {
      const given = value === '%00' ? value : OVERLONG;
      // The parameters are tested a few at a time, because a URL that is too long is rejected as a whole.
      for (let from = 0; from === 0 || from < inQuery.length; from += 3) {
        const some = inQuery.slice(from, from + 3);
        const wrong = some.map((name) => `${name}=${given}`).join('&');
        const query = `${wrong}&${neededBy(operation, some)}`;
        const { fields, ...answer } = await send(operation, route, { value, query });
        expect(answer).toEqual(REFUSED);
        // The router accepts no such path segment, so the call is rejected as a whole.
        if (fields?.[0] !== 'path') expect(new Set(fields)).toEqual(new Set([...inPath, ...some]));
      }
    }
  });

  it('400: invalid UTF-8 and incomplete encodings are rejected', async () => {
    for (const value of ['%ff', '%e']) {
      const wrong = inQuery.map((name) => `${name}=${value}`);
      const query = [...wrong, `${value}=1`].join('&');
      const { fields, ...answer } = await send(operation, route, { query });
      expect(answer).toEqual(REFUSED);
      expect(new Set(fields)).toEqual(new Set([...inQuery, 'query']));
      if (inPath.length > 0) expect(await send(operation, route, { value })).toMatchObject(REFUSED);
    }
  });

  it('400: repeated and unknown parameters are named, and a key sent in place of a name is not echoed', async () => {
    const twice = inQuery.flatMap((name) => [`${name}=1`, `${name}=1`]);
    const query = [...twice, 'colour=red', 'dds_live_x=1'].join('&');
    const { fields, ...answer } = await send(operation, route, { query });
    expect(answer).toEqual(REFUSED);
    expect(fields).toEqual(expect.arrayContaining([...inQuery, 'colour', 'query']));
  });

  it('400: a body that does not match the row, or is not expected, is rejected', async () => {
    if (operation.method === 'GET') return;
    if (operation.body === undefined) {
      const answer = await send(operation, route, { body: '{"a":1}' });
      expect(answer).toMatchObject({ status: 400, code: 'unexpected_body' });
      return;
    }
    const { example, limitBytes } = operation.body;
    const [[member]] = Object.entries(example);
    const bodies = ['{', '[]', 'null', '"text"', '{"colour":1}', `{"${member}":{"a":"\xff"}}`];
    bodies.push(`{"${member}":[["${OVERLONG}"]]}`, '['.repeat(4_000).slice(0, limitBytes));
    for (const body of bodies) {
      const { fields, ...answer } = await send(operation, route, { body });
      expect([body, answer]).toEqual([body, REFUSED]);
      expect(fields).not.toEqual([]);
    }
    const large = `{"${member}":"${'x'.repeat(limitBytes)}"}`;
    const answer = await send(operation, route, { body: large });
    expect(answer).toMatchObject({ status: 413, code: 'payload_too_large' });
  });
});

it('no service received any of these calls, but the example of each row is forwarded', async () => {
  expect(under.arrived.map(({ line }) => line)).toEqual([]);
  for (const [address, operation, route] of ROUTES) {
    const { status } = await send(operation, route, { query: neededBy(operation) });
    expect([address, status]).toEqual([address, 200]);
  }
  const joined = ROUTES.flatMap(([, { parts = [] }]) => parts);
  expect(under.arrived).toHaveLength(ROUTES.length + joined.length);
});
