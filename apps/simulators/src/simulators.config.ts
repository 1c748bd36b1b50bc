import { IsInt, Max, Min } from 'class-validator';
import { PortSetting, Setting } from '#libs/platform';

/** Settings of the stand-ins for the outside world. */
export class SimulatorsConfig {
  @PortSetting({
    env: 'SIMULATORS_PORT',
    about: 'Loopback port of the page with the mail, and of what was asked; 0 takes a free one.',
  })
  port: number = 0;

  @PortSetting({
    env: 'SIMULATORS_SMTP_PORT',
    about: 'Loopback port that takes mail; 0 takes a free one.',
  })
  smtpPort: number = 0;

  @Setting({
    env: 'SIMULATORS_DRIP_INTERVAL_MS',
    about: 'Time between two bytes of a registry answer that drips.',
  })
  @IsInt()
  @Min(1)
  @Max(10_000)
  dripIntervalMs: number = 200;
}
