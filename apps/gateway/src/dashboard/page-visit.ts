import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Method, ProxiedAnswer } from './proxy/service-proxy.js';
import { applySession } from './browser/browser-request.js';
import type { DashboardCalls } from './dashboard-calls.js';
import type { Notice, PageContext } from './pages/layout.js';
import type { Markup } from './pages/markup.js';

/** One visit of a page: asks account, keeps the cookie in step, answers with a document. */
export class PageVisit {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly calls: DashboardCalls,
    private readonly hasMailbox: boolean,
  ) {}

  get visitor() {
    return this.request.visitor;
  }

  get context(): PageContext {
    return {
      csrfToken: this.request.csrfToken,
      isLoggedIn: this.request.visitor.sessionToken !== undefined,
      hasMailbox: this.hasMailbox,
    };
  }

  /** Asks account. A session that begins or ends with the answer is in the cookie and the page. */
  async ask(
    method: Method,
    path: string,
    body?: object,
    idempotencyKey?: string,
  ): Promise<ProxiedAnswer> {
    const { visitor } = this.request;
    const answer = await this.calls.account({ method, path, visitor, body, idempotencyKey });
    applySession(this.request, this.reply, answer);
    return answer;
  }

  /** Undefined while nobody can say. */
  keysAllowed(): Promise<number | undefined> {
    return this.calls.keysAllowed(this.visitor);
  }

  show(page: Markup, status = 200): FastifyReply {
    return this.reply.status(status).type('text/html; charset=utf-8').send(page.text);
  }

  /** After a form that was carried out: the browser loads `path` anew, so a reload repeats nothing. */
  goTo(path: string): FastifyReply {
    return this.reply.redirect(path, 303);
  }
}

/** A refusal in account's own public words. */
export function faultNotice(answer: ProxiedAnswer): Notice {
  return { kind: 'fault', text: answer.refusal?.message ?? 'That did not work.' };
}

export const isRefused = (answer: ProxiedAnswer) => answer.refusal !== undefined;
