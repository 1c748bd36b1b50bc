import { type Command, InvalidArgumentError } from 'commander';
import {
  CorpusSourcesClient,
  type ImportedFile,
  type ImportedSource,
  type OperatorOrder,
} from '#libs/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS, counted } from '#libs/platform';
import { audited, objectOf } from '../audited.js';
import type { CliConfig } from '../cli.config.js';
import { type OutputOptions, answer } from '../output.js';
import { withService } from '../service-calls.js';

interface SourceOptions extends OutputOptions {
  reason: string;
}

interface AddOptions extends SourceOptions {
  kind: string;
  from: string;
  rights: string[];
  every?: number;
  category?: string;
  logKey?: string;
}

interface SetOptions extends SourceOptions {
  logKey?: string;
  turnover?: number;
  openEnded?: boolean;
  sold?: boolean;
}

const LOOK_MS = 500;
const SLICES = 64;
const BAR_WIDTH = 30;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const LOG_KEY = 'public key that signs the checkpoints of a log, DER in base64';
const REASON = ['--reason <text>', 'why', 'by hand'] as const;
const RIGHTS = ['shown', 'sold', 'looked-up'];

export function sourceCommands(program: Command, config: CliConfig): void {
  const source = program
    .command('source')
    .description('data sources of the corpus, besides the lookups of this installation');
  source
    .command('add <name>')
    .description('add a source; with a schedule, its first run starts at once')
    .requiredOption('--kind <kind>', 'names, zone, whois_csv, pdns, jsonl, blocklist or ct')
    .requiredOption(
      '--from <location>',
      'absolute path of a folder, https address of a file or log, or s3://bucket/prefix',
    )
    .option(
      '--category <category>',
      'category of a block list: phishing, malware, botnet, spam, scam, other',
    )
    .requiredOption(
      '--rights <rights>',
      'permitted uses of the data: shown, sold, looked-up, separated by commas; or none',
      rights,
    )
    .option('--every <time>', 'interval between runs, such as 30m, 12h or 1d', duration)
    .option('--log-key <key>', LOG_KEY)
    .option(...REASON)
    .action((name: string, options: AddOptions) => add(config, name, options));
  source
    .command('set <name>')
    .description(
      'change which files of a source are accepted, who signs a log, or what may be sold',
    )
    .option(
      '--turnover <percent>',
      'percentage of names that may be missing; initially 20',
      percent,
    )
    .option(
      '--open-ended <yes|no>',
      'whether the last line may lack a newline; initially no',
      yesOrNo,
    )
    .option('--log-key <key>', LOG_KEY)
    .option(
      '--sold <yes|no>',
      'for "lookups": whether database files may contain the answers of our own lookups; initially no',
      yesOrNo,
    )
    .option(...REASON)
    .action((name: string, options: SetOptions) => set(config, name, options));
  source
    .command('run <name>')
    .description('import the new data of a source, and wait for the end')
    .option(...REASON)
    .action((name: string, options: SourceOptions) => run(config, name, options));
  source
    .command('list')
    .description('list the sources')
    .action((options: OutputOptions) => list(config, options));
  source
    .command('remove <name>')
    .description('remove a source; its data stays, but is neither shown, sold nor looked up')
    .option(...REASON)
    .action((name: string, options: SourceOptions) => remove(config, name, options));
}

async function add(config: CliConfig, name: string, options: AddOptions): Promise<void> {
  const { kind, from: location, rights: given, every: everyMs, category, logKey } = options;
  const [isShown, isSold, isLookedUp] = RIGHTS.map((right) => given.includes(right));
  const source = { name, kind, location, isShown, isSold, isLookedUp, everyMs, category, logKey };
  await asked(config, 'add-source', { name, ...options }, (client) => client.add(source));
  answer(options, source, () => [`added; "npm run cli -- source run ${name}" imports its data`]);
}

async function set(config: CliConfig, name: string, options: SetOptions): Promise<void> {
  const { turnover, openEnded: isOpenEnded, logKey, sold: isSold } = options;
  const settings = {
    turnoverMax: turnover === undefined ? undefined : turnover / 100,
    isOpenEnded,
    logKey,
    isSold,
  };
  await asked(config, 'set-source', { name, ...options }, (client) => client.set(name, settings));
  answer(options, { name, ...settings }, () => [
    isSold === undefined
      ? `set; "npm run cli -- source run ${name}" imports what was rejected`
      : 'set; it applies to the files that are built from now on',
  ]);
}

