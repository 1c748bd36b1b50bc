import { type DynamicModule, Module } from '@nestjs/common';
import { Database } from '#libs/database';
import type { Clock, ServiceName } from '#libs/platform';
import { ChangeFeed } from './change-feed/change-feed.js';
import type { EventTransport } from './event-transport.js';
import { Outbox } from './outbox/outbox.js';

export interface MessagingModuleOptions {
  service: ServiceName;
  clock: Clock;
  transport: EventTransport;
  database: Database;
}

@Module({})
export class MessagingModule {
  static register({ service, clock, transport, database }: MessagingModuleOptions): DynamicModule {
    return {
      module: MessagingModule,
      providers: [
        { provide: Outbox, useValue: new Outbox(service, clock, transport) },
        { provide: ChangeFeed, useValue: new ChangeFeed(database) },
      ],
      exports: [Outbox, ChangeFeed],
    };
  }
}
