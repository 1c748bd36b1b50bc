import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceModule, newId, startService } from '#libs/platform';
import { TestClock, waitFor } from '#test/environment';
import {
  Counted,
  RecordingConsumer,
  MessagingHarness,
  consumerModule,
  quietLogger,
} from '../messaging-harness.contract.js';
import { transportContract } from '../transport.contract.js';
import { InProcessTransport } from './in-process-transport.js';

const consumers = { account: ['entitlement'] } as const;

transportContract('in-process', {
  open: async () => new InProcessTransport({ logger: quietLogger, consumers }),
  stepsBetweenDeaths: 1,
});

describe('in-process transport in a service', () => {
  let messaging: MessagingHarness;

  beforeAll(async () => {
    messaging = await MessagingHarness.open();
  });
  afterAll(() => messaging.close());

  it('a listed consumer that is missing prevents the start and keeps the rows', async () => {
    const transport = new InProcessTransport({ logger: quietLogger, consumers });
    await transport.startRelay('account', messaging.maintenance);
    expect(() => transport.requireConsumers()).toThrow(
      'does not listen: entitlement (events of account)',
    );
    const strategy = transport.strategyFor('entitlement', messaging.consumer);
    const app = await messaging.startConsumer(strategy, new RecordingConsumer());
    expect(() => transport.requireConsumers()).not.toThrow();
    await app.close();
    await transport.close();
  });

  it('a service’s handlers receive events despite the guard of its routes', async () => {
    const transport = new InProcessTransport({ logger: quietLogger, consumers });
    const { imports = [], ...module } = consumerModule(new RecordingConsumer());
    const common = ServiceModule.register({
      name: 'entitlement',
      clock: new TestClock(),
      logger: quietLogger,
      secret: { serviceSecret: 'a secret of thirty-two characters' },
    });
    const service = await startService({
      module: { ...module, imports: [...imports, common] },
      logger: quietLogger,
      port: 0,
      host: '127.0.0.1',
      strategy: transport.strategyFor('entitlement', messaging.consumer),
    });
    await transport.startRelay('account', messaging.maintenance);
    const key = newId();
    await messaging.say(Counted, key, { n: 1 });
    await waitFor('the handler', async () => (await messaging.heard(key)).length === 1);
    await service.stop();
    await transport.close();
  });

  it('an unlisted durable consumer may not start', async () => {
    const transport = new InProcessTransport({ logger: quietLogger, consumers: {} });
    const strategy = transport.strategyFor('entitlement', messaging.consumer);
    await expect(messaging.startConsumer(strategy, new RecordingConsumer())).rejects.toThrow(
      /entitlement consumes account\.\S+ and is not named as its consumer/,
    );
    await transport.close();
  });
});
