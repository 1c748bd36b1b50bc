import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

export interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  profiles?: string[];
  networks?: string[] | object;
}

export interface PlannedContainer {
  name: string;
  command: string[];
  environment: Record<string, string>;
  secrets: Record<string, string>;
  kept: string[];
  /** The names of the containers that must have finished or be ready before it starts. */
  needs: string[];
  isJob: boolean;
}

export function composeServices(): Record<string, ComposeService> {
  const compose = load(readFileSync('docker-compose.yml', 'utf8')) as {
    services: Record<string, ComposeService>;
  };
  return compose.services;
}

/** Returns the containers of our image that every `up` starts. @param origins variables, such as `BASE_URL`. */
export function composePlan(
  secretFolder: string,
  origins: Record<string, string> = {},
): PlannedContainer[] {
  const own = Object.entries(composeServices()).filter(
    ([, { build, profiles }]) => build !== undefined && profiles === undefined,
  );
  return own.map(([name, { command = [], environment = {}, ...service }]) => ({
    name,
    command,
    environment: Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, filled(value, origins)]),
    ),
    secrets: Object.fromEntries(
      (service.secrets ?? []).map((file) => [file, readFileSync(join(secretFolder, file), 'utf8')]),
    ),
    kept: (service.volumes ?? []).map((volume) => volume.split(':')[1]),
    needs: Object.keys(service.depends_on ?? {}),
    isJob: command.includes('dist/apps/cli/src/main.js'),
  }));
}

/** Substitutes variables that an operator can set: `${BASE_URL:-…}`. */
const filled = (value: string, origins: Record<string, string>) =>
  value.replace(/\$\{(\w+):-([^}]*)\}/g, (_, key: string, usual: string) => origins[key] ?? usual);
