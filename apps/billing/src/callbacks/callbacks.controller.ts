import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CALLBACK, type CallbackAnswer, type ReplayAnswer, Serves } from '#libs/contracts';
import { AllowCallers, Metrics, UnsupportedMediaType, declareCounter } from '#libs/platform';
import { ReplayRequest } from './callbacks.dto.js';
import { CallbackRejected } from './callbacks.errors.js';
import { CallbacksService } from './callbacks.service.js';
import { RejectedCallbacksService } from './rejected-callbacks.service.js';

const CALLBACKS = declareCounter(
  'dds_billing_callbacks_total',
  'Callbacks of payment processors: accepted, or the reason for a rejection. Many rejections mean an attack, or a secret that was changed on one side only.',
  { labels: ['outcome'] },
);

/** Receives callbacks as they reached the dashboard: the original bytes and the processor's headers. */
@Controller()
export class CallbacksController {
  constructor(
    private readonly callbacks: CallbacksService,
    private readonly rejected: RejectedCallbacksService,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Fetches the object of a stored callback again. Only the operator's CLI may call this.
   * @throws the errors of `CallbacksService.replay`.
   */
  @Post('internal/callbacks/replay')
  @HttpCode(200)
  @AllowCallers('cli')
  replay(@Body() { callbackId }: ReplayRequest): Promise<ReplayAnswer> {
    return this.callbacks.replay(callbackId);
  }

  @Serves(CALLBACK)
  async receive(
    @Param('processor') processor: string,
    @Req() request: FastifyRequest,
  ): Promise<CallbackAnswer> {
    if (!Buffer.isBuffer(request.body)) throw new UnsupportedMediaType();
    const counter = this.metrics.counter(CALLBACKS);
    try {
      await this.callbacks.receive(processor, request.body, request.headers);
    } catch (error) {
      if (error instanceof CallbackRejected) {
        counter.inc({ outcome: error.reason });
        await this.rejected.note(error, request.body);
      }
      throw error;
    }
    counter.inc({ outcome: 'accepted' });
    return { received: true };
  }
}
