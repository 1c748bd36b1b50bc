import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';
import { IsDatabaseUrl } from '#libs/database';
import { PortSetting, Setting } from '#libs/platform';
import { DEFAULT_DATA_FOLDER, DEFAULT_PORTS } from './checks/before-build.js';

export const DEMO_ACCOUNTS = ['full', 'empty', 'none'] as const;
export type DemoAccount = (typeof DEMO_ACCOUNTS)[number];

/** An operator's settings for the installation on one machine. The settings of each service also apply. */
export class SoloConfig {
  @Setting({
    env: 'DATA_DIR',
    about: 'Folder with the database, generated secrets, e-mails and files.',
  })
  @IsString()
  @MinLength(1)
  dataFolder: string = DEFAULT_DATA_FOLDER;

  @PortSetting({ env: 'API_PORT', about: 'Port of the API; 0 selects a free port.' })
  apiPort: number = DEFAULT_PORTS.API_PORT;

  @PortSetting({ env: 'DASHBOARD_PORT', about: 'Port of the dashboard; 0 selects a free port.' })
  dashboardPort: number = DEFAULT_PORTS.DASHBOARD_PORT;

  @PortSetting({
    env: 'METRICS_PORT',
    about: 'Loopback port with the Prometheus metrics of all services; 0 selects a free port.',
  })
  metricsPort: number = DEFAULT_PORTS.METRICS_PORT;

  @Setting({
    env: 'OFFLINE',
    about: 'Use the registry simulator instead of the internet, like --offline.',
  })
  @IsBoolean()
  offline: boolean = false;

  @Setting({
    env: 'OFFLINE_NAMES',
    about:
      'With --offline: number of sample names that are added to the corpus after the start, to try history and searches.',
  })
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  offlineNames: number = 50_000;

  @Setting({
    env: 'DEMO_ACCOUNT',
    about:
      'The demo account: `full` (with a plan, invoices, jobs, monitors and 30 days of sample requests), `empty`, or `none`. There is no demo account if other machines can reach the API or the dashboard (API_HOST, BASE_URL, DASHBOARD_HOST, BILLING_URL), or with NODE_ENV=production.',
  })
  @IsIn(DEMO_ACCOUNTS)
  demoAccount: DemoAccount = 'full';

  @Setting({
    env: 'DATABASE_ADMIN_URL',
    about:
      'URL of your own PostgreSQL (15 or newer), for a superuser or a role with CREATEROLE and CREATEDB. `npm start` creates and uses its database `domain_data`, whatever database the URL names. Unset: an embedded server is started.',
    secret: true,
  })
  @IsOptional()
  @IsDatabaseUrl()
  databaseAdminUrl?: string;
}
