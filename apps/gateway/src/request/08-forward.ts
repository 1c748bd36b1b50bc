import { type Problem, toProblem } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import { LookupForwarder, type LookupForwarderOptions } from '../lookup/lookup-forwarder.js';
import type { OwnOperations } from '../owners/own-operations.js';
import type { OwnerAnswer } from '../owners/owner-answer.js';

export interface ForwarderOptions {
  lookup: LookupForwarderOptions;
  own: OwnOperations;
}

/** What an owner's word is handed to, once; not at all when the request is over first. */
export type OnAnswer = (context: RequestContext, answer: OwnerAnswer | Problem) => void;

const ANSWERED = { status: 200, outcome: 'delivered', servedFrom: 'live' };

/** Step 8: asks the owner of the operation. One try: a second one could be charged twice by whoever is asked. */
export class Forwarder {
  private readonly lookup: LookupForwarder;

  constructor(private readonly options: ForwarderOptions) {
    this.lookup = new LookupForwarder(options.lookup);
  }

  ask(context: RequestContext, onAnswer: OnAnswer): void {
    const { service } = context.route.operation.owner;
    if (service === 'lookup') this.lookup.ask(context, onAnswer);
    else void this.answerOwn(context, onAnswer);
  }

  close(): void {
    this.lookup.close();
  }

  private async answerOwn(context: RequestContext, onAnswer: OnAnswer): Promise<void> {
    let answer: OwnerAnswer | Problem;
    try {
      const { operation, reader } = context.route;
      const own = this.options.own.get(operation.name)!;
      const body = await own(reader.valuesOf(context.input!) as never, context.caller);
      answer = { head: ANSWERED, body: Buffer.from(JSON.stringify(body)).toString('latin1') };
    } catch (error) {
      answer = toProblem(error);
    }
    if (!context.isOver) onAnswer(context, answer);
  }
}
