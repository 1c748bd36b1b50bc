import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import type { Recorded } from '../observations/observations.service.js';
import { GeneratedStretch } from './generator.dto.js';
import { GeneratorService } from './generator.service.js';

@Controller('internal/generated-names')
@AllowCallers('cli')
export class GeneratorController {
  constructor(private readonly generator: GeneratorService) {}

  @Post()
  @HttpCode(200)
  async generate(@Body() stretch: GeneratedStretch): Promise<Recorded> {
    return this.generator.generate(stretch);
  }

  /** Removes a part of the generated names. The caller repeats this until no name is left. */
  @Delete()
  async clear(): Promise<{ names: number }> {
    return { names: await this.generator.clear() };
  }
}