async function run(config: CliConfig, name: string, options: SourceOptions): Promise<void> {
  const shown = await asked(config, 'run-source', { name, ...options }, async (client) => {
    const { requestedAt } = await client.run(name);
    for (;;) {
      const source = await client.show(name);
      if (source.runEndedAt && source.runStartedAt && source.runStartedAt >= requestedAt) {
        if (source.runEndedAt >= source.runStartedAt) return source;
      }
      showProgress(source.files[0]);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  });
  if (process.stderr.isTTY) process.stderr.write('\n');
  answer(options, shown, () => [
    ...(shown.runProblem ? [`failed: ${shown.runProblem}`] : []),
    ...(shown.files.length > 0 ? shown.files.toReversed().flatMap(fileLines) : ['no files there']),
  ]);
  const isFailed = shown.runProblem !== null || shown.files[0]?.state === 'failed';
  if (isFailed) process.exitCode = 1;
}

async function list(config: CliConfig, options: OutputOptions): Promise<void> {
  const sources = await withService(config, 'corpus', (http) =>
    new CorpusSourcesClient(http).list(),
  );
  answer(options, sources, () => sources.map(sourceLine));
}

async function remove(config: CliConfig, name: string, options: SourceOptions): Promise<void> {
  await asked(config, 'remove-source', { name, ...options }, (client) => client.remove(name));
  answer(options, { name }, () => ['removed']);
}

/** Makes a change to a source, after its audit entry. */
const asked = <T>(
  config: CliConfig,
  order: OperatorOrder['order'],
  { name, reason }: { name: string; reason: string },
  work: (client: CorpusSourcesClient) => Promise<T>,
): Promise<T> =>
  audited(config, { order, object: objectOf('source', name), reason }, () =>
    withService(config, 'corpus', (http) => work(new CorpusSourcesClient(http))),
  );

function sourceLine(source: ImportedSource): string {
  const { name, kind, location, observations, updatedAt } = source;
  const why = source.runProblem ?? source.fileProblem;
  const given = [source.isShown, source.isSold, source.isLookedUp];
  const held = RIGHTS.filter((_, place) => given[place]).join(', ') || 'none';
  const last = updatedAt === null ? 'nothing yet' : `last ${updatedAt}`;
  const problem = why === null ? '' : `; failed: ${why}`;
  const from = location === null ? '' : ` from ${location}`;
  return `${name}: ${kind}${from}; rights: ${held}; ${counted(observations, 'observation')}, ${last}${problem}`;
}

function fileLines(file: ImportedFile): string[] {
  const { newNames, changedNames, droppedNames, badLines } = file;
  const names = `names: ${newNames} new, ${changedNames} changed, ${droppedNames} dropped`;
  const state = file.state === 'repeated' ? 'was imported before' : file.state;
  return [
    `${file.file}: ${state}${file.problem === null ? '' : `: ${file.problem}`}`,
    ...(file.state === 'loaded'
      ? [`  ${counted(file.lines, 'line')}, ${badLines} of them bad; ${names}`]
      : []),
    ...file.badSamples.map(
      ({ line, text }) => `  line ${line}: ${text || '(too long, or not UTF-8)'}`,
    ),
  ];
}

/** Shows the progress only on a terminal, because an output file must contain only the answer. */
function showProgress(file: ImportedFile | undefined): void {
  if (!process.stderr.isTTY || file?.state !== 'loading') return;
  const read = file.position / Math.max(1, file.lines);
  const isApplied = file.slices > 0;
  const part = isApplied ? file.slices / SLICES : read;
  const bar = '#'.repeat(Math.round(part * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
  const what = isApplied ? 'importing names' : `${file.position} of ${file.lines} lines`;
  process.stderr.write(`\r[${bar}] ${Math.floor(100 * part)} % ${what}\u001B[K`);
}

function rights(text: string): string[] {
  const given = text === 'none' ? [] : text.split(',');
  if (given.every((right) => RIGHTS.includes(right))) return given;
  throw new InvalidArgumentError('It must be none, or a list such as shown,sold,looked-up.');
}

function percent(text: string): number {
  if (/^(?:100|[0-9]{1,2})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0 to 100.');
}

function yesOrNo(text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new InvalidArgumentError('It must be yes or no.');
}

function duration(text: string): number {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (unit === undefined || Number(count) === 0) {
    throw new InvalidArgumentError('It must be a time such as 30m, 12h or 1d.');
  }
  return Number(count) * UNITS[unit];
}
