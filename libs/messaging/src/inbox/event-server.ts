import { type MessageHandler, Server } from '@nestjs/microservices';
import type { EventClass } from '#libs/contracts';
import type { HandlerExtras } from './consumes.js';
import type { EventHandler } from './inbox.js';

export interface ServiceHandlers {
  durable: Map<EventClass, EventHandler>;
  watching: Map<EventClass, EventHandler>;
}

export interface EventServerOptions {
  listen(handlers: ServiceHandlers): Promise<void>;
  close(): Promise<void>;
}

/** The Nest side of every transport: it gathers the handlers and bypasses Nest's message parsing. */
export class EventServer extends Server {
  private readonly handlers: ServiceHandlers = { durable: new Map(), watching: new Map() };

  constructor(private readonly options: EventServerOptions) {
    super();
  }

  /**
   * Adds a handler.
   * @throws Error if it is not declared with `@Consumes` or `@Watches`, or if its event class already has a handler of
   * this delivery: if one of the two failed, both would run again.
   */
  override addHandler(
    pattern: unknown,
    callback: MessageHandler,
    _isEventHandler?: boolean,
    extras: Record<string, unknown> = {},
  ): void {
    if (!isDeclaredHere(extras)) {
      throw new Error(`the handler of ${String(pattern)} is not declared with @Consumes`);
    }
    const handlers = this.handlers[extras.delivery];
    if (handlers.has(extras.eventClass)) {
      throw new Error(`${extras.eventClass.name} has two ${extras.delivery} handlers`);
    }
    handlers.set(extras.eventClass, async (event, transaction) => callback(event, transaction));
  }

  listen(callback: (error?: unknown) => void): void {
    void this.begin(callback);
  }

  close(): Promise<void> {
    return this.options.close();
  }

  on(): never {
    throw new Error('our transports have no events of their own');
  }

  unwrap(): never {
    throw new Error('our transports have no driver to unwrap');
  }

  private async begin(callback: (error?: unknown) => void): Promise<void> {
    try {
      await this.options.listen(this.handlers);
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }
}

function isDeclaredHere(extras: object): extras is HandlerExtras {
  return 'eventClass' in extras && 'delivery' in extras;
}
