import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowCallers, UnsupportedMediaType } from '#libs/platform';
import { CallbacksService } from './callbacks.service.js';

/** Callbacks as they reached the gateway: its bytes and the processor's own headers, untouched. */
@Controller('internal/callbacks')
@AllowCallers('gateway')
export class CallbacksController {
  constructor(private readonly callbacks: CallbacksService) {}

  @Post(':processor')
  @HttpCode(200)
  async receive(@Param('processor') processor: string, @Req() request: FastifyRequest) {
    if (!Buffer.isBuffer(request.body)) throw new UnsupportedMediaType();
    await this.callbacks.receive(processor, request.body, request.headers);
    return { received: true };
  }
}
