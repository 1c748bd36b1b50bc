import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { LoopbackServer } from './json-server.js';

export interface LookupAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Returns a delivered answer of about 3 KB in version 2, without `meta`, in the form that lookup returns. */
export function deliveredAnswer(domainName: string): LookupAnswer {
  return {
    status: 200,
    headers: { 'x-outcome': 'delivered', 'x-served-from': 'live' },
    body: JSON.stringify({
      status: true,
      domain_name: domainName,
      registrant_contact: { company: 'Example Holdings Zürich' },
      whois_raw_domain: 'Domain Name: EXAMPLE\n'.repeat(130),
    }),
  };
}

export function problemAnswer(status: number, code: string, outcome: string): LookupAnswer {
  const retryAfter = status >= 500 ? { retry_after: 30 } : {};
  return {
    status,
    headers: { 'x-outcome': outcome, 'x-served-from': 'live' },
    body: JSON.stringify({
      code,
      status,
      detail: 'A stand-in refuses.',
      retryable: status >= 500,
      ...retryAfter,
    }),
  };
}

const QUESTIONS_MAX = 10_000;

type Answer = (request: IncomingMessage) => LookupAnswer | undefined;

/** A stand-in for lookup. If a test's `answer` returns undefined, the caller is kept waiting. */
export class LookupStandIn extends LoopbackServer {
  readonly questions: { path: string; headers: IncomingMessage['headers'] }[] = [];
  abandoned = 0;
  answer: Answer = (request) => deliveredAnswer(nameIn(request));
  /** Answers in place of `answer`, in any form. It gets the parsed body of the request, if there is one. */
  respond?: (request: IncomingMessage, response: ServerResponse, body: unknown) => void;
  private held: (() => void)[] | undefined;

  /** Keeps every caller waiting until `release`, then answers them all. */
  holdAnswers(): { release: () => void } {
    const held: (() => void)[] = [];
    this.held = held;
    return {
      release: () => {
        this.held = undefined;
        for (const send of held) send();
      },
    };
  }

  protected override take(request: IncomingMessage, response: ServerResponse): void {
    if (this.questions.length < QUESTIONS_MAX) {
      this.questions.push({ path: request.url!, headers: request.headers });
    }
    const { respond } = this;
    if (respond) {
      const parsed = (body: string) => (body === '' ? undefined : JSON.parse(body)) as unknown;
      return void text(request).then((body) => respond(request, response, parsed(body)));
    }
    const answer = this.answer(request);
    response.once('close', () => {
      if (!response.writableFinished) this.abandoned++;
    });
    if (answer === undefined) return;
    if (this.held) this.held.push(() => send(response, answer));
    else send(response, answer);
  }
}

function send(response: ServerResponse, answer: LookupAnswer): void {
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(answer.body),
    ...answer.headers,
  });
  response.end(answer.body);
}

export function nameIn(request: IncomingMessage): string {
  return new URL(request.url!, 'http://lookup').searchParams.get('domainName') ?? '';
}
