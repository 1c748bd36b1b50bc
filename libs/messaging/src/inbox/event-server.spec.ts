import { describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '#libs/contracts';
import { Counted } from '../transports/messaging-harness.contract.js';
import { Watches, handledBy } from './consumes.js';
import { EventServer, type ServiceHandlers } from './event-server.js';

const extras = { eventClass: Counted, delivery: 'durable' };
const handler = async () => {};

describe('event server', () => {
  it('the server accepts one handler per class and delivery, and only handlers that name their event', () => {
    const server = new EventServer({ listen: async () => {}, close: async () => {} });
    server.addHandler('counted', handler, true, extras);
    server.addHandler('counted', handler, true, { ...extras, delivery: 'watching' });
    expect(() => server.addHandler('counted', handler, true, extras)).toThrow(
      'Counted has two durable handlers',
    );
    for (const { delivery, eventClass } of [extras]) {
      expect(() => server.addHandler('by hand', handler, true, { delivery })).toThrow(
        'the handler of by hand is not declared with @Consumes',
      );
      expect(() => server.addHandler('by hand', handler, true, { eventClass })).toThrow(
        'is not declared with @Consumes',
      );
    }
  });

  it('Nest is informed when the server listens, or why it cannot', async () => {
    const heard: (unknown | undefined)[] = [];
    let handlers: ServiceHandlers | undefined;
    const works = new EventServer({
      listen: async (given) => void (handlers = given),
      close: async () => {},
    });
    works.addHandler('counted', handler, true, extras);
    await new Promise<void>((resolve) =>
      works.listen((...given) => resolve(void heard.push(given))),
    );
    expect([...handlers!.durable.keys()]).toEqual([Counted]);
    const refuses = new EventServer({
      listen: () => Promise.reject(new Error('no broker')),
      close: async () => {},
    });
    await new Promise<void>((resolve) =>
      refuses.listen((...given) => resolve(void heard.push(given))),
    );
    expect(heard).toEqual([[], [new Error('no broker')]]);
  });

  it('the events of controllers are listed; controllers without handlers add none', () => {
    class CountedReader {
      @Watches(Counted)
      async watch(_event: EventEnvelope<Counted>): Promise<void> {}
    }
    const handled = handledBy([CountedReader, class {}]);
    expect(handled).toStrictEqual([{ eventClass: Counted, delivery: 'watching' }]);
  });

  it('the server has no events and no driver of its own', () => {
    const server = new EventServer({ listen: async () => {}, close: async () => {} });
    expect(() => server.on()).toThrow('no events of their own');
    expect(() => server.unwrap()).toThrow('no driver to unwrap');
  });
});
