import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';
import { IsDatabaseUrl } from '#libs/database';
import { PortSetting, Setting } from '#libs/platform';
import { DEFAULT_DATA_FOLDER, DEFAULT_PORTS } from './checks/before-build.js';

export const DEMO_ACCOUNTS = ['full', 'empty', 'none'] as const;
export type DemoAccount = (typeof DEMO_ACCOUNTS)[number];

/** An operator's settings of the one-machine installation. Each service's own settings work too. */
export class SoloConfig {
  @Setting({
    env: 'DATA_DIR',
    about: 'Folder of the database, generated secrets, mail and files.',
  })
  @IsString()
  @MinLength(1)
  dataFolder: string = DEFAULT_DATA_FOLDER;

  @PortSetting({ env: 'API_PORT', about: 'Port of the API; 0 takes any free one.' })
  apiPort: number = DEFAULT_PORTS.API_PORT;

  @PortSetting({ env: 'DASHBOARD_PORT', about: 'Port of the dashboard; 0 takes any free one.' })
  dashboardPort: number = DEFAULT_PORTS.DASHBOARD_PORT;

  @PortSetting({
    env: 'METRICS_PORT',
    about: 'Port on loopback where Prometheus reads all services at once; 0 takes any free one.',
  })
  metricsPort: number = DEFAULT_PORTS.METRICS_PORT;

  @Setting({
    env: 'OFFLINE',
    about: 'Look names up at the registry simulator instead of the internet, as --offline does.',
  })
  @IsBoolean()
  offline: boolean = false;

  @Setting({
    env: 'OFFLINE_NAMES',
    about:
      'With --offline: how many invented names the corpus is filled with after the start, so that history and searches can be tried.',
  })
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  offlineNames: number = 50_000;

  @Setting({
    env: 'DEMO_ACCOUNT',
    about:
      'Whether a demo account is made: `full` with a plan, invoices and 30 days of invented requests, `empty`, or `none`. There is none where anybody but people at this machine reaches the dashboard (DASHBOARD_HOST, BILLING_URL), nor with NODE_ENV=production, whatever this says.',
  })
  @IsIn(DEMO_ACCOUNTS)
  demoAccount: DemoAccount = 'full';

  @Setting({
    env: 'DATABASE_ADMIN_URL',
    about:
      'URL of your own PostgreSQL (15 or newer), for a superuser or a role with CREATEROLE and CREATEDB. Unset: an embedded server is started.',
    secret: true,
  })
  @IsOptional()
  @IsDatabaseUrl()
  databaseAdminUrl?: string;
}
