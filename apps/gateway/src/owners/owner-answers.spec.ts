import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IsBoolean } from 'class-validator';
import { type Operation, PROBLEM_STATUS, type ProblemCode, defineOperation } from '#libs/contracts';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';
import { LookupStandIn, problemAnswer } from '../../../../test/stand-ins/lookup-stand-in.js';

class Answer {
  @IsBoolean()
  status: boolean;
}

function rowOf(name: string, members: Partial<Operation> = {}): Operation {
  return {
    ...defineOperation({
      name: `archive.${name}`,
      summary: 'Something',
      method: 'GET',
      routes: [{ path: `/v2.0/archive/${name}`, version: 2 }],
      access: { kind: 'key', scope: 'whois', class: 'account' },
      owner: { service: 'corpus', path: '/internal/archive' },
      parameters: {},
      answers: [{ type: 'application/json', of: Answer }],
      price: { per: 'free' },
      problems: [],
      examples: [{ title: 'One', parameters: {}, answer: { status: true } }],
    }),
    ...members,
  };
}

const ROWS = [
  rowOf('plain'),
  rowOf('away', { owner: { service: 'worker', path: '/internal/archive' } }),
  rowOf('away-file', {
    owner: { service: 'worker', path: '/internal/archive' },
    answers: [{ type: 'file', mediaTypes: ['application/gzip'] }],
  }),
  rowOf('begun', { answers: [{ type: 'application/json', of: Answer, status: 202 }] }),
  rowOf('impatient', { limits: { timeoutMs: 300 } }),
  rowOf('brief', { limits: { answerBytes: 1024 * 1024 } }),
];

const owner = new LookupStandIn();
let under: GatewayUnderTest;

beforeAll(async () => {
  await owner.start();
  const settings = { CORPUS_URL: owner.url, BILLING_INTERNAL_URL: 'http://127.0.0.1:1' };
  under = await GatewayUnderTest.start(settings, ROWS);
});
afterAll(async () => {
  await under?.stop();
  await owner.stop();
});

const ask = async (name: string) => {
  const { apiKey } = under.around.account.addKey();
  return under.ask(`/v2.0/archive/${name}`, { 'x-api-key': apiKey });
};

describe('an operation whose owner has an address', () => {
  it('the owner answers the operation, and readiness reports an owner that fails', async () => {
    owner.answer = () => ({ status: 200, headers: {}, body: '{"status":true}' });
    expect((await ask('plain')).json).toEqual({ status: true });
    const { path, headers } = owner.questions.at(-1)!;
    expect(path).toBe('/internal/archive?version=2');
    expect(headers).not.toHaveProperty('x-client-address');
    const away = await under.around.startGateway({ CORPUS_URL: 'http://127.0.0.1:1' });
    const ready = await fetch(`${away.url}/ready`);
    expect(await ready.json()).toMatchObject({ faults: expect.arrayContaining(['corpus']) });
  });

  it('202: an operation whose work has only begun answers as its row specifies', async () => {
    owner.answer = () => ({ status: 202, headers: {}, body: '{"status":true}' });
    const begun = await ask('begun');
    expect([begun.status, begun.json]).toEqual([202, { status: true }]);
    expectProblem(await ask('plain'), 503, 'service_unavailable');
  });

  it("the owner's rejection is passed on if its code is public", async () => {
    const codes: ProblemCode[] = [
      'insufficient_credits',
      'scope_denied',
      'not_found',
      'debt_open',
      'link_invalid',
      'answer_too_large',
      'bogon_address',
    ];
    for (const code of codes) {
      const status = PROBLEM_STATUS[code];
      owner.answer = () => problemAnswer(status, code, 'failed');
      expectProblem(await ask('plain'), status, code);
    }
  });

  it('402: a rejection states the missing credits and the page that sells them', async () => {
    const refusal = { code: 'insufficient_credits', status: 402, detail: 'Too few.' };
    owner.answer = () => ({
      ...problemAnswer(402, 'insufficient_credits', 'failed'),
      body: JSON.stringify({ ...refusal, price: 30, shortfall: 10 }),
    });
    expect((await ask('plain')).json).toMatchObject({
      ...refusal,
      price: 30,
      shortfall: 10,
      credits_url: 'https://billing.example.test/credits',
    });
  });

  it('S99: 429 from an owner counts like any rejection, and states the wait', async () => {
    owner.answer = () => ({
      ...problemAnswer(429, 'too_many_tests', 'failed'),
      body: JSON.stringify({ code: 'too_many_tests', status: 429, detail: 'No.', retry_after: 90 }),
    });
    const { apiKey } = under.around.account.addKey();
    const [first, second] = [
      await under.ask('/v2.0/archive/plain', { 'x-api-key': apiKey }),
      await under.ask('/v2.0/archive/plain', { 'x-api-key': apiKey }),
    ];
    expectProblem(first, 429, 'too_many_tests');
    expect(first.headers['retry-after']).toBe('90');
    const left = [first, second].map(({ headers }) =>
      Number(headers['x-ratelimit-remaining-requests']),
    );
    expect(left[0] - left[1]).toBe(1);
  });

  it('402: a rejection because of a cap, which no purchase can raise, has no link to the page that sells credits', async () => {
    owner.answer = () => problemAnswer(402, 'price_above_max', 'failed');
    const { status, json } = await ask('plain');
    expect([status, json.code]).toEqual([402, 'price_above_max']);
    expect(json).not.toHaveProperty('credits_url');
  });

  it('any other code from the owner is treated as an outage', async () => {
    for (const [status, code] of [
      [403, 'caller_not_allowed'],
      [401, 'invalid_api_key'],
      [418, 'not_found'],
      [500, 'internal_error'],
    ] as const) {
      owner.answer = () => problemAnswer(status, code, 'failed');
      expectProblem(await ask('plain'), 503, 'service_unavailable');
    }
  });

  it('503: the operation is unavailable while its owner is down', async () => {
    expectProblem(await ask('away'), 503, 'service_unavailable');
    expectProblem(await ask('away-file'), 503, 'service_unavailable');
  });
});

describe('the limits in an operation’s row', () => {
  it('504: the owner must answer within the time limit', async () => {
    owner.answer = () => undefined;
    expectProblem(await ask('impatient'), 504, 'answer_timeout');
  });

  it('413: an answer may not exceed the size limit', async () => {
    const text = 'x'.repeat(1024 * 1024);
    owner.answer = () => ({ status: 200, headers: {}, body: JSON.stringify({ text }) });
    const refused = await ask('brief');
    expectProblem(refused, 413, 'answer_too_large');
    expect(refused.json.detail).toContain('1 MiB');
    expect((await ask('plain')).status).toBe(200);
  });
});
