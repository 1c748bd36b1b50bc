import { readFileSync } from 'node:fs';
import { argv, stdout } from 'node:process';
import { writeCatalogue } from './derivation.js';

const SOURCE = 'libs/resolvers/src/small-print';

const [, , folder] = argv;
if (folder === undefined) throw new Error('Usage: npm run small-print -- <folder of *.jsonl>');
const terms = readFileSync(`${SOURCE}/derivation/terms.txt`, 'utf8');
stdout.write(`${writeCatalogue(folder, `${SOURCE}/catalogue.json`, terms)}\n`);
