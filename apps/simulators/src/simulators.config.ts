import { IsInt, Max, Min } from 'class-validator';
import { PortSetting, Setting } from '#libs/platform';

export class SimulatorsConfig {
  @PortSetting({
    env: 'SIMULATORS_PORT',
    about:
      'Loopback port of the pages with received mail and recorded exchanges; 0 selects a free port.',
  })
  port: number = 0;

  @PortSetting({
    env: 'SIMULATORS_SMTP_PORT',
    about: 'Loopback port of the SMTP server; 0 selects a free port.',
  })
  smtpPort: number = 0;

  @Setting({
    env: 'SIMULATORS_DRIP_INTERVAL_MS',
    about: 'Time between two bytes of a registry answer that arrives slowly.',
  })
  @IsInt()
  @Min(1)
  @Max(10_000)
  dripIntervalMs: number = 200;
}
