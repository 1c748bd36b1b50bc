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
  parameters: { name: string; in: string; required: boolean }[];
  security: object[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, { schema: { allOf: object[] } }> }>;
}

interface Description {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object> };
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

  it('every example of a body and of an answer is what its schema says', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: 'described' });
    const faultsOf = (type: { name: string }, value: object) => {
      const judge = ajv.compile({ $ref: `described#/components/schemas/${type.name}` });
      return judge(value) ? [] : judge.errors;
    };
    for (const { name, routes, body, answers, examples, access } of OPERATIONS) {
      const isHere = routes.some(({ path }) => path in document.paths) && access.kind !== 'signed';
      if (!isHere) continue;
      if (body) expect([name, faultsOf(body.of, body.example)]).toEqual([name, []]);
      const [form] = answers;
      if (form.type !== 'application/json') continue;
      for (const { answer, title } of examples) {
        expect([name, title, faultsOf(form.of, answer)]).toEqual([name, title, []]);
      }
    }
  });

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
