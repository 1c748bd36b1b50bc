import { expect } from '@jest/globals';
import { request } from 'undici';
import type { Operation } from '#libs/contracts';
import type { Clock } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { AccountStandIn } from '../stand-ins/account-stand-in.js';
import { GatewayHarness } from '../stand-ins/gateway-harness.js';
import { deliveredAnswer, nameIn } from '../stand-ins/lookup-stand-in.js';
import type { RunningGateway } from '../../apps/gateway/src/start.js';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The members of the answer; empty if the text is not a JSON object. */
  json: Record<string, unknown>;
}

export class GatewayUnderTest {
  private auditor?: ReturnType<TestDatabase['auditor']>;

  private constructor(
    readonly database: TestDatabase,
    readonly around: GatewayHarness,
    readonly gateway: RunningGateway,
  ) {}

  /** @param settings environment variables of the gateway. @param operations replaces the table of operations. */
  static async start(
    settings: Record<string, string> = {},
    operations?: readonly Operation[],
    clock?: Clock,
  ): Promise<GatewayUnderTest> {
    const database = await TestDatabase.create();
    const around = new GatewayHarness(database);
    around.operations = operations;
    await around.start();
    return new GatewayUnderTest(database, around, await around.startGateway(settings, clock));
  }

  async stop(): Promise<void> {
    await this.around.stop();
    await this.database.drop();
    // The variables of a spec's file are never freed, and would keep the whole gateway in memory.
    Reflect.deleteProperty(this, 'gateway');
  }

  /** Resets the stand-ins: lookup answers every request and has received none, and leases are granted. */
  forget(): void {
    this.around.lookup.answer = (asked) => deliveredAnswer(nameIn(asked));
    this.around.lookup.respond = undefined;
    this.around.lookup.questions.length = 0;
    this.around.entitlement.isElsewhere = false;
  }

  get url(): string {
    return this.gateway.apiUrl;
  }

  async ask(
    path: string,
    headers: Record<string, string> = {},
    method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' = 'GET',
  ): Promise<Answer> {
    const answered = await request(this.url + path, { method, headers });
    const text = await answered.body.text();
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: answered.statusCode, headers: answered.headers, text, json };
  }

  /** Returns a key that the account service does not know. */
  strangersKey(): string {
    return new AccountStandIn('another pepper').addKey().apiKey;
  }

  /** Waits until the request log has this many rows of an account. @returns the rows, oldest first. */
  async logRows(accountId: string, count: number): Promise<Record<string, unknown>[]> {
    const auditor = await (this.auditor ??= this.database.auditor('gateway'));
    return waitFor('the log rows', async () => {
      const rows = await auditor.query(
        'select * from request_log where account_id = $1 order by at, request_id',
        [accountId],
      );
      return rows.length === count ? rows : undefined;
    });
  }
}

/** Returns the path of a live lookup of API version 2. @param rest the rest of the query string. */
export const live = (apiKey: string, rest = '&domainName=example.com') =>
  `/v2.0/whois/live?format=json&apiKey=${apiKey}${rest}`;

/** Checks a refusal: its `status` and `code`, and the members and headers that every refusal has. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.json.code]).toEqual([status, code]);
  const retryable = [429, 503, 504].includes(status);
  expect(answer.json).toMatchObject({
    type: `https://api.example.test/errors/${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    retryable,
    credits_charged: 0,
    request_id: answer.headers['x-request-id'],
    timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
    error: answer.json.title,
    message: answer.json.detail,
    path: expect.stringMatching(/^\/[^?]*$/),
  });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/problem+json',
    'x-credits-cost': '0',
    'cache-control': 'private, no-store',
  });
  if (retryable) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
}
