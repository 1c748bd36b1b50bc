import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotLoggedIn, isFromThisMachine, toProblem } from '#libs/platform';
import type { Markup } from '#libs/public-http';
import { applySession } from '../browser/browser-request.js';
import { contentSecurityPolicy } from '../browser/security-headers.js';
import type { DashboardCalls, PageCall, PageQuestion } from '../dashboard-calls.js';
import type { DashboardSettings } from '../dashboard-settings.js';
import type { ProxiedAnswer, BrowserCaller } from '../service-calls/service-proxy.js';
import type { Session } from '../service-calls/sessions.js';
import { labelOf } from './field-labels.js';
import type { Notice, PageContext } from './layout.js';
import { refusalWords } from './refusal-words.js';

/** The codes of rejections that are shown by their fields, whose labels on the page the owner's text does not know. */
const OF_FIELDS: readonly string[] = ['invalid_request', 'payload_too_large'];

/** A visit to a page. It calls the owners, keeps the cookies up to date, and answers with a document. */
export class PageVisit {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly calls: DashboardCalls,
    private readonly settings: Pick<DashboardSettings, 'mailbox' | 'isDataSimulated'>,
  ) {}

  get visitor(): BrowserCaller {
    return this.request.visitor;
  }

  /** The visitor's session; undefined unless the visitor is logged in, and the page uses the session. */
  get sessionIfAny(): Session | undefined {
    return this.request.session;
  }

  /**
   * Returns the visitor's session. @throws NotLoggedIn if the visitor is not logged in, or the page uses no session.
   */
  get session(): Session {
    if (!this.request.session) throw new NotLoggedIn();
    return this.request.session;
  }

  /** Whether the request came from this machine and was not forwarded. */
  get isFromThisMachine(): boolean {
    return isFromThisMachine(this.request.raw);
  }

  get context(): PageContext {
    return {
      csrfToken: this.request.csrfToken,
      isLoggedIn: this.visitor.sessionToken !== undefined,
      hasMailbox: this.settings.mailbox !== undefined && this.isFromThisMachine,
      isDataSimulated: this.settings.isDataSimulated,
      path: this.request.url.split('?', 1)[0],
      hasPassword: this.request.session?.hasPassword,
      suspendedBecause: this.request.session?.suspendedBecause ?? undefined,
    };
  }

  /**
   * Calls account. If its answer begins or ends a session, the cookies and the page change accordingly.
   * @throws the errors of `DashboardCalls.account`.
   */
  async account(call: PageCall): Promise<ProxiedAnswer> {
    const answer = await this.calls.account(this.visitor, call);
    applySession(this.request, this.reply, answer);
    return answer;
  }

  /** Makes the browser forget its session, which has already ended. */
  forgetSession(): void {
    const ended = { status: 200, body: undefined, endsSession: true };
    applySession(this.request, this.reply, ended);
  }

  /** Calls billing for the session's account. @throws NotLoggedIn, and the errors of `DashboardCalls.billing`. */
  async billing(call: PageCall): Promise<ProxiedAnswer> {
    return this.calls.billing(this.visitor, this.session, call);
  }

  /** Calls the worker for the session's account. @throws the errors of `billing`. */
  async worker(call: PageCall): Promise<ProxiedAnswer> {
    return this.calls.worker(this.visitor, this.session, call);
  }

  /**
   * Makes a lookup or search that the session's account pays for.
   * @throws NotLoggedIn, and the errors of `DashboardCalls.ask`.
   */
  async ask(question: PageQuestion): Promise<ProxiedAnswer> {
    return this.calls.ask(this.visitor, this.session, question);
  }

  /** Allows scripts of this page, and of no other, to call another origin. */
  letScriptsReach(origin: string): void {
    void this.reply.header('content-security-policy', contentSecurityPolicy(origin));
  }

  /**
   * Sets the status and the type of the answer.
   * @returns the document, which the route returns.
   */
  show(page: Markup, status = 200): string {
    void this.reply.status(status).type('text/html; charset=utf-8');
    return page.text;
  }

  /**
   * Makes the browser load the page again after a while, even without a script.
   * @param path the page, because the answer to a form has another URL.
   */
  reloadIn(seconds: number, path: string): void {
    void this.reply.header('refresh', `${seconds}; url=${path}`);
  }

  /** Makes the browser continue to another origin at once, even without a script. */
  leadTo(url: string): void {
    void this.reply.header('refresh', `0; url=${url}`);
  }

  /**
   * Makes the browser load `path`. After a form, a reload therefore does not send the form again. @returns an empty
   * document.
   */
  goTo(path: string): string {
    void this.reply.status(303).header('location', path);
    return '';
  }
}

/**
 * Returns a notice for a rejection. Errors of fields name the fields by their labels on the page.
 * @param labels labels of fields that differ on this page.
 */
export function faultNotice(
  { refusal }: ProxiedAnswer,
  labels: Readonly<Record<string, string>> = {},
): Notice {
  const faults = refusal && OF_FIELDS.includes(refusal.code) ? (refusal.errors ?? []) : [];
  const nameOf = (field: string) => labels[field.split('.', 1)[0]] ?? labelOf(field);
  const sentences = faults.map(({ field, message }) => `${nameOf(field)} ${message}.`);
  const text =
    sentences.length > 0 ? [...new Set(sentences)].join(' ') : refusal && refusalWords(refusal);
  const atFields = Object.fromEntries(faults.map(({ field }, at) => [field, sentences[at]]));
  return { kind: 'fault', text: text ?? 'That did not work.', faults: atFields };
}

export const isRefused = (answer: ProxiedAnswer) => answer.refusal !== undefined;

/** Returns a call's error as its rejection, for a page that must be shown anyway. */
export function failedAnswer(error: unknown): ProxiedAnswer {
  const refusal = toProblem(error);
  return { status: refusal.status, body: undefined, refusal, endsSession: false };
}
