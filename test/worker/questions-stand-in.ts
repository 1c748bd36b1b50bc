import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NameFindings, NameQuestions } from '#libs/contracts';
import { LookupStandIn } from '../stand-ins/lookup-stand-in.js';

export interface AskedNames {
  accountId: string;
  names: readonly string[];
}

/** A stand-in for lookup that provides what the worker needs: every name is answered, unless the test changes this. */
export class QuestionsStandIn extends LookupStandIn {
  readonly calls: AskedNames[] = [];
  /** Returns the members of a name's findings that differ from those of a delivered answer. */
  found: (name: string) => Partial<NameFindings> = () => ({});
  private waiting?: (() => void)[];

  override respond = (request: IncomingMessage, response: ServerResponse, body: unknown): void => {
    const { names } = body as NameQuestions;
    this.calls.push({ accountId: String(request.headers['x-account-id']), names });
    const send = () => this.send(names, response);
    if (this.waiting) this.waiting.push(send);
    else send();
  };

  /** Makes calls wait for `letOneGo` or `letAllGo`. */
  hold(): void {
    this.waiting ??= [];
  }

  letOneGo(): void {
    this.waiting?.shift()?.();
  }

  letAllGo(): void {
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    for (const send of waiting) send();
  }

  private send(names: readonly string[], response: ServerResponse): void {
    const lines = names.map((name, index) => {
      const body = { status: true, domain_name: name, domain_registered: 'yes' };
      const usual = { index, outcome: 'delivered', servedFrom: 'live', isCharged: true, body };
      const found = this.found(name);
      const failed = 'outcome' in found && { isCharged: false, body: undefined };
      return `${JSON.stringify({ ...usual, ...failed, ...found })}\n`;
    });
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(`${lines.join('')}{"isLast":true}\n`);
  }
}
