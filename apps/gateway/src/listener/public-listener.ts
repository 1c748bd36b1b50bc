import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { monotonicMs } from '#libs/platform';
import { GatewayConfig } from '../gateway.config.js';
import { LoadShedder } from '../request/01-shed.js';
import { ApiListener } from './api-listener.js';

@Injectable()
export class PublicListener {
  /** The origin of the listener; empty before it accepts connections. */
  url = '';

  constructor(
    private readonly config: GatewayConfig,
    private readonly api: ApiListener,
    private readonly shedder: LoadShedder,
  ) {}

  /** Starts to accept connections. @throws if the port is taken. */
  async open(): Promise<void> {
    this.url = await this.api.start();
  }

  /**
   * Asks clients to reconnect elsewhere for `drainNoticeMs`, then closes the listener and waits for running requests,
   * for at most `drainMs`. Requests that still run are cut off.
   */
  async drain(): Promise<void> {
    const { api, config, shedder } = this;
    api.drain();
    await sleep(config.drainNoticeMs);
    const closed = api.close(config.drainMs);
    const until = monotonicMs() + config.drainMs;
    while ((shedder.inFlight > 0 || api.isSending) && monotonicMs() < until) await sleep(10);
    api.closeAll();
    await closed;
  }
}
