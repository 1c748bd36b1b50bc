import type { BlockList } from 'node:net';
import type { Paging } from '#libs/contracts';
import {
  Problem,
  type ServiceName,
  type ServiceOrigins,
  type ServiceTokens,
  ServiceUnavailable,
  toProblem,
} from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import { LookupForwarder } from '../lookup/lookup-forwarder.js';
import type { OwnOperations } from '../owners/own-operations.js';
import type { OwnerAnswer } from '../context/owner-answer.js';
import { ServiceForwarder } from '../owners/service-forwarder.js';

export interface ForwarderOptions {
  origins: ServiceOrigins;
  sockets: ServiceOrigins;
  tokens: ServiceTokens;
  /** Maximum time for a complete answer from lookup, in milliseconds. */
  timeoutMs: number;
  trustedProxies: BlockList;
  own: OwnOperations;
}

/** Called once with the owner's answer; never, if the request ends first. */
export type OnAnswer = (context: RequestContext, answer: OwnerAnswer | Problem) => void;

const ANSWERED = { status: 200, outcome: 'delivered', servedFrom: 'live' };

/** Step 8: calls the operation's owner. The call is never retried, because that could cost a second upstream query. */
export class Forwarder {
  private readonly lookup: LookupForwarder;
  private readonly services = new Map<string, ServiceForwarder>();

  constructor(private readonly options: ForwarderOptions) {
    const { origins, sockets, tokens, timeoutMs, trustedProxies } = options;
    const { lookup: url = '' } = origins;
    const { tls } = tokens;
    this.lookup = new LookupForwarder({ url, socketPath: sockets.lookup, tokens, tls, timeoutMs });
    for (const [service, origin] of Object.entries(origins) as [ServiceName, string][]) {
      const asked = { service, url: origin, socketPath: sockets[service], tokens, trustedProxies };
      this.services.set(service, new ServiceForwarder(asked));
    }
  }

  ask(context: RequestContext, onAnswer: OnAnswer): void {
    if (context.route.isPooled) this.lookup.ask(context, onAnswer);
    else void this.settle(context, this.askOwner(context), onAnswer);
  }

  /**
   * Returns the connections and headers for forwarding an upload or a download to its owner; a Problem if there is no
   * such owner here, or the `Idempotency-Key` is malformed.
   */
  transferOf(context: RequestContext): ReturnType<ServiceForwarder['transferOf']> {
    const { service } = context.route.operation.owner;
    return this.services.get(service)?.transferOf(context) ?? new ServiceUnavailable(service);
  }

  async close(): Promise<void> {
    this.lookup.close();
    await Promise.all([...this.services.values()].map((service) => service.close()));
  }

  private async askOwner(context: RequestContext): Promise<OwnerAnswer | Problem> {
    const { service } = context.route.operation.owner;
    if (service === 'gateway') return this.answerOwn(context);
    // An installation may lack an owner, such as billing.
    return this.services.get(service)?.ask(context) ?? new ServiceUnavailable(service);
  }

  private async answerOwn({ route, input, caller }: RequestContext): Promise<OwnerAnswer> {
    const own = this.options.own.get(route.operation.name)!;
    const body = await own(route.reader.valuesOf(input!) as never, caller);
    const { paging } = body as { paging?: Paging };
    const nextCursor = paging?.next_cursor ?? undefined;
    return {
      headers: { ...ANSWERED, nextCursor },
      body: Buffer.from(JSON.stringify(body)).toString('latin1'),
    };
  }

  private async settle(
    context: RequestContext,
    asked: Promise<OwnerAnswer | Problem>,
    onAnswer: OnAnswer,
  ): Promise<void> {
    let answer: OwnerAnswer | Problem;
    try {
      answer = await asked;
    } catch (error) {
      answer = toProblem(error);
    }
    if (!context.isOver) onAnswer(context, answer);
    else if (!(answer instanceof Problem)) answer.stream?.destroy();
  }
}
