import type { Migration } from '#libs/database';
import { workFunctions } from '#libs/work';

export const dueWork: Migration = { name: '0026-due-work', sql: workFunctions };
