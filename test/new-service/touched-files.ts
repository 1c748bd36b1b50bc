const moduleUrl = (name: string) => new URL(name, import.meta.url).href;

/** The shared files that a new service with one operation changes, each with the same change to its compiled form. */
export const TOUCHED = {
  'apps/services.ts': (source: string) =>
    `import { archive } from '${moduleUrl('archive-service.js')}';${source.replace('SERVICES = [', '$&archive,')}`,
  'libs/contracts/src/operations/table.ts': (source: string) =>
    `import { ARCHIVE_SEARCH } from '${moduleUrl('archive-operations.js')}';` +
    source.replace('OPERATIONS = [', '$&ARCHIVE_SEARCH,'),
  'libs/platform/src/internal-calls/pair-secrets.ts': (source: string) =>
    source.replace('SERVICE_NAMES = [', "$&'archive',"),
};
