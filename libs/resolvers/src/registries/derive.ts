import { argv, stdout } from 'node:process';
import { writeNumberTables } from '../networks/number-derivation.js';
import { writeTables } from './derivation.js';

const [, , folder] = argv;
if (folder === undefined) throw new Error('Usage: npm run registries -- <folder>');
stdout.write(`${writeTables(folder, 'libs/resolvers/src/registries/tables.json')}\n`);
stdout.write(`${writeNumberTables(folder, 'libs/resolvers/src/networks/tables.json')}\n`);
