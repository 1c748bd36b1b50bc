import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Their Go modules; the version is part of the name in the cache. */
const HELM = 'helm.sh/helm/v4/cmd/helm@v4.2.4';
const KUBECONFORM = 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0';
/** Where programs that Go has built are kept. */
export const CACHE = join(homedir(), '.cache', 'domain-data-service', 'go');
/** Helm compiles 1,500 packages: minutes on a machine with other work. */
const BUILD_LIMIT_MS = 1_800_000;

/** Paths of programs. */
export interface ChartTools {
  helm: string;
  kubeconform: string;
}

/** @returns undefined when a chart can be rendered and checked here, else why not. */
export function chartToolsAvailability(): string | undefined {
  const isBuilt = [HELM, KUBECONFORM].every((module) => existsSync(pathOf(module)));
  const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
  return isBuilt || hasGo ? undefined : 'no Go on this machine';
}

/** Helm and kubeconform, built once from their Go modules into the user's cache. */
export async function chartTools(): Promise<ChartTools> {
  return { helm: await built(HELM), kubeconform: await built(KUBECONFORM) };
}

async function built(module: string): Promise<string> {
  const path = pathOf(module);
  if (existsSync(path)) return path;
  const making = `${path}.making.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    await promisify(execFile)('go', ['install', module], {
      cwd: making,
      env: { ...process.env, GOBIN: making, CGO_ENABLED: '0', GOFLAGS: '-trimpath' },
      timeout: BUILD_LIMIT_MS,
    });
    renameSync(join(making, nameOf(module)), path);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return path;
}

const nameOf = (module: string) => (module.split('/').at(-1) as string).replace(/@.*/, '');
const pathOf = (module: string) => join(CACHE, module.split('/').at(-1) as string);
