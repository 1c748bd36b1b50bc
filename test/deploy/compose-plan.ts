import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { DeploymentPlan } from './deployment-plan.js';

export interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  profiles?: string[];
}

export function composeServices(): Record<string, ComposeService> {
  const compose = load(readFileSync('docker-compose.yml', 'utf8')) as {
    services: Record<string, ComposeService>;
  };
  return compose.services;
}

/** Our services in docker-compose.yml that every `up` starts. */
export function composePlan(): DeploymentPlan {
  const own = Object.entries(composeServices()).filter(
    ([, { build, profiles }]) => build !== undefined && profiles === undefined,
  );
  return {
    names: own.map(([name]) => name),
    aliases: { gateway: 'gateway-1' },
    api: 'gateway-1',
    dashboard: { name: 'dashboard', port: 8081 },
    containers: (secretFolder, origins) =>
      own.map(([name, { command = [], environment = {}, ...service }]) => ({
        name,
        app: name.replace(/-\d$/, ''),
        command,
        environment: Object.fromEntries(
          Object.entries(environment).map(([key, value]) => [key, filled(value, origins)]),
        ),
        secrets: Object.fromEntries(
          (service.secrets ?? []).map((file) => [
            file,
            readFileSync(join(secretFolder, file), 'utf8'),
          ]),
        ),
        kept: (service.volumes ?? []).map((volume) => volume.split(':')[1]),
        needs: Object.keys(service.depends_on ?? {}),
        isJob: command.includes('dist/apps/cli/src/main.js'),
      })),
  };
}

/** An operator replaces these with real origins: `${BASE_URL:-…}`. */
const filled = (value: string, origins: Record<string, string>) =>
  value.replace(/\$\{(\w+):-([^}]*)\}/g, (_, key: string, usual: string) => origins[key] ?? usual);
