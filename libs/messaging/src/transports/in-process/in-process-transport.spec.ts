import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Script, Stage, quietLogger } from '../contract-stage.js';
import { transportContract } from '../transport.contract.js';
import { InProcessTransport } from './in-process-transport.js';

const consumers = { account: ['entitlement'] } as const;

transportContract('in-process', {
  open: async () => new InProcessTransport({ logger: quietLogger, consumers }),
});

describe('in-process transport: missing consumers', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  it('a named consumer that does not listen refuses the start and keeps the rows', async () => {
    const transport = new InProcessTransport({ logger: quietLogger, consumers });
    await transport.startRelay('account', stage.maintenance);
    expect(() => transport.requireConsumers()).toThrow(
      'does not listen: entitlement (events of account)',
    );
    const strategy = transport.strategyFor('entitlement', stage.consumer);
    const app = await stage.startConsumer(strategy, new Script());
    expect(() => transport.requireConsumers()).not.toThrow();
    await app.close();
    await transport.close();
  });

  it('a durable consumer that nobody named may not start', async () => {
    const transport = new InProcessTransport({ logger: quietLogger, consumers: {} });
    const strategy = transport.strategyFor('entitlement', stage.consumer);
    await expect(stage.startConsumer(strategy, new Script())).rejects.toThrow(
      /entitlement consumes account\.\S+ and is not named as its consumer/,
    );
    await transport.close();
  });
});
