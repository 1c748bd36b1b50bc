import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy, Ctx, Payload } from '@nestjs/microservices';
import { AccountRegistered, type EventEnvelope } from '#libs/contracts';
import { Database, Transaction } from '#libs/database';
import { Consumes, EventsConfig, openTransport } from '#libs/messaging';
import { Logger, loadConfig } from '#libs/platform';

/** A process that receives events as entitlement does and records each with the database's time. */
@Controller()
class OnAccountRegisteredConsumer {
  @Consumes(AccountRegistered)
  async handle(
    @Payload() event: EventEnvelope<AccountRegistered>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await transaction.query('insert into heard (key) values ($1)', [event.key]);
  }
}

@Module({})
class ConsumerModule {}

const [url] = process.argv.slice(2);
const database = await Database.open({ url, applicationName: 'bench consumer' });
const logger = new Logger('bench', process.stderr, 'error');
const consumers = { account: ['entitlement'] } as const;
const transport = openTransport({ config: loadConfig(EventsConfig), logger, consumers });
const app = await NestFactory.createMicroservice<CustomStrategy>(
  { module: ConsumerModule, controllers: [OnAccountRegisteredConsumer] },
  { strategy: transport.strategyFor('entitlement', database), logger: false },
);
await app.listen();
process.send!('up');
