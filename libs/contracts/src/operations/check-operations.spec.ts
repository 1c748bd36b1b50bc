import { describe, expect, it } from '@jest/globals';
import { readFileSync, globSync } from 'node:fs';
import { getMetadataStorage } from 'class-validator';
import {
  OPERATIONS,
  type Operation,
  PROBLEM_STATUS,
  type ProblemCode,
  SCOPES,
  WHOIS_LIVE,
  checkOperations,
  isRetryable,
  text,
} from '#libs/contracts';
import { faultsOf } from '#libs/platform';

const faulty = (members: object): Operation =>
  ({ ...WHOIS_LIVE, ...members, name: 'faulty' }) as Operation;

describe('the table of operations', () => {
  it('the table is consistent', () => {
    expect(() => checkOperations(OPERATIONS)).not.toThrow();
  });

  it('each scope that a key may have has an operation', () => {
    const used = OPERATIONS.flatMap(({ access }) => (access.kind === 'key' ? [access.scope] : []));
    expect(SCOPES.filter((scope) => !used.includes(scope))).toEqual([]);
  });

  it('S130: test keys can store nothing at the worker: no upload, job, monitor, webhook or file', () => {
    const rows = OPERATIONS.filter(({ owner }) => owner?.service === 'worker');
    const byKey = rows.flatMap(({ name, access }) =>
      access.kind === 'key' ? [{ name, isForLiveKeys: access.isForLiveKeys }] : [],
    );
    const scopes = rows.flatMap(({ access }) => (access.kind === 'key' ? [access.scope] : []));
    expect([...new Set(scopes)].toSorted()).toEqual(['files', 'jobs', 'monitors', 'webhooks']);
    expect(byKey.filter(({ isForLiveKeys }) => isForLiveKeys !== true)).toEqual([]);
  });

  it('S35: these calls require a recent log-in or password, whatever a page asks for', () => {
    const needing = OPERATIONS.filter(
      ({ access }) => access.kind === 'session' && access.needsReauthentication === true,
    );
    // A deletion is not listed, because it may contain the password; a new password requires the current one.
    expect(needing.map(({ name }) => name).toSorted()).toEqual([
      'account.export',
      'address.change',
      'identity.connect',
      'identity.remove',
      'keys.create',
      'keys.reissue',
      'keys.rotate',
      'keys.update',
      'passkey.add',
      'passkey.begin',
      'passkey.remove',
      'passkey.rename',
      'second-factor.begin',
      'second-factor.confirm',
      'second-factor.recovery-codes',
      'second-factor.remove',
      'subscriptions.payment_details',
    ]);
  });

  it('a payer can limit the price of every paid operation, choose the members and freshness of a lookup, and choose the mode of a search', () => {
    const lookups = OPERATIONS.filter(({ price }) => price.per !== 'free');
    expect(lookups.length).toBeGreaterThan(0);
    for (const { name, parameters, paged } of lookups) {
      const wanted = paged ? ['max_credits', 'mode'] : ['max_credits', 'fields', 'fresh'];
      const missing = wanted.filter((one) => !(one in parameters));
      expect([name, missing]).toEqual([name, []]);
    }
  });

  it('S90: null is rejected, except for members that a customer can clear with it', () => {
    const accepting = OPERATIONS.flatMap(({ body }) => {
      const example = body?.example as Record<string, unknown> | undefined;
      if (!body || !example) return [];
      const members = getMetadataStorage()
        .getTargetValidationMetadatas(body.of, '', false, false)
        .map(({ propertyName }) => propertyName);
      return [...new Set(members)]
        .filter((name) => faultsOf(body.of, { ...example, [name]: null }).length === 0)
        .map((name) => `${body.of.name}.${name}`);
    });
    expect([...new Set(accepting)].toSorted()).toEqual([
      'CreateKeyRequest.daily_credit_cap',
      'CreateKeyRequest.expires_at',
      'ReissueKeyRequest.expires_at',
      'RotateKeyRequest.expires_at',
      'UpdateKeyRequest.daily_credit_cap',
      'UpdateKeyRequest.expires_at',
    ]);
  });

  it('S91: no body accepts a role, credits, a plan or an account', () => {
    const names = ['role', 'credits', 'plan', 'planId', 'plan_id', 'accountId', 'account_id'];
    const accepted = OPERATIONS.flatMap(({ name, body }) => {
      if (!body) return [];
      const assigned = (member: string) =>
        faultsOf(body.of, { ...body.example, [member]: '1' }).every(
          ({ field }) => field !== member,
        );
      return names.filter(assigned).map((member) => `${name}: ${member}`);
    });
    expect(accepted).toEqual([]);
  });

  const [v2] = WHOIS_LIVE.routes;
  it.each([
    ['two equal paths', [WHOIS_LIVE, faulty({ routes: [v2] })], 'GET /v2.0/whois/live'],
    ['a missing price', [faulty({ price: undefined })], 'has no price'],
    ['half a credit', [faulty({ price: { per: 'answer', credits: 0.5 } })], 'whole number'],
    [
      'a value without a price',
      [
        faulty({
          price: { per: 'answer', credits: { parameter: 'include', by: { raw: 1 } } },
          parameters: {
            ...WHOIS_LIVE.parameters,
            include: {
              ...WHOIS_LIVE.parameters.whois,
              kind: { ...WHOIS_LIVE.parameters.whois.kind, schema: { enum: ['raw', 'rdap'] } },
            },
          },
        }),
      ],
      'include=rdap has no price',
    ],
    [
      'a fixture that is unknown to its subject',
      [faulty({ fixtures: [{ value: 'free.test', answers: 'nothing' }] })],
      'free.test is not a fixture',
    ],
    ['no fixture for a priced operation', [faulty({ fixtures: undefined })], 'test key'],
    [
      'an answer that its own schema refuses',
      [faulty({ examples: [{ ...WHOIS_LIVE.examples[0], answer: { status: 'maybe' } }] })],
      '"A registered name" is refused: status',
    ],
    [
      'an example with parameters that are refused',
      [faulty({ examples: [{ ...WHOIS_LIVE.examples[0], parameters: { colour: 'red' } }] })],
      'refused: colour',
    ],
    ['no example', [faulty({ examples: [] })], 'has no example'],
    [
      'a secret that its answer does not have',
      [faulty({ secretMember: 'secret' })],
      'has no secret in its answer',
    ],
    [
      'a path parameter that is not declared',
      [faulty({ routes: [{ path: '/v2.0/{name}', version: 2 }] })],
      'parameters that differ',
    ],
    [
      'templates that differ in nothing but a name',
      ['a', 'b'].map((name) =>
        faulty({
          parameters: { [name]: { kind: text(9), about: 'x', example: 'x', in: 'path' } },
          routes: [{ path: `/v2.0/{${name}}`, version: 2 }],
        }),
      ),
      'GET /v2.0/{}',
    ],
  ])('the table is rejected because of %s', (_what, rows, fault) => {
    expect(() => checkOperations(rows as Operation[])).toThrow(fault as string);
  });

  it("each code has its problem's status and gives the same advice about a retry", () => {
    const declared = new Map<string, [number, boolean]>();
    for (const path of globSync('{apps,libs}/**/src/**/*.errors.ts')) {
      const source = readFileSync(path, 'utf8');
      const problems = source.matchAll(/code: '(\w+)',\s+status: (\d+)(.*?)\n *\}/gs);
      for (const [, code, digits, rest] of problems) {
        const status = Number(digits);
        const said = /\bretryable: (true|false)/.exec(rest)?.[1];
        declared.set(code, [status, said ? said === 'true' : [429, 503, 504].includes(status)]);
      }
    }
    for (const code of Object.keys(PROBLEM_STATUS) as ProblemCode[]) {
      expect([code, declared.get(code)]).toEqual([code, [PROBLEM_STATUS[code], isRetryable(code)]]);
    }
  });
});
