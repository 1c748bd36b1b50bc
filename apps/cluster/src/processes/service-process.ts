import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import type { ClusterProcess } from './cluster-process.js';
import { ownCompileCache } from './compile-cache.js';

export interface ServiceProcessOptions {
  /** The process's name, such as `gateway-2`. */
  name: string;
  app: string;
  /** A compiled program that runs instead of the app's own program. */
  main?: string;
  /** Node's options, such as `--max-semi-space-size=8`. */
  nodeOptions?: readonly string[];
  /** The environment of the process, except the search path and the compile cache. */
  settings: Record<string, string | undefined>;
  logFile: string;
}

/** The folder of the compiled apps, relative to the compiled file. */
const APPS = new URL('../../../', import.meta.url).pathname;
const SOURCE_MAPS = new URL('our-source-maps.js', import.meta.url).href;
const START_TIMEOUT_MS = 120_000;
/** The time limit of a stop, a little longer than a gateway's longest drain. */
const STOP_TIMEOUT_MS = 40_000;
const OUTPUT_MAX_CHARACTERS = 64 * 1024 * 1024;
const PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * A shell script that replaces itself with the service, and leaves a watcher. The watcher ends the service once our end
 * of the pipe is closed, so that no service outlives a killed owner. Before the watcher kills, it checks which program
 * has the process id.
 */
const LAUNCHER = `
exec 3<&0 </dev/null
end() { case "$(ps -ww -o args= -p $$)" in *"$0"*) kill -$1 $$ ;; *) exit ;; esac; }
( cat <&3; end TERM; sleep 20; end KILL ) >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** A service as it runs in production: `main.js` with an environment. */
export class ServiceProcess implements ClusterProcess {
  readonly name: string;
  /** The service's addresses, from the line that it logs when it is up. */
  addresses: Record<string, string> = {};
  output = '';
  private child: ChildProcess | undefined;
  private ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ServiceProcessOptions) {
    this.name = options.name;
  }

  get url(): string {
    return this.addresses.url;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child !== undefined && !hasEnded(this.child);
  }

  /** Returns the signal or exit code of the last run; undefined while the service runs. */
  get endedBy(): string | number | undefined {
    return this.child?.signalCode ?? this.child?.exitCode ?? undefined;
  }

  /**
   * Starts the service, unless it is running, and resolves when it has logged that it is up.
   * @throws Error with the last lines of output if the service ends before that, or is not up within two minutes.
   * @param forThisLife additional settings for this run only.
   * @param apps the folder of the compiled apps for this run only, such as the apps of another release.
   */
  async start(forThisLife: Record<string, string | undefined> = {}, apps = APPS): Promise<void> {
    if (this.isRunning) return;
    const { app, main = `${apps}${app}/src/main.js`, nodeOptions = [] } = this.options;
    const settings = { ...this.options.settings, ...forThisLife };
    const command = [process.execPath, ...nodeOptions, '--import', SOURCE_MAPS, main];
    const child = spawn('/bin/sh', ['-c', LAUNCHER, main, ...command], {
      // The child has its own session, so that a Ctrl-C reaches only this process, which then stops everything in
      // order.
      detached: true,
      env: { PATH, NODE_COMPILE_CACHE: ownCompileCache(), ...settings },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child = child;
    this.ended = once(child, 'close');
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    child.once('exit', () => child.stdin?.destroy());
    const before = this.output.length;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.take(text));
    }
    await this.untilUp(child, before);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (this.isRunning) this.child?.kill(signal);
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || !this.isRunning) return;
    this.kill('SIGTERM');
    // A suspended process would not handle the signal.
    this.kill('SIGCONT');
    let isKilled = false;
    const limit = setTimeout(() => {
      isKilled = true;
      this.kill('SIGKILL');
    }, STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(limit);
    const { exitCode, signalCode } = child;
    if (exitCode === 0) return;
    const how = isKilled ? ` ${STOP_TIMEOUT_MS / 1_000} s after SIGTERM` : '';
    const cause = `${this.name} ended with ${signalCode ?? exitCode}${how}`;
    throw new Error(`${cause}${this.tail()}\n${cause}`);
  }

  /** Resolves when the process has ended, for whatever reason. */
  async untilEnded(): Promise<void> {
    await this.ended;
  }

  private take(text: string): void {
    this.output += text;
    if (this.output.length > OUTPUT_MAX_CHARACTERS) {
      this.output = this.output.slice(OUTPUT_MAX_CHARACTERS / 2);
    }
    appendFileSync(this.options.logFile, text, { mode: 0o600 });
  }

  private async untilUp(child: ChildProcess, from: number): Promise<void> {
    const isUp = () => {
      const addresses = addressesIn(this.output.slice(from), this.options.app);
      if (addresses) this.addresses = addresses;
      return addresses !== undefined;
    };
    const started = Promise.withResolvers<void>();
    const look = () => isUp() && started.resolve();
    const limit = setTimeout(started.resolve, START_TIMEOUT_MS);
    child.stdout?.on('data', look);
    void this.ended.then(() => started.resolve());
    await started.promise;
    clearTimeout(limit);
    child.stdout?.off('data', look);
    if (isUp()) return;
    const what = hasEnded(child) ? 'could not start' : 'was not up in time';
    this.kill('SIGKILL');
    throw new Error(`${this.name} ${what}${this.tail()}`);
  }

  private tail(): string {
    return `: ${this.output.trimEnd().split('\n').slice(-5).join('\n')}`;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null;

/** Returns the addresses in the line that a service logs when it is up; undefined until that line is complete. */
function addressesIn(output: string, app: string): Record<string, string> | undefined {
  const line = output.split('\n').find((each) => each.includes(`"msg":"${app} is up"`));
  if (!line?.endsWith('}')) return undefined;
  const fields = Object.entries(JSON.parse(line) as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >;
}
