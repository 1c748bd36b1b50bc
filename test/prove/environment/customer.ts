import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#libs/platform';
import { pressButton } from '../../billing/hosted-page.js';
import { Customer as Visitor, type Answer as Shown, type Origins } from '../../stories/customer.js';
import { Broken } from './broken.js';
import type { AccountBook } from './account-book.js';
import { type Answer, NoAnswer, ask } from './http.js';
import { eventually } from './patience.js';

interface ListedKey {
  id: string;
  environment: string;
  state: string;
}

const RETRY_MS = 1_000;

let names = 0;
/** A registered name that was not requested before, because a repeat within 60 s would be free. */
export const freshName = () => `prove-${process.pid}-${++names}.com`;

/**
 * A customer who repeats unanswered requests, as people and programs do, and recovers in the usual ways: by logging in,
 * looking at the result, and asking again.
 */
export class Customer {
  private readonly visitor: Visitor;
  readonly email: string;
  accountId = '';
  key = '';

  constructor(
    private readonly origins: Origins,
    private readonly book: AccountBook,
    number: number,
  ) {
    this.email = `ada@customer-${number}.example`;
    // Attempts are limited by network, so each customer has a different one.
    const network = `198.18.${number >> 8}.${number & 255}`;
    this.visitor = new Visitor(origins, this.email, 'Ada', network);
  }

  private get password(): string {
    return this.visitor.password;
  }

  /** Signs up, follows the link in the mail and gets the first key. */
  async join(): Promise<void> {
    await this.insist('POST', '/api/sign-up', [202], {
      first_name: 'Ada',
      email: this.email,
      password: this.password,
    });
    const token = await this.visitor.mailedToken('/sign-up/confirm');
    const confirmed = await this.insist(
      'POST',
      '/api/sign-up/confirm',
      [201, 400, 404, 409, 410, 422],
      { token, password: this.password },
    );
    if (confirmed.status === 201) {
      this.accountId = confirmed.body.account_id;
      this.key = confirmed.body.key;
    } else {
      // The link was used but its answer was lost: the account exists, but the key was never seen.
      await this.logIn();
      await this.replaceKey();
    }
    this.book.joined(this.accountId);
  }

  async logIn(): Promise<'active' | 'deleted'> {
    const { email, password } = this;
    const answer = await this.insist('POST', '/api/log-in', [200], { email, password });
    this.accountId = answer.body.account_id;
    return answer.body.account_state;
  }

  /** Deletes the account; resolves once the deletion is confirmed. */
  async leave(): Promise<void> {
    await this.logIn();
    await this.until('deleted', '/api/account/delete', { password: this.password });
  }

  /** Deletes the account and restores it. */
  async leaveAndReturn(): Promise<void> {
    await this.leave();
    await this.until('active', '/api/account/restore', {});
    await this.replaceKey();
  }

  /** Retries until a lookup is answered. */
  async lookUp(apiUrl = this.origins.apiUrl): Promise<void> {
    await eventually('an answered lookup', async () => {
      const answer = await this.lookUpOnce(freshName(), apiUrl);
      // Ten requests a second would use up a trial's limit before a service answers again.
      if (answer.status !== 200) await sleep(RETRY_MS);
      return answer.status === 200;
    });
  }

  /**
   * Makes one lookup and records it in the book.
   * @throws NoAnswer.
   */
  async lookUpOnce(name = freshName(), apiUrl = this.origins.apiUrl): Promise<Answer> {
    const url = `${apiUrl}/v2.0/whois/live?format=json&domainName=${name}&apiKey=${this.key}`;
    try {
      const answer = await ask({ method: 'GET', url });
      if (answer.status === 200) {
        this.book.answered(this.accountId, Number(answer.headers['x-credits-cost'] ?? 0));
      }
      return answer;
    } catch (error) {
      if (error instanceof NoAnswer) this.book.lost(this.accountId);
      throw error;
    }
  }

  /** Orders a package and pays for it on the processor's page. @returns the order's id, once it is paid. */
  async buy(credits: number): Promise<string> {
    const wish = { product: 'package', credits, processor: 'stripe' };
    const { body: order } = await this.insist('POST', '/api/orders', [201], wish);
    await eventually('the processor’s page', async () => {
      await pressButton(order.redirect_url, 'pay');
      return true;
    });
    await eventually('the order to be paid', async () => {
      const { body } = await this.insist('GET', `/api/orders/${order.id}`, [200]);
      return body.state === 'paid';
    });
    return order.id;
  }

  async spendable(): Promise<number> {
    const { body } = await this.insist('GET', '/api/balance', [200]);
    return body.spendable + body.reserved;
  }

  /** Sends a command whose answer may be lost; the state after a log-in decides whether it happened. */
  private async until(wanted: 'active' | 'deleted', path: string, body: object): Promise<void> {
    await eventually(`the account to be ${wanted}`, async () => {
      const answer = await this.visitor.call('POST', path, body).catch(() => undefined);
      if (answer?.status === 200) this.book.states.set(this.accountId, wanted);
      return (await this.logIn()) === wanted;
    });
    this.book.states.set(this.accountId, wanted);
  }

  /** Replaces the key until its value has arrived, because a lost answer cannot be requested again. */
  private async replaceKey(): Promise<void> {
    this.key = await eventually('a key', async () => {
      const { body: listed } = await this.insist('GET', '/api/keys', [200]);
      const keys = (listed.keys as ListedKey[]).filter(({ environment }) => environment === 'live');
      const active = keys.find(({ state }) => state === 'active');
      const chosen = active ?? keys[0];
      const path = `/api/keys/${chosen.id}/${active ? 'rotate' : 'reissue'}`;
      const headers = { 'idempotency-key': newId() };
      const body = active ? { overlap: 'now' } : {};
      const answer = await this.visitor.call('POST', path, body, headers);
      return answer.body.key as string | undefined;
    });
  }

  /** Repeats requests without an answer, or with one that says "later". @throws Broken for any other answer. */
  private async insist(
    method: string,
    path: string,
    wanted: number[],
    body?: object,
  ): Promise<Shown> {
    const headers = method === 'GET' ? undefined : { 'idempotency-key': newId() };
    const answer = await eventually(`an answer to ${method} ${path}`, async () => {
      const found = await this.visitor.call(method, path, body, headers);
      return found.status >= 500 || found.status === 429 ? undefined : found;
    });
    if (wanted.includes(answer.status)) return answer;
    const code = answer.body?.code ?? '';
    throw new Broken(`${method} ${path} was answered ${answer.status} ${code}`);
  }
}
