import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OPERATIONS, allEventClasses, describeEvent } from '#libs/contracts';
import { EventsConfig } from '#libs/messaging';
import { declaredMetrics } from '#libs/platform';
import { ServersConfig } from '../servers.config.js';
import { CONFIGURED_APPS, DatabasesConfig, OwnDatabasesConfig, SERVICES } from '../declared.js';
import { operatorProgram } from '../operator-program.js';
import { withApiTables } from './api-tables.js';
import { chartServices } from './chart-services.js';
import { commandLinePage } from './command-line.js';
import { configurationPage, environmentExample } from './configuration.js';
import { grafanaDashboards } from './dashboards.js';
import { eventSchema } from './event-schema.js';
import { memberTexts } from './member-texts.js';
import { metricsPage } from './metrics.js';
import { readProofs, readStatements, securityCoverage } from './security-coverage.js';

/** The folder of the chart's generated files. Templates can read only files within the chart. */
const CHART_FILES = 'deploy/helm/domain-data-service/files';
const API = 'docs/api.md';
const OPERATIONS_FOLDER = 'libs/contracts/src/operations';
const STATEMENTS = 'docs/security-statements.md';

/** Generates the text of every generated file of the repository, by path. */
export async function generatedDocuments(): Promise<Map<string, string>> {
  // A metric is declared when the code that counts it is loaded.
  for (const service of SERVICES) await service.load();
  const documents = new Map<string, string>();
  documents.set('.env.example', environmentExample(CONFIGURED_APPS));
  documents.set('docs/configuration.md', configurationPage(CONFIGURED_APPS));
  documents.set('docs/operations/metrics.md', metricsPage(declaredMetrics()));
  documents.set(`${CHART_FILES}/services.json`, await chartServices(SERVICES));
  documents.set(`${CHART_FILES}/alerts.yml`, readFileSync('deploy/prometheus/alerts.yml', 'utf8'));
  for (const [file, text] of grafanaDashboards()) {
    documents.set(`deploy/grafana/${file}`, text);
    documents.set(`${CHART_FILES}/dashboards/${file}`, text);
  }
  documents.set('docs/operations/command-line.md', commandLinePage(program()));
  documents.set(API, withApiTables(readFileSync(API, 'utf8'), OPERATIONS));
  const declared = globSync(`${OPERATIONS_FOLDER}/**/*.ts`).sort();
  const texts = memberTexts(declared.map((path) => readFileSync(path, 'utf8')));
  documents.set(
    `${OPERATIONS_FOLDER}/openapi/member-texts.json`,
    `${JSON.stringify(texts, null, 2)}\n`,
  );
  for (const eventClass of allEventClasses()) {
    const { type, version } = describeEvent(eventClass);
    const text = `${JSON.stringify(eventSchema(eventClass), null, 2)}\n`;
    documents.set(`docs/events/${type}.v${version}.json`, text);
  }
  const specs = globSync('{apps,libs,test}/**/*.{spec,contract,story}.ts').sort();
  const proofs = specs.flatMap((path) => readProofs(path, readFileSync(path, 'utf8')));
  const statements = readStatements(readFileSync(STATEMENTS, 'utf8'));
  documents.set('docs/security-coverage.md', securityCoverage(statements, proofs));
  return documents;
}

const program = () =>
  operatorProgram(
    new ServersConfig(),
    new EventsConfig(),
    new DatabasesConfig(),
    new OwnDatabasesConfig(),
  );

/** Lists the paths whose text on disk is out of date, including schemas of events that no longer exist. */
export function staleDocuments(documents: Map<string, string>): string[] {
  const wrong = [...documents]
    .filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
    .map(([path]) => path);
  const gone = globSync('docs/events/*.json').filter((path) => !documents.has(path));
  return [...wrong, ...gone].sort();
}

export function writeDocuments(documents: Map<string, string>, stale: string[]): void {
  for (const path of stale) {
    const text = documents.get(path);
    if (text === undefined) {
      rmSync(path);
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
