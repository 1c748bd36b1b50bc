import { readFileSync } from 'node:fs';
import { argv, stdout } from 'node:process';
import { writeCatalogue } from './derivation.js';

const SOURCE = 'libs/resolvers/src';

const [, , folder] = argv;
if (folder === undefined) throw new Error('Usage: npm run small-print -- <folder of *.jsonl>');
const terms = readFileSync(`${SOURCE}/catalogue-derivation/terms.txt`, 'utf8');
stdout.write(`${writeCatalogue(folder, `${SOURCE}/small-print/catalogue.json`, terms)}\n`);
