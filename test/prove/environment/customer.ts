import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#libs/platform';
import { pressButton } from '../../billing/hosted-page.js';
import { type Answer, Customer as Visitor, type Origins } from '../../stories/customer.js';
import { Broken } from './broken.js';
import type { AccountBook } from './account-book.js';
import { ask } from './http.js';
import { eventually } from './patience.js';

const RETRY_MS = 1_000;

let names = 0;

/**
 * A customer who repeats unanswered requests, as people and programs do, and recovers in the usual ways: by logging in,
 * checking the result, and trying again.
 */
export class Customer {
  private readonly visitor: Visitor;
  accountId = '';
  key = '';

  constructor(
    private readonly origins: Origins,
    private readonly book: AccountBook,
    number: number,
  ) {
    // Attempts are limited by network, so each customer has a different network.
    const network = `198.18.${number >> 8}.${number & 255}`;
    this.visitor = new Visitor(origins, `ada@customer-${number}.example`, 'Ada', network);
  }

  get email(): string {
    return this.visitor.email;
  }

  /** Signs up, follows the link in the e-mail and gets the first key. */
  async join(): Promise<void> {
    const { email, password } = this.visitor;
    await this.insist('POST', '/api/sign-up', [202], { first_name: 'Ada', email, password });
    const token = await this.visitor.mailedToken('/sign-up/confirm');
    const outcomes = [201, 400, 404, 409, 410, 422];
    const body = { token, password };
    const confirmed = await this.insist('POST', '/api/sign-up/confirm', outcomes, body);
    if (confirmed.status === 201) {
      this.accountId = confirmed.body.account_id;
      this.key = confirmed.body.key;
    } else {
      // The link was used, but the answer was lost: the account exists, but the customer has never seen the key.
      await this.logIn();
      await this.replaceKey();
    }
    this.book.joined(this.accountId);
  }

  async logIn(): Promise<'active' | 'deleted'> {
    const { email, password } = this.visitor;
    const answer = await this.insist('POST', '/api/log-in', [200], { email, password });
    this.accountId = answer.body.account_id;
    return answer.body.account_state;
  }

  /** Deletes the account; resolves once the deletion is confirmed. */
  async leave(): Promise<void> {
    await this.logIn();
    const { password } = this.visitor;
    await this.until('deleted', '/api/account/delete', { password });
  }

  /** Deletes the account and restores it. */
  async leaveAndReturn(): Promise<void> {
    await this.leave();
    await this.until('active', '/api/account/restore', {});
    await this.replaceKey();
  }

  /** Repeats a lookup until it is answered. */
  async lookUp(apiUrl = this.origins.apiUrl): Promise<void> {
    await eventually('an answered lookup', async () => {
      const answer = await this.lookUpOnce(apiUrl);
      // Ten requests a second would use up a trial's limit before a service answers again.
      if (answer.status !== 200) await sleep(RETRY_MS);
      return answer.status === 200;
    });
  }

  /**
   * Makes one lookup, and records it in the account book.
   * @throws NoAnswer.
   */
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

  /** Sends a command whose answer may be lost. The state after a log-in shows whether the command took effect. */
  private async until(wanted: 'active' | 'deleted', path: string, body: object): Promise<void> {
    await eventually(`the account to be ${wanted}`, async () => {
      await this.visitor.call('POST', path, body).catch(() => {});
      return (await this.logIn()) === wanted;
    });
    this.book.of(this.accountId).state = wanted;
  }

  /** Replaces the key until the value of a new key has arrived, because a lost answer cannot be requested again. */
  private async replaceKey(): Promise<void> {
    this.key = await eventually('a key', async () => {
      const { body: listed } = await this.insist('GET', '/api/keys', [200]);
      const all = listed.keys as { id: string; environment: string; state: string }[];
      const keys = all.filter(({ environment }) => environment === 'live');
      const active = keys.find(({ state }) => state === 'active');
      const chosen = active ?? keys[0];
      const path = `/api/keys/${chosen.id}/${active ? 'rotate' : 'reissue'}`;
      const headers = { 'idempotency-key': newId() };
      const body = active ? { overlap: 'now' } : {};
      const answer = await this.visitor.call('POST', path, body, headers);
      return answer.body.key as string | undefined;
    });
  }

  /**
   * Repeats a request while there is no answer, or the answer asks to try later. @throws Broken for any other answer.
   */
  private async insist(
    method: string,
    path: string,
    wanted: number[],
    body?: object,
  ): Promise<Answer> {
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
