import { IsIn, IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { Setting } from '#libs/platform';
import { DEMO_ACCOUNTS, type DemoAccount } from '../../solo/src/solo.config.js';

/** The settings of a trial cluster. Services get their settings only from the cluster. */
export class ClusterConfig {
  @Setting({
    env: 'CLUSTER_DATA_DIR',
    about: 'Folder with the databases, broker data, generated secrets and logs of the cluster.',
  })
  @IsString()
  @MinLength(1)
  dataFolder: string = '.data/cluster';

  @Setting({
    env: 'CLUSTER_GATEWAYS',
    about: 'Number of gateways. On Linux, they share one public port.',
  })
  @IsInt()
  @Min(1)
  @Max(8)
  gateways: number = 2;

  @Setting({
    env: 'DEMO_ACCOUNT',
    about: 'The demo account, as for `npm start`: `full`, `empty` or `none`.',
  })
  @IsIn(DEMO_ACCOUNTS)
  demoAccount: DemoAccount = 'full';

  @Setting({ env: 'API_PORT', about: 'Port of the API; 0 selects a free port.' })
  @IsInt()
  @Min(0)
  @Max(65_400)
  apiPort: number = 8080;

  @Setting({ env: 'DASHBOARD_PORT', about: 'Port of the dashboard; 0 selects a free port.' })
  @IsInt()
  @Min(0)
  @Max(65_400)
  dashboardPort: number = 8081;
}
