import { IsIn, IsNumber, IsString, IsUrl, Max, Min, ValidateIf } from 'class-validator';
import { Setting } from '../config.js';

export class TelemetryConfig {
  @Setting({
    env: 'LOG_LEVEL',
    about: 'Lowest level that is logged: debug (each internal request), info, warn or error.',
  })
  @IsIn(['debug', 'info', 'warn', 'error'])
  @IsString()
  logLevel: string = 'info';

  @Setting({
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    about:
      'OTLP/HTTP endpoint that receives traces, for example http://127.0.0.1:4318. Empty: no tracing.',
  })
  @ValidateIf(({ otlpEndpoint }: TelemetryConfig) => otlpEndpoint !== '')
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  otlpEndpoint: string = '';

  @Setting({
    env: 'OTEL_TRACES_SAMPLER_ARG',
    about: 'Share of API requests that are traced, from 0 to 1.',
  })
  @IsNumber()
  @Min(0)
  @Max(1)
  sampledShare: number = 0.01;
}
