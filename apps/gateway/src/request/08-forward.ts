import type { Operation, OwnerService } from '#libs/contracts';
import { Problem, toProblem } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import { LookupForwarder, type LookupForwarderOptions } from '../lookup/lookup-forwarder.js';
import type { OwnOperations } from '../owners/own-operations.js';
import type { OwnerAnswer } from '../owners/owner-answer.js';
import { ServiceForwarder } from '../owners/service-forwarder.js';

/** A service that others than the hot path's forwarder ask, with the origin of its internal listener. */
type Asked = Exclude<OwnerService, 'gateway' | 'lookup'>;

export interface ForwarderOptions extends LookupForwarderOptions {
  /** Origins of the internal listeners of the other owners. */
  owners: Partial<Record<Asked, string>>;
  own: OwnOperations;
  operations: readonly Operation[];
}

/** What an owner's word is handed to, once; not at all when the request is over first. */
export type OnAnswer = (context: RequestContext, answer: OwnerAnswer | Problem) => void;

const ANSWERED = { status: 200, outcome: 'delivered', servedFrom: 'live' };

/** Step 8: calls the owner of the operation, once: a second attempt could cost a second upstream query. */
export class Forwarder {
  private readonly lookup: LookupForwarder;
  private readonly services = new Map<string, ServiceForwarder>();

  /** @throws when an operation has an owner whose address is not known. */
  constructor(private readonly options: ForwarderOptions) {
    const { url, socketPath, tokens, timeoutMs, owners, operations } = options;
    this.lookup = new LookupForwarder({ ...options, tls: tokens.tls });
    this.services.set(
      'lookup',
      new ServiceForwarder({ service: 'lookup', url, socketPath, tokens, timeoutMs }),
    );
    for (const service of Object.keys(owners) as Asked[]) {
      const other = { service, url: owners[service]!, tokens, timeoutMs };
      this.services.set(service, new ServiceForwarder(other));
    }
    for (const { name, owner, access } of operations) {
      const isOurs = access.kind === 'key' || access.kind === 'public';
      if (isOurs && owner.service !== 'gateway' && !this.services.has(owner.service)) {
        throw new Error(`${name}: the address of ${owner.service} is not known`);
      }
    }
  }

  ask(context: RequestContext, onAnswer: OnAnswer): void {
    const { isPlain, operation } = context.route;
    const { service } = operation.owner;
    if (service === 'lookup' && isPlain) this.lookup.ask(context, onAnswer);
    else if (service === 'gateway') void this.settle(context, this.answerOwn(context), onAnswer);
    else void this.settle(context, this.services.get(service)!.ask(context), onAnswer);
  }

  async close(): Promise<void> {
    this.lookup.close();
    await Promise.all([...this.services.values()].map((service) => service.close()));
  }

  private async answerOwn({ route, input, caller }: RequestContext): Promise<OwnerAnswer> {
    const own = this.options.own.get(route.operation.name)!;
    const body = await own(route.reader.valuesOf(input!) as never, caller);
    return { headers: ANSWERED, body: Buffer.from(JSON.stringify(body)).toString('latin1') };
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
