import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  KEY_CREATE,
  LOG_IN,
  OPERATIONS,
  PRICING_QUOTE,
  type PublicListener,
  WHOIS_LIVE,
  listenerOf,
  openApi,
} from '#libs/contracts';

interface Described {
  operationId: string;
  parameters: {
    name: string;
    in: string;
    required: boolean;
    schema: { type?: string };
    example?: unknown;
  }[];
  security: object[];
  requestBody?: { content: Record<string, { schema: object; example: unknown }> };
  responses: Record<string, { content?: Record<string, DescribedAnswer> }>;
  'x-codeSamples'?: { source: string }[];
}

interface DescribedAnswer {
  schema: { allOf: object[] };
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}

interface Description {
  paths: Record<string, Record<string, Described>>;
  info: { description?: string };
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, object>; examples: Record<string, { value: unknown }> };
}

const described = (listener: PublicListener) =>
  openApi(OPERATIONS, {
    title: 'A',
    version: '1',
    origin: 'https://a.test',
    listener,
  }) as Description;

describe.each(['api', 'dashboard'] as const)('the description of the %s', (listener) => {
  const document = described(listener);

  it('is valid OpenAPI 3.1', async () => {
    const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
    const { valid, errors } = await new Validator().validate(plain);
    expect([valid, errors]).toEqual([true, undefined]);
    const broken = { ...plain, paths: { '/a': { get: { responses: 5 } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has each row that is asked there, with its body and status, and no other', () => {
    const rows = OPERATIONS.filter(
      (row) => listenerOf(row) === listener && row.access.kind !== 'signed',
    );
    const addresses = rows.flatMap(({ method, routes }) =>
      routes.map(({ path }) => `${method} ${path}`),
    );
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(new Set(documented)).toEqual(new Set(addresses));
    for (const { method, routes, body, answers } of rows) {
      const { requestBody, responses } = document.paths[routes[0].path][method.toLowerCase()];
      expect([routes[0].path, requestBody !== undefined]).toEqual([
        routes[0].path,
        body !== undefined,
      ]);
      const [form] = answers;
      const status = form.type === 'redirect' ? 302 : 200;
      const own = form.type === 'application/json' ? form.status : undefined;
      expect(responses).toHaveProperty(String(own ?? status));
    }
  });

  it('every operation has an example of its request and of each answer, and all are what their schemas say', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: 'described' });
    const faultsOf = (schema: object, value: unknown) => {
      const absolute = JSON.stringify(schema).replaceAll('"#/', '"described#/');
      const judge = ajv.compile(JSON.parse(absolute) as object);
      return judge(value) ? [] : judge.errors;
    };
    for (const { at, operation } of operationsOf(document)) {
      const { parameters, requestBody } = operation;
      for (const { name, schema, example } of parameters.filter((one) => 'example' in one)) {
        expect([at, name, faultsOf(schema, example)]).toEqual([at, name, []]);
      }
      const body = requestBody?.content['application/json'];
      if (body) expect([at, faultsOf(body.schema, body.example)]).toEqual([at, []]);
    }
    const answers = operationsOf(document).flatMap(answersOf);
    for (const { at, schema, values } of answers) {
      expect([at, values.length > 0]).toEqual([at, true]);
      for (const value of values) expect([at, faultsOf(schema, value)]).toEqual([at, []]);
    }
    expect(answers.length).toBeGreaterThan(100);
  });

  it('examples of parameters are an example call: the required ones, and one of those that exclude each other', () => {
    const filledIn = new Map([
      ['get /v2.0/dns/live', ['domainName']],
      ['get /v2.0/whois/live', ['domainName']],
      ['get /v1.0/whois', ['domainName', 'whois']],
    ]);
    for (const { at, operation } of operationsOf(document).filter((one) => filledIn.has(one.at))) {
      const names = operation.parameters.filter((one) => 'example' in one).map(({ name }) => name);
      expect([at, names]).toEqual([at, filledIn.get(at)]);
    }
  });

  const operationsOf = ({ paths }: Description) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        at: `${method} ${path}`,
        operation,
      })),
    );

  const answersOf = ({ at, operation }: { at: string; operation: Described }) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([type]) => type.endsWith('json'))
        .map(([, { schema, examples = {} }]) => ({
          at: `${at} ${status}`,
          schema,
          values: Object.values(examples).map(valueOf),
        })),
    );

  const valueOf = (example: { value?: unknown; $ref?: string }) =>
    example.$ref === undefined
      ? example.value
      : document.components.examples[example.$ref.split('/').at(-1)!].value;

  it('every reference leads to a schema, and no operation id is given twice', () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(document.components.schemas).toHaveProperty(name);
    }
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the description of the API', () => {
  const document = described('api');

  it('begins with what a newcomer must know, every fixture included, and links to pages of errors', () => {
    const { description = '' } = document.info;
    for (const title of [
      'Authentication',
      'Credits and prices',
      'Rate limits',
      'Errors',
      'Paging',
    ]) {
      expect(description).toContain(`### ${title}\n`);
    }
    const fixtures = OPERATIONS.flatMap((row) => row.fixtures ?? []);
    for (const { value, answers } of fixtures)
      expect(description).toContain(`\`${value}\` | ${answers}`);
    for (const [, code] of description.matchAll(/https:\/\/a\.test\/errors\/(\w+)/g)) {
      expect([code, existsSync(`docs/errors/${code}.md`)]).toEqual([code, true]);
    }
    expect(document.tags.filter((tag) => tag.description === undefined)).toEqual([]);
  });

  it('every operation has a line for the shell, with the key in a header and its body', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { security, requestBody, ...rest }] of Object.entries(methods)) {
        const [{ source }] = rest['x-codeSamples']!;
        expect(source).toContain(`'https://a.test${path.replace('/{tld}', '/')}`);
        expect([path, method, source.includes('X-API-Key')]).toEqual([
          path,
          method,
          security.length > 0,
        ]);
        expect([path, method, source.includes(' -d ')]).toEqual([
          path,
          method,
          requestBody !== undefined,
        ]);
      }
    }
  });

  it('has every path, every parameter of its version, and a type for every error', () => {
    const { parameters, responses } = document.paths['/v2.0/whois/live'].get;
    expect(parameters.map(({ name }) => name)).toEqual(Object.keys(WHOIS_LIVE.parameters));
    for (const status of ['400', '401', '402', '403', '422', '429', '503', '504']) {
      const schema = responses[status].content!['application/problem+json'].schema;
      expect(JSON.stringify(schema.allOf[1])).toContain('"enum":[');
    }
    const first = document.paths['/v1.0/whois'].get;
    expect(first.parameters.map(({ name }) => name)).toEqual(['domainName', 'whois', 'format']);
    const quote = document.paths[PRICING_QUOTE.routes[0].path].get;
    expect(Object.keys(quote.responses)).not.toContain('401');
  });
});

describe('the description of the dashboard', () => {
  const { paths } = described('dashboard');

  it('S29: says which calls need the token, and S35: which a recent password', () => {
    const { security, parameters, responses } = paths[KEY_CREATE.routes[0].path].post;
    expect(security).toEqual([{ session: [] }]);
    expect(parameters.map(({ name }) => name)).toEqual(['x-csrf-token', 'idempotency-key']);
    expect(JSON.stringify(responses['403'])).toContain('reauthentication_required');
    const list = paths[KEY_CREATE.routes[0].path].get;
    expect(list.parameters.map(({ name }) => name)).toEqual(['cursor']);
    expect(paths[LOG_IN.routes[0].path].post.security).toEqual([]);
  });
});
