import { argv, stdout } from 'node:process';
import { writeTables } from './derivation.js';

const [, , folder] = argv;
if (folder === undefined) throw new Error('Usage: npm run registries -- <folder>');
stdout.write(`${writeTables(folder, 'libs/resolvers/src/registries/tables.json')}\n`);
