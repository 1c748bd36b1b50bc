import {
  generatedDocuments,
  staleDocuments,
  writeDocuments,
} from './documents/generated-documents.js';

/**
 * Runs `npm run docs`: writes the generated documents. With `--check`, only lists stale documents and fails if there
 * are any.
 */
const documents = await generatedDocuments();
const stale = staleDocuments(documents);
if (process.argv.includes('--check')) {
  for (const path of stale) process.stderr.write(`${path} is not up to date: npm run docs\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  writeDocuments(documents, stale);
  process.stdout.write(`${stale.length} of ${documents.size} documents written\n`);
}
