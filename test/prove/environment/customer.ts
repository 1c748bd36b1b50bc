import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#libs/platform';
import { pressButton } from '../../billing/hosted-page.js';
import {
  type Answer,
  type Origins,
  Customer as Visitor,
  answerOf,
} from '../../stories/customer.js';
import type { AccountBook } from './account-book.js';
import { eventually, holds } from './patience.js';

const RETRY_MS = 1_000;

let names = 0;

/** Thrown if no answer arrived in time. The request may nevertheless have taken effect. */
export class NoAnswer extends Error {}

/** The time limit of a request. It is longer than a gateway waits for lookup. */
const TIMEOUT_MS = 25_000;

/** Sends a request on a new connection, because a server may close an idle one. @throws NoAnswer. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { ...init.headers, connection: 'close' };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await answerOf(await fetch(url, { ...init, headers, signal }));
  } catch (error) {
    const { cause, name } = error as Error & { cause?: NodeJS.ErrnoException };
    throw new NoAnswer(cause?.code ?? name, { cause: error });
  }
}

/**
 * A customer who repeats unanswered requests, as people and programs do, and recovers in the usual ways: by logging in,
 * checking the result, and trying again.
 */
export class Customer extends Visitor {
  constructor(
    origins: Origins,
    private readonly book: AccountBook,
    number: number,
  ) {
    // Attempts are limited by network, so each customer has a different network.
    const network = `198.18.${number >> 8}.${number & 255}`;
    super(origins, `ada@customer-${number}.example`, 'Ada', network);
  }

  /** Repeats the request until it is answered with neither 429 nor 5xx. */
  override async call(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const key: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': newId() };
    return eventually(`an answer to ${method} ${path}`, async () => {
      const found = await super.call(method, path, body, { ...key, ...headers });
      return found.status < 500 && found.status !== 429 && found;
    });
  }

  override async join(): Promise<void> {
    await super.join().catch(async () => {
      // The link was used, but the answer was lost: the account exists, but the customer has never seen the key.
      await this.state();
      await this.replaceKey();
    });
    this.book.joined(this.accountId);
  }

  /** Logs in. @returns the state of the account. */
  async state(): Promise<'active' | 'deleted'> {
    const { status, body } = await this.logIn();
    holds(status === 200, `a log-in was answered ${status} ${body?.code}`);
    this.accountId = body.account_id;
    return body.account_state;
  }

  /** Deletes the account; resolves once the deletion is confirmed. */
  async leave(): Promise<void> {
    await this.state();
    const { password } = this;
    await this.until('deleted', '/api/account/delete', { password });
  }

  async leaveAndReturn(): Promise<void> {
    await this.leave();
    await this.until('active', '/api/account/restore', {});
    await this.replaceKey();
  }

  /** Repeats lookups of new names until one is answered. */
  async lookUpAny(apiUrl?: string): Promise<void> {
    await eventually('an answered lookup', async () => {
      const answer = await this.lookUpOnce(apiUrl);
      // Ten requests a second would use up a trial's limit before a service answers again.
      if (answer.status !== 200) await sleep(RETRY_MS);
      return answer.status === 200;
    });
  }

  /** Makes one lookup, and records it in the account book. @throws NoAnswer. */
  async lookUpOnce(apiUrl = this.origins.apiUrl): Promise<Answer> {
    // The name must be new, because a repeated lookup within 60 s would be free.
    const name = `prove-${process.pid}-${++names}.com`;
    const url = `${apiUrl}/v2.0/whois/live?format=json&domainName=${name}&apiKey=${this.key}`;
    try {
      const answer = await ask(url);
      if (answer.status === 200) {
        this.book.answered(this.accountId, Number(answer.headers.get('x-credits-cost') ?? 0));
      }
      return answer;
    } catch (error) {
      this.book.of(this.accountId).inDoubt++;
      throw error;
    }
  }

  /** Orders a package and pays for it on the processor's page. @returns the order's id, once it is paid. */
  async buy(credits: number): Promise<string> {
    const wish = { product: 'package', credits, processor: 'stripe' };
    const { status, body: order } = await this.call('POST', '/api/orders', wish);
    holds(status === 201, `an order was answered ${status} ${order?.code}`);
    await eventually('the processor’s page', async () => {
      await pressButton(order.redirect_url, 'pay');
      return true;
    });
    await eventually('the order to be paid', async () => {
      const { body } = await this.call('GET', `/api/orders/${order.id}`);
      return body.state === 'paid';
    });
    return order.id;
  }

  /** Repeats a command, whose answer may be lost, until a log-in shows that it took effect. */
  private async until(wanted: 'active' | 'deleted', path: string, body: object): Promise<void> {
    await eventually(`the account to be ${wanted}`, async () => {
      await super.call('POST', path, body).catch(() => {});
      return (await this.state()) === wanted;
    });
    this.book.of(this.accountId).state = wanted;
  }

  /** Replaces the key until the value of a new key has arrived, because a lost answer cannot be requested again. */
  private async replaceKey(): Promise<void> {
    this.key = await eventually('a key', async () => {
      const { body: listed } = await this.call('GET', '/api/keys');
      const all = listed.keys as { id: string; environment: string; state: string }[];
      const keys = all.filter(({ environment }) => environment === 'live');
      const active = keys.find(({ state }) => state === 'active');
      const chosen = active ?? keys[0];
      const path = `/api/keys/${chosen.id}/${active ? 'rotate' : 'reissue'}`;
      const body = active ? { overlap: 'now' } : {};
      const { body: answer } = await super.call('POST', path, body, {
        'idempotency-key': newId(),
      });
      return answer.key as string | undefined;
    });
  }
}
