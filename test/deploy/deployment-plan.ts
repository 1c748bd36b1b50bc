/** A container of a deployment, as a compose file or a chart describes it. */
export interface PlannedContainer {
  /** The container's own name, which resolves to its address. */
  name: string;
  /** The service that it belongs to. */
  app: string;
  command?: string[];
  environment: Record<string, string>;
  /** Contents of the files below /run/secrets. */
  secrets: Record<string, string>;
  /** Names of secrets that others create, such as certificates, by the paths of their files in the container. */
  mounted?: Record<string, string>;
  /** Paths of its persistent files. */
  kept: string[];
  /** Names of the containers that must be done or ready before it starts. */
  needs: string[];
  /** Whether it exits when its work is done. */
  isJob: boolean;
}

/** The containers to run from the image. */
export interface DeploymentPlan {
  /** All host names of the deployment. */
  names: string[];
  /** Aliases in the network, by the container whose address they have. */
  aliases: Record<string, string>;
  /** The gateway whose API the stories use. */
  api: string;
  /** The dashboard, and the port of its public listener. */
  dashboard: { name: string; port: number };
  /** Origins of gateways that take the place of public origins. */
  containers(secretFolder: string, origins: Record<string, string>): PlannedContainer[];
}
