import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AllowCallers, InvalidRequest } from '#libs/platform';
import { LOOKUPS_SOURCE } from '../sources/source.js';
import { readObservations } from './observation-lines.js';
import { ObservationsService } from './observations.service.js';

@Controller('internal/observations')
export class ObservationsController {
  constructor(private readonly observations: ObservationsService) {}

  @Post()
  @HttpCode(200)
  @AllowCallers('lookup')
  async record(@Body() body: Buffer): Promise<{ recorded: number; refused: number }> {
    if (!Buffer.isBuffer(body)) {
      throw new InvalidRequest([{ field: 'body', message: 'must be lines of JSON' }]);
    }
    const { observations, bad } = readObservations(body.toString('utf8'));
    if (observations.length > 0) await this.observations.record(observations, LOOKUPS_SOURCE);
    return { recorded: observations.length, refused: bad };
  }
}
