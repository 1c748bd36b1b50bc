import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  OPERATIONS,
  type Operation,
  type OperationExample,
  type OperationRoute,
  type PublicListener,
  listenerOf,
  openApi,
} from '#libs/contracts';

const run = promisify(execFile);
const LISTENERS = ['api', 'dashboard'] as const;
const GENERATOR = resolve('node_modules/openapi-typescript/bin/cli.js');
const COMPILER = resolve('node_modules/typescript-7/bin/tsc');
const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

/** The first lines of a program that uses the client, as docs/api.md describes them. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './types.js';
type Json = 'application/json' | 'application/problem+json';
const client = createClient<paths, Json>({
  baseUrl: 'https://a.test',
  querySerializer: { array: { style: 'form', explode: false } },
});
`;

describe('a client generated from the OpenAPI description', () => {
  const folder = resolve('dist/tmp/generated-client');

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const listener of LISTENERS) {
      mkdirSync(join(folder, listener), { recursive: true });
      const [from, to] = ['openapi.json', 'types.ts'].map((name) => join(folder, listener, name));
      const described = { title: 'A', version: '1', origin: 'https://a.test', listener };
      writeFileSync(from, JSON.stringify(openApi(OPERATIONS, described)));
      await run(process.execPath, [GENERATOR, from, '--output', to]);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** @returns the compiler's messages about the calls. */
  async function compiled(listener: PublicListener, calls: string): Promise<string> {
    const own = join(folder, listener);
    writeFileSync(join(own, 'calls.ts'), CLIENT + calls);
    writeFileSync(join(own, 'tsconfig.json'), JSON.stringify(OPTIONS));
    try {
      await run(process.execPath, [COMPILER, '--pretty', 'false', '-p', own]);
      return '';
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  it.each(LISTENERS)(
    'compiles with calls for every example of the %s, including those at old paths, and with the use of their answers',
    async (listener) => {
      const rows = OPERATIONS.filter(
        (row) => listenerOf(row) === listener && row.access.kind !== 'signed',
      );
      const calls = rows.flatMap((row) =>
        row.routes.flatMap((route) => row.examples.map((example) => callOf(row, route, example))),
      );
      expect(calls.length).toBeGreaterThanOrEqual(20);
      expect(await compiled(listener, calls.join('\n'))).toBe('');
    },
  );

  it('has separate types for the JSON answer and the stream, and for refused and answered items', async () => {
    const calls = `
      const asked = { body: { domainNames: ['registered.test'] } };
      const { data, error } = await client.POST('/v2.0/bulkwhois/live', asked);
      for (const item of data?.bulk_whois_response ?? []) {
        if (item.status) {
          const created: string | undefined = item.dates?.created;
          // @ts-expect-error -- an answered item was not refused
          item.code;
        } else {
          const refused: [number, string, string] = [item.status_code, item.code, item.message];
          // @ts-expect-error -- a refused item has no dates
          item.dates;
        }
      }
      const cost: number | undefined = data?.meta.credits_charged;
      const code: string | undefined = error?.code;
      const lines = await client.POST('/v2.0/bulkwhois/live', { ...asked, parseAs: 'stream' });
      const stream: ReadableStream<Uint8Array> | null | undefined = lines.data;
    `;
    expect(await compiled('api', calls)).toBe('');
  });

  it('does not compile with a wrong type, an unlisted word, a string instead of a list, or a missing argument', async () => {
    const wrong = [
      `{ domainName: 'a.test', max_age: 'a day' }`,
      `{ domainName: 'a.test', include: ['all'] }`,
      `{ domainName: 'a.test', include: 'raw' }`,
      `{ fresh: true }`,
    ];
    const calls = wrong.map(
      (query) => `
      // @ts-expect-error -- is refused
      await client.GET('/v2.0/whois/live', { params: { query: ${query} } });`,
    );
    expect(await compiled('api', calls.join('\n'))).toBe('');
  });
});

let calls = 0;

function callOf(row: Operation, route: OperationRoute, example: OperationExample): string {
  const given = JSON.stringify(givenOf(row, route, example));
  const { type } = row.answers[0];
  const call = `client.${row.method}(${JSON.stringify(route.path)}, ${given})`;
  // Answers of version 1 have their own class or lack the members of version 2.
  const isAnswered = type === 'application/json' && route === row.routes[0];
  if (!isAnswered) return `await ${call};`;
  const name = `call${++calls}`;
  const meta =
    row.price.per === 'free'
      ? ''
      : ', meta: { request_id: "", credits_charged: 0, price_version: "" }';
  return `const ${name} = await ${call};
    const ${name}Answer: NonNullable<typeof ${name}.data> = { ...(${JSON.stringify(example.answer)} as const)${meta} };`;
}

function givenOf(row: Operation, route: OperationRoute, { parameters, body }: OperationExample) {
  const params: Record<'path' | 'query' | 'header', Record<string, unknown>> = {
    path: {},
    query: {},
    header: {},
  };
  if (route.when) params.query[route.when.parameter] = route.when.value;
  for (const [name, text] of Object.entries(parameters)) {
    const { kind, in: place = 'query', since = 1 } = row.parameters[name];
    if (since <= route.version) params[place][name] = typed(kind.schema.type, text);
  }
  const isRead = row.method === 'GET' || row.method === 'HEAD';
  if (listenerOf(row) === 'dashboard' && !isRead) params.header['X-CSRF-Token'] = 't';
  if (row.takesIdempotencyKey) params.header['Idempotency-Key'] = 'k';
  if (row.upload?.tus) params.header['Tus-Resumable'] = '1.0.0';
  if (row.method === 'PATCH' && row.upload?.tus) params.header['Upload-Offset'] = '0';
  const used = Object.entries(params).filter(([, values]) => Object.keys(values).length > 0);
  return {
    params: Object.fromEntries(used),
    ...(row.body && { body: body ?? row.body.example }),
    ...(row.upload?.types.length && { body: 'bytes' }),
  };
}

function typed(type: unknown, text: string): unknown {
  if (type === 'array') return text.split(',');
  return type === 'integer' || type === 'boolean' ? JSON.parse(text) : text;
}
