import { IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { Setting } from '#libs/platform';

/** What somebody who tries a cluster out decides. Services get their settings from the cluster alone. */
export class ClusterConfig {
  @Setting({
    env: 'CLUSTER_DATA_DIR',
    about: 'Folder of databases, broker, generated secrets and logs of the cluster.',
  })
  @IsString()
  @MinLength(1)
  dataFolder: string = '.data/cluster';

  @Setting({
    env: 'CLUSTER_GATEWAYS',
    about: 'How many gateways. On Linux they share their public ports.',
  })
  @IsInt()
  @Min(1)
  @Max(8)
  gateways: number = 2;

  @Setting({
    env: 'CLUSTER_API_PORT',
    about: 'Port of the API. Where gateways cannot share it, every further one is 10 higher.',
  })
  @IsInt()
  @Min(1)
  @Max(65_400)
  apiPort: number = 8080;

  @Setting({
    env: 'CLUSTER_DASHBOARD_PORT',
    about: 'Port of the dashboard. Where gateways cannot share it, every further one is 10 higher.',
  })
  @IsInt()
  @Min(1)
  @Max(65_400)
  dashboardPort: number = 8081;
}
