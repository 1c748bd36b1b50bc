import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NameFindings, NameQuestions } from '#libs/contracts';
import { LookupStandIn } from '../stand-ins/lookup-stand-in.js';

export type Findings = Partial<NameFindings>;

/** A stand-in for lookup that provides what the worker needs: every name is answered, unless the test changes this. */
export class QuestionsStandIn extends LookupStandIn {
  readonly calls: (NameQuestions & { accountId: string })[] = [];
  /** Returns the members of a name's findings that differ from those of a delivered answer. */
  found: (name: string, kind: NameQuestions['kind']) => Findings = () => ({});
  /** A name that is answered before the other names of its request. */
  firstName?: string;
  isBreakingOff = false;
  private waiting?: (() => void)[];

  override respond = (request: IncomingMessage, response: ServerResponse, body: unknown): void => {
    const questions = body as NameQuestions;
    this.calls.push({ ...questions, accountId: String(request.headers['x-account-id']) });
    if (this.isBreakingOff) return void response.writeHead(200).write('', () => response.destroy());
    const send = () => this.send(questions, response);
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

  private send({ names, kind }: NameQuestions, response: ServerResponse): void {
    const lines = names.map((name, index) => {
      const body = { status: true, domain_name: name, domain_registered: 'yes' };
      const usual = { index, outcome: 'delivered', servedFrom: 'live', isCharged: true, body };
      const found = this.found(name, kind);
      const failed = 'outcome' in found && { isCharged: false, body: undefined };
      return `${JSON.stringify({ ...usual, ...failed, ...found })}\n`;
    });
    const first = names.indexOf(this.firstName!);
    if (first > 0) lines.unshift(...lines.splice(first, 1));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(`${lines.join('')}{"isLast":true}\n`);
  }
}
