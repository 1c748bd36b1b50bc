/** A container of a deployment, as a compose file or a chart describes it. */
export interface PlannedContainer {
  /** Its own; it has an address by it. */
  name: string;
  /** The service that it is one of. */
  app: string;
  command?: string[];
  environment: Record<string, string>;
  /** Contents of the files below /run/secrets. */
  secrets: Record<string, string>;
  /** Names of secrets that others make, certificates, by the paths at which it finds their files. */
  mounted?: Record<string, string>;
  /** Paths of its persistent files. */
  kept: string[];
  /** Names of those that must have done their work or be ready before. */
  needs: string[];
  /** Ends when it has done its work. */
  isJob: boolean;
}

/** The containers to run from the image. */
export interface DeploymentPlan {
  /** All host names of the deployment. */
  names: string[];
  /** Further names in the network, by the container whose address they have. */
  aliases: Record<string, string>;
  /** The gateway that a story takes the API of. */
  api: string;
  /** The dashboard, and the port of its public listener. */
  dashboard: { name: string; port: number };
  /** Origins of the named gateways stand for public ones. */
  containers(secretFolder: string, origins: Record<string, string>): PlannedContainer[];
  /** Writes the certificate of a service into a folder and returns that; else an authority made here signs it. */
  issue?(app: string, into: string): string;
}
