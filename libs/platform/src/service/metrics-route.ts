import { Controller, Get, Header } from '@nestjs/common';
import { AllowCallers } from '../internal-calls/internal-route.js';
import { Metrics } from '../telemetry/metrics.js';

/**
 * The route for Prometheus, which has no service token. Its only protection is that the internal listener is not
 * public.
 */
@Controller()
@AllowCallers('anyone')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('/metrics')
  @Header('content-type', Metrics.contentType)
  text(): Promise<string> {
    return this.metrics.text();
  }
}
